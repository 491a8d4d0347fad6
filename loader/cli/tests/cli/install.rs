//! `plugins install`.

use std::fs;

use crate::fixture::{Home, copy_hello, hello, text, write};

#[test]
fn a_bare_library_gets_a_manifest() {
    let home = Home::new();
    home.check(
        &["plugins", "install", &text(hello())],
        0,
        &["✓ Plugin hello-plugin 0.1.0 installed in"],
        &["It is not enabled: hermes plugins enable hello-plugin"],
    );
    let manifest = home.read("plugins/hello-plugin/plugin.yaml");
    for line in [
        "name: hello-plugin",
        "version: \"0.1.0\"",
        "role: guard",
        "provides_hooks: [\"pre_tool_call\", \"on_session_start\"]",
    ] {
        assert!(manifest.contains(line), "{line:?} in\n{manifest}");
    }
    assert!(
        !home.path("config.yaml").exists(),
        "nobody was asked, so nothing is enabled"
    );
    home.check(
        &["hooks", "fire", "pre_tool_call", "--plugin", "hello-plugin"],
        1,
        &[],
        &["not enabled in config"],
    );
}

#[test]
fn enable_switches_it_on() {
    let home = Home::new();
    home.write("config.yaml", "# mine\n");
    home.check(
        &["plugins", "install", &text(hello()), "--enable"],
        0,
        &["installed in", "✓ Plugin hello-plugin enabled."],
        &[],
    );
    assert!(home.read("config.yaml").starts_with("# mine\n"));
    home.check(
        &["doctor"],
        0,
        &["1 native plugin loaded", "all healthy"],
        &[],
    );
    home.check(
        &["plugins", "install", "x", "--enable", "--no-enable"],
        2,
        &[],
        &["cannot be used with"],
    );
}

#[test]
fn an_installed_plugin_is_replaced_only_by_force() {
    let home = Home::with_hello();
    home.write("plugins/hello-plugin/notes", "old");
    let library = text(hello());
    home.check(
        &["plugins", "install", &library],
        1,
        &[],
        &["is installed already", "nothing is changed", "--force"],
    );
    assert!(home.path("plugins/hello-plugin/notes").exists());
    home.check(
        &["plugins", "install", &library, "--force"],
        0,
        &["replaced in"],
        &["It is enabled."],
    );
    assert!(!home.path("plugins/hello-plugin/notes").exists());
    let left: Vec<_> = fs::read_dir(home.path("plugins"))
        .expect("readable")
        .collect();
    assert_eq!(left.len(), 1, "{left:?}");
}

#[test]
fn a_refused_plugin_leaves_what_was_there() {
    let home = Home::with_hello();
    let bad = write(home.beside("libhello_plugin.so"), "not a library\n");
    home.check(
        &["plugins", "install", &text(&bad), "--force"],
        1,
        &[],
        &["a text file", "nothing is installed", "hint:"],
    );
    home.check(&["doctor"], 0, &["all healthy"], &[]);
    let empty = Home::new();
    empty.check(
        &["plugins", "install", &text(&bad)],
        1,
        &[],
        &["nothing is installed"],
    );
    assert!(!empty.path("").exists());
}

#[test]
fn a_directory_is_copied_whole() {
    let home = Home::new();
    write(
        home.beside("src/plugin.yaml"),
        "name: hello-plugin\nversion: 2\nrequires_env:\n  - {name: HELLO_TOKEN, description: the token}\n",
    );
    write(home.beside("src/config.yaml.example"), "k: v\n");
    write(home.beside("src/.git/config"), "");
    copy_hello(&home.beside("src"));
    let dir = text(&home.beside("src"));
    home.check(
        &["plugins", "install", &dir, "--no-enable"],
        0,
        &["Plugin hello-plugin 2 installed"],
        &[
            "made config.yaml",
            "It asks for HELLO_TOKEN (the token): add `HELLO_TOKEN=…` to",
        ],
    );
    assert_eq!(home.read("plugins/hello-plugin/config.yaml"), "k: v\n");
    assert!(!home.path("plugins/hello-plugin/.git").exists());
    home.check(
        &["plugins", "check", "hello-plugin"],
        0,
        &["would load here"],
        &[],
    );
}

#[test]
fn what_cannot_be_installed_is_said_with_a_cure() {
    let home = Home::new();
    let manifest = |text: &str| {
        write(home.beside("p/plugin.yaml"), text);
    };
    let dir = text(&home.beside("p"));
    home.check(
        &["plugins", "install", &dir],
        1,
        &[],
        &[
            "there is no such file or directory",
            "hint: give a library file, an archive",
        ],
    );
    for (identifier, says) in [
        ("ftp://example.org/x", "cannot install over `ftp://`"),
        ("https://example.org/x.tar.gz", "hint: download it"),
        ("owner/repo/../x", "leads out of the repository"),
    ] {
        home.check(
            &["plugins", "install", identifier],
            2,
            &[],
            &[says, "nothing is installed", "hint:"],
        );
    }
    manifest("name: x\n");
    home.check(
        &["plugins", "install", &dir],
        1,
        &[],
        &["[no_library]", "nothing is installed"],
    );
    write(home.beside("p/Cargo.toml"), "");
    home.check(
        &["plugins", "install", &dir],
        1,
        &[],
        &["[no_library]", "hint: it is a crate"],
    );
    copy_hello(&home.beside("p"));
    manifest("name: x\n");
    home.check(&["plugins", "install", &dir], 1, &[], &["[name_mismatch]"]);
    manifest("name: hello-plugin\nmanifest_version: 2\n");
    home.check(&["plugins", "install", &dir], 1, &[], &["manifest_version"]);
    manifest("name: ../x\n");
    home.check(&["plugins", "install", &dir], 1, &[], &["[manifest_name]"]);
    manifest("name: a..b\n");
    home.check(
        &["plugins", "install", &dir],
        1,
        &[],
        &["nothing is installed"],
    );
    fs::remove_file(home.beside("p/plugin.yaml")).expect("removed");
    fs::remove_file(home.beside("p/Cargo.toml")).expect("removed");
    home.check(
        &["plugins", "install", &dir],
        1,
        &[],
        &["hint: give the library file itself"],
    );
    assert!(!home.path("plugins").exists());
}

#[cfg(unix)]
#[test]
fn a_link_that_leads_out_is_refused() {
    let home = Home::new();
    write(home.beside("p/plugin.yaml"), "name: hello-plugin\n");
    copy_hello(&home.beside("p"));
    std::os::unix::fs::symlink("/etc/passwd", home.beside("p/passwd")).expect("linked");
    home.check(
        &["plugins", "install", &text(&home.beside("p"))],
        1,
        &[],
        &["outside the plugin's directory", "nothing is installed"],
    );
    let left: Vec<_> = fs::read_dir(home.path("plugins"))
        .expect("readable")
        .collect();
    assert_eq!(left.len(), 0, "{left:?}");
}

#[test]
fn the_round_trip_leaves_the_configuration_as_it_was() {
    let home = Home::new();
    let config = "# mine\nplugins: # all of them\n  enabled: [] # none yet\n  disabled: []\n";
    home.write("config.yaml", config);
    home.check(
        &["plugins", "install", &text(hello()), "--no-enable"],
        0,
        &["installed"],
        &["not enabled"],
    );
    home.check(&["plugins", "enable", "hello-plugin"], 0, &["enabled"], &[]);
    assert!(
        home.read("config.yaml")
            .contains("enabled: [hello-plugin] # none yet"),
        "{}",
        home.read("config.yaml")
    );
    home.check(
        &["plugins", "disable", "hello-plugin"],
        0,
        &["disabled"],
        &[],
    );
    assert!(
        home.read("config.yaml")
            .contains("disabled: [hello-plugin]"),
        "{}",
        home.read("config.yaml")
    );
    home.check(
        &["plugins", "remove", "hello-plugin"],
        0,
        &["removed", "its name is out of"],
        &[],
    );
    assert_eq!(home.read("config.yaml"), config);
}

#[test]
fn a_python_plugin_is_hermes_agent_s() {
    let home = Home::new();
    write(home.beside("py/plugin.yaml"), "name: py\n");
    write(home.beside("py/__init__.py"), "");
    home.check(
        &["plugins", "install", &text(&home.beside("py")), "--enable"],
        0,
        &["installed", "enabled"],
        &["written in Python"],
    );
    home.check(
        &["plugins", "list", "--json"],
        0,
        &["\"form\": \"python\"", "\"problem\": null"],
        &[],
    );
    home.check(
        &["doctor"],
        0,
        &["note:", "written in Python", "all healthy"],
        &[],
    );
}

#[test]
fn what_is_set_is_not_asked_for() {
    let home = Home::new();
    write(
        home.beside("src/plugin.yaml"),
        "name: hello-plugin\nrequires_env: [FROM_FILE, FROM_ENVIRONMENT, MISSING]\n",
    );
    copy_hello(&home.beside("src"));
    home.write(".env", "export FROM_FILE='x'\nMISSING=\n");
    let dir = text(&home.beside("src"));
    let output = home
        .command(&["plugins", "install", &dir, "--json", "--no-enable"])
        .env("FROM_ENVIRONMENT", "x")
        .output()
        .expect("it runs");
    let value: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(value["missing_env"], serde_json::json!(["MISSING"]));
    assert_eq!(
        (&value["action"], &value["enabled"], &value["name"]),
        (
            &serde_json::json!("installed"),
            &serde_json::json!(false),
            &serde_json::json!("hello-plugin")
        )
    );
    assert_eq!(home.read(".env"), "export FROM_FILE='x'\nMISSING=\n");
}

#[test]
fn a_newer_manifest_is_refused() {
    for version in ["2", "'1'", "1.5", "[1]"] {
        let home = Home::with_hello();
        write(
            home.beside("src/plugin.yaml"),
            &format!("name: hello-plugin\nmanifest_version: {version}\n"),
        );
        copy_hello(&home.beside("src"));
        let dir = text(&home.beside("src"));
        home.check(
            &["plugins", "install", &dir, "--force"],
            1,
            &[],
            &["[manifest_version]", "nothing is installed", "hint:"],
        );
        home.check(&["doctor"], 0, &["all healthy"], &[]);
    }
}
