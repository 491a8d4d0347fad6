//! Which plugins are found, in which order, and which may load: cases 46 to 54.

use std::fs;
use std::path::{Path, PathBuf};

use hermes_loader::config::{Config, Problem, Severity};
use hermes_loader::discover::{Content, Decision, Discovery, Source, Surroundings, discover};
use hermes_loader::home::Home;
use hermes_loader::manifest::Kind;

/// A home, a project and a bundled root in one temporary directory.
struct World {
    dir: tempfile::TempDir,
    config: String,
    project_enabled: bool,
}

impl World {
    fn new(config: &str) -> Self {
        Self {
            dir: tempfile::tempdir().expect("temp dir"),
            config: config.to_owned(),
            project_enabled: false,
        }
    }

    fn path(&self, path: &str) -> PathBuf {
        self.dir.path().join(path)
    }

    /// Writes a file, with the directories above it.
    fn file(&self, path: &str, text: &str) -> &Self {
        let path = self.path(path);
        fs::create_dir_all(path.parent().expect("parent")).expect("directory");
        fs::write(path, text).expect("file");
        self
    }

    fn discover(&self) -> Discovery {
        let config = Config::parse(&self.config, Path::new("config.yaml"), &|_| None);
        let around = Surroundings {
            bundled: Some(self.path("bundled")),
            project_enabled: self.project_enabled,
            cwd: Some(self.path("project")),
        };
        discover(&Home::at(self.path("home")), &around, &config)
    }
}

fn keys(discovery: &Discovery) -> Vec<&str> {
    discovery
        .found
        .iter()
        .map(|found| found.key.as_str())
        .collect()
}

fn loading(discovery: &Discovery) -> Vec<&str> {
    discovery
        .to_load()
        .map(|found| found.key.as_str())
        .collect()
}

fn codes(problems: &[Problem]) -> Vec<&str> {
    problems.iter().map(|problem| problem.code).collect()
}

#[track_caller]
fn decision(discovery: &Discovery, key: &str) -> Decision {
    match discovery.get(key) {
        Some(found) => found.decision,
        None => panic!("{key} was not found among {:?}", keys(discovery)),
    }
}

#[test]
fn nothing_anywhere() {
    let mut world = World::new("");
    world.project_enabled = true;
    let discovery = world.discover();
    assert!(discovery.found.is_empty() && discovery.problems.is_empty());
}

#[test]
fn case_46_not_enabled() {
    let world = World::new("");
    world.file("home/plugins/g/plugin.yaml", "name: g\n");
    let discovery = world.discover();
    assert_eq!(decision(&discovery, "g"), Decision::NotEnabled);
    let reason = decision(&discovery, "g").reason("g").unwrap_or_default();
    assert!(
        reason.contains("not enabled") && reason.contains("hermes plugins enable g"),
        "{reason}"
    );
    let cure = Decision::NotEnabled.cure("my plugin").unwrap_or_default();
    assert_eq!(cure, "run `hermes plugins enable 'my plugin'`");
    // Whether it could load is not asked before it is to load.
    assert_eq!(codes(&discovery.problems), [] as [&str; 0]);
}

#[test]
fn case_47_in_both_lists() {
    let world = World::new("plugins:\n  enabled: [g]\n  disabled: [g]\n");
    world.file("home/plugins/g/plugin.yaml", "");
    let discovery = world.discover();
    assert_eq!(decision(&discovery, "g"), Decision::Disabled);
    assert_eq!(
        Decision::Disabled.reason("g").as_deref(),
        Some("disabled via config")
    );
}

#[test]
fn case_48_by_key_and_by_name() {
    for enabled in ["cat/x", "ex"] {
        let world = World::new(&format!("plugins:\n  enabled: [{enabled}]\n"));
        world.file("home/plugins/cat/x/plugin.yaml", "name: ex\n");
        let discovery = world.discover();
        assert_eq!(loading(&discovery), ["cat/x"]);
        assert_eq!(discovery.unmatched, [] as [&str; 0]);
        assert_eq!(discovery.get("ex").map(|found| found.name()), Some("ex"));
    }
}

#[test]
fn case_49_a_project_plugin_in_the_place_of_the_users() {
    let mut world = World::new("plugins:\n  enabled: [same, z]\n");
    world
        .file("home/plugins/a/plugin.yaml", "name: same\nversion: user\n")
        .file("home/plugins/z/plugin.yaml", "")
        .file(
            "project/.hermes/plugins/b/plugin.yaml",
            "name: same\nversion: project\n",
        );
    let discovery = world.discover();
    assert_eq!(loading(&discovery), ["same", "z"]);
    assert_eq!(discovery.get("same").map(|f| f.source), Some(Source::User));
    assert!(discovery.shadowed.is_empty());

    world.project_enabled = true;
    let discovery = world.discover();
    assert_eq!(loading(&discovery), ["same", "z"]);
    let winner = discovery.get("same").expect("same");
    assert_eq!(
        (winner.source, winner.manifest.version.as_str()),
        (Source::Project, "project")
    );
    let [shadowed] = discovery.shadowed.as_slice() else {
        panic!("{:?}", discovery.shadowed);
    };
    assert_eq!(
        (shadowed.source, shadowed.key.as_str()),
        (Source::User, "same")
    );
    assert_eq!(shadowed.by, winner.dir);
}

#[test]
fn inside_one_root_the_later_directory_wins() {
    let world = World::new("plugins:\n  enabled: [n]\n");
    world
        .file("home/plugins/a/plugin.yaml", "name: n\nversion: 1\n")
        .file("home/plugins/b/plugin.yaml", "name: other\n")
        .file("home/plugins/c/plugin.yaml", "name: n\nversion: 2\n");
    let discovery = world.discover();
    assert_eq!(keys(&discovery), ["n", "other"]);
    assert_eq!(
        discovery.get("n").map(|f| f.manifest.version.as_str()),
        Some("2")
    );
    assert_eq!(discovery.shadowed.len(), 1);
}

#[test]
fn project_plugins_still_need_the_list() {
    let mut world = World::new("");
    world.project_enabled = true;
    world.file("project/.hermes/plugins/p/plugin.yaml", "kind: backend\n");
    assert_eq!(decision(&world.discover(), "p"), Decision::NotEnabled);
}

#[test]
fn case_50_categories_are_one_deep() {
    let world = World::new("");
    world
        .file("home/plugins/a/b/c/plugin.yaml", "")
        .file("home/plugins/a/d/plugin.yaml", "name: dee\n")
        .file("home/plugins/a/d/e/plugin.yaml", "");
    let discovery = world.discover();
    assert_eq!(keys(&discovery), ["a/d"]);
    assert_eq!(discovery.found[0].name(), "dee");
}

#[test]
fn case_51_order_by_codepoint() {
    let world = World::new("");
    for name in ["a", "B", ".x", "é", "_", "b"] {
        world.file(&format!("home/plugins/{name}/plugin.yaml"), "");
    }
    world
        .file("home/plugins/plain.txt", "")
        .file("home/plugins/libx.so", "");
    assert_eq!(keys(&world.discover()), [".x", "B", "_", "a", "b", "é"]);
}

#[test]
fn case_52_a_broken_manifest_is_absent_and_reported() {
    let world = World::new("plugins:\n  enabled: [good]\n");
    world
        .file("home/plugins/a/plugin.yaml", "name: [\n")
        .file("home/plugins/b/plugin.yaml", "- a\n")
        .file("home/plugins/c/plugin.yaml", "name: 123\n")
        .file("home/plugins/d/plugin.yaml", "role: gaurd\n")
        .file("home/plugins/e/plugin.yaml", "library: ../x.so\n")
        .file("home/plugins/f/plugin.yaml/oops", "")
        .file("home/plugins/good/plugin.yml", "")
        .file("home/plugins/good/__init__.py", "");
    let path = world.path("home/plugins/h/plugin.yaml");
    fs::create_dir_all(path.parent().expect("parent")).expect("directory");
    fs::write(path, b"name: \xff\n").expect("file");
    let discovery = world.discover();
    assert_eq!(keys(&discovery), ["good"]);
    assert_eq!(loading(&discovery), ["good"]);
    assert_eq!(
        codes(&discovery.problems),
        [
            "manifest_syntax",
            "manifest_not_a_mapping",
            "manifest_name",
            "manifest_word",
            "manifest_library",
            "manifest_unreadable",
            "manifest_unreadable",
        ]
    );
    for problem in &discovery.problems {
        assert_eq!(problem.severity, Severity::Warning);
        assert!(problem.cure.is_some());
        assert!(
            problem.message.ends_with("; the plugin is ignored"),
            "{problem}"
        );
    }
}

#[test]
fn case_53_an_empty_manifest() {
    let world = World::new("");
    world.file("home/plugins/my-dir/plugin.yaml", "");
    assert_eq!(keys(&world.discover()), ["my-dir"]);
}

#[test]
fn case_54_odd_kinds() {
    let world = World::new("");
    world
        .file("home/plugins/a/plugin.yaml", "kind: Weird\n")
        .file("home/plugins/b/plugin.yaml", "kind: 5\n");
    let discovery = world.discover();
    assert_eq!(codes(&discovery.problems), ["unknown_kind"]);
    assert!(
        discovery
            .found
            .iter()
            .all(|f| f.manifest.kind == Kind::Standalone)
    );
}

#[test]
fn yaml_comes_before_yml() {
    let world = World::new("");
    world
        .file("home/plugins/a/plugin.yaml", "name: one\n")
        .file("home/plugins/a/plugin.yml", "name: two\n");
    assert_eq!(keys(&world.discover()), ["one"]);
}

#[test]
fn bundled_roots() {
    let world = World::new("plugins:\n  enabled: [u]\n");
    world
        .file("bundled/zeta/plugin.yaml", "kind: backend\n")
        .file("bundled/alpha/plugin.yaml", "")
        .file("bundled/memory/m/plugin.yaml", "")
        .file("bundled/context_engine/plugin.yaml", "")
        .file("bundled/model-providers/p/plugin.yaml", "")
        .file("bundled/platforms/irc/plugin.yaml", "kind: platform\n")
        .file("home/plugins/memory/plugin.yaml", "")
        .file("home/plugins/u/plugin.yaml", "")
        .file(
            "home/plugins/zeta/plugin.yaml",
            "name: other\nkind: backend\n",
        );
    let discovery = world.discover();
    assert_eq!(
        keys(&discovery),
        ["alpha", "zeta", "irc", "memory", "u", "other"]
    );
    assert_eq!(loading(&discovery), ["zeta", "irc", "u"]);
    assert_eq!(decision(&discovery, "alpha"), Decision::NotEnabled);
    assert_eq!(decision(&discovery, "other"), Decision::NotEnabled);
}

#[test]
fn what_switches_off_wins_over_the_list() {
    let off = "plugins:\n  enabled: [g, backend, ex, mp]\n";
    for (more, wanted) in [
        ("", Decision::Load),
        ("  disabled: [g]\n", Decision::Disabled),
        ("  deny: [g]\n", Decision::Denied),
        ("  allow: [other]\n", Decision::NotAllowed),
        ("  allow: [g]\n", Decision::Load),
        ("  allow: []\n", Decision::Load),
        ("  entries: {g: {enabled: false}}\n", Decision::EntryOff),
        ("  entries: {g: {enabled: true}}\n", Decision::Load),
        ("  disabled: [g]\n  deny: [g]\n", Decision::Disabled),
    ] {
        let world = World::new(&format!("{off}{more}"));
        world.file("home/plugins/dir/plugin.yaml", "name: g\n");
        let found = decision(&world.discover(), "g");
        assert_eq!(found, wanted, "{more:?}");
        assert_eq!(found.reason("g").is_none(), found.loads());
    }
    for (config, wanted) in [
        ("plugins:\n  enabled: false\n", [Decision::AllOff; 3]),
        (
            "plugins:\n  enabled: true\n",
            [Decision::Load, Decision::Exclusive, Decision::ModelProvider],
        ),
        (
            "plugins:\n  disabled: [backend, ex, mp]\n",
            [Decision::Disabled; 3],
        ),
        (
            "plugins:\n  entries: {mp: {enabled: true}}\n",
            [Decision::Load, Decision::Exclusive, Decision::ModelProvider],
        ),
        (
            off,
            [Decision::Load, Decision::Exclusive, Decision::ModelProvider],
        ),
    ] {
        let world = World::new(config);
        world
            .file("bundled/backend/plugin.yaml", "kind: backend\n")
            .file("bundled/ex/plugin.yaml", "kind: exclusive\n")
            .file("bundled/mp/plugin.yaml", "kind: model-provider\n");
        let discovery = world.discover();
        let found = ["backend", "ex", "mp"].map(|key| decision(&discovery, key));
        assert_eq!(found, wanted, "{config:?}");
    }
    // Without an entry in the list, `enabled: true` of the entry switches nothing on.
    let world = World::new("plugins:\n  entries: {g: {enabled: true}}\n");
    world.file("home/plugins/g/plugin.yaml", "");
    assert_eq!(decision(&world.discover(), "g"), Decision::NotEnabled);
}

#[test]
fn names_that_no_plugin_has() {
    let world = World::new("plugins:\n  enabled: [g, gaurd]\n");
    world
        .file("home/plugins/g/plugin.yaml", "")
        .file("home/plugins/g/__init__.py", "");
    assert_eq!(world.discover().unmatched, ["gaurd"]);
}

#[test]
fn a_library_without_a_manifest_is_pointed_out() {
    let world = World::new("");
    let library = format!("home/plugins/g/libg{}", std::env::consts::DLL_SUFFIX);
    world
        .file(&library, "")
        .file("home/plugins/empty/readme.md", "");
    let discovery = world.discover();
    assert!(discovery.found.is_empty());
    assert_eq!(codes(&discovery.problems), ["no_manifest"]);
}

#[test]
fn surroundings_come_from_two_variables() {
    let env = |name: &str| match name {
        "HERMES_BUNDLED_PLUGINS" => Some("/b".to_owned()),
        "HERMES_ENABLE_PROJECT_PLUGINS" => Some(" ON ".to_owned()),
        _ => None,
    };
    let around = Surroundings::read(&env, None);
    assert_eq!(around.bundled, Some(PathBuf::from("/b")));
    assert!(around.project_enabled);
    let around = Surroundings::read(&|_| Some("0".to_owned()), None);
    assert!(!around.project_enabled);
    let around = Surroundings::read(&|_| None, Some(PathBuf::from("/p")));
    assert_eq!((around.bundled, around.project_enabled), (None, false));
}

#[test]
fn an_enabled_plugin_without_code_is_an_error_of_that_plugin() {
    let world = World::new("plugins:\n  enabled: [bare, py]\n");
    world
        .file("home/plugins/bare/plugin.yaml", "")
        .file("home/plugins/py/plugin.yaml", "")
        .file("home/plugins/py/__init__.py", "");
    let discovery = world.discover();
    assert_eq!(codes(&discovery.problems), ["no_library"]);
    let problem = &discovery.problems[0];
    assert_eq!(problem.severity, Severity::Error);
    assert!(
        problem.message.starts_with("plugin `bare`: no library"),
        "{problem}"
    );
    assert_eq!(
        discovery.get("py").map(|f| f.content.clone()),
        Some(Content::Python)
    );
    assert_eq!(loading(&discovery), ["bare", "py"]);
}

#[cfg(unix)]
mod unix {
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn links_to_directories_are_followed() {
        let world = World::new("");
        world
            .file("elsewhere/plugin.yaml", "name: linked\n")
            .file("home/plugins/a/plugin.yaml", "");
        symlink(world.path("elsewhere"), world.path("home/plugins/b")).expect("link");
        symlink(world.path("nowhere"), world.path("home/plugins/c")).expect("link");
        symlink(world.path("home/plugins"), world.path("home/plugins/loop")).expect("link");
        let discovery = world.discover();
        assert_eq!(keys(&discovery), ["a", "linked", "loop/a", "loop/b"]);
        assert_eq!(codes(&discovery.problems), [] as [&str; 0]);
    }

    #[test]
    fn a_pipe_called_plugin_yaml_is_not_waited_for() {
        let world = World::new("");
        world.file("home/plugins/z/plugin.yaml", "");
        let pipe = world.path("home/plugins/a/plugin.yaml");
        fs::create_dir_all(pipe.parent().expect("parent")).expect("directory");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.expect("mkfifo").success());
        let discovery = world.discover();
        assert_eq!(keys(&discovery), ["z"]);
        assert_eq!(codes(&discovery.problems), ["manifest_unreadable"]);
    }

    // macOS refuses such names itself.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_directory_name_that_is_no_text_is_reported() {
        let world = World::new("");
        world.file("home/plugins/a/plugin.yaml", "");
        let name = std::ffi::OsStr::from_bytes(b"\xff");
        fs::create_dir_all(world.path("home/plugins").join(name)).expect("directory");
        let discovery = world.discover();
        assert_eq!(keys(&discovery), ["a"]);
        assert_eq!(codes(&discovery.problems), ["directory_unreadable"]);
    }

    #[test]
    fn a_root_that_is_a_file_is_reported() {
        let world = World::new("");
        world
            .file("home/plugins", "")
            .file("bundled/a/plugin.yaml", "");
        let discovery = world.discover();
        assert_eq!(keys(&discovery), ["a"]);
        assert_eq!(codes(&discovery.problems), ["directory_unreadable"]);
    }
}
