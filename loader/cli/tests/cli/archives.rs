//! `plugins install` of archives: what is honest is installed, what is not leaves everything as it was.

use std::fs;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::fixture::{Home, hello, text, write};

fn tar(home: &Home, name: &str, fill: impl FnOnce(&mut tar::Builder<Vec<u8>>)) -> PathBuf {
    let mut builder = tar::Builder::new(Vec::new());
    fill(&mut builder);
    let bytes = builder.into_inner().expect("written");
    let path = home.beside(name);
    if name.ends_with(".tar") {
        fs::write(&path, bytes).expect("written");
    } else {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        std::io::Write::write_all(&mut encoder, &bytes).expect("written");
        fs::write(&path, encoder.finish().expect("written")).expect("written");
    }
    path
}

fn file(builder: &mut tar::Builder<Vec<u8>>, name: &str, content: &[u8]) {
    let mut header = tar::Header::new_gnu();
    header.set_size(content.len() as u64);
    header.set_mode(0o666);
    header.set_cksum();
    builder
        .append_data(&mut header, name, content)
        .expect("written");
}

fn library() -> (Vec<u8>, String) {
    let name = hello().file_name().expect("a name").to_string_lossy();
    (fs::read(hello()).expect("the library"), name.into_owned())
}

fn plugin(builder: &mut tar::Builder<Vec<u8>>, dir: &str, version: &str) {
    let (bytes, name) = library();
    let manifest = format!("name: hello-plugin\nversion: {version}\n");
    file(builder, &format!("{dir}plugin.yaml"), manifest.as_bytes());
    file(builder, &format!("{dir}{name}"), &bytes);
    file(builder, &format!("{dir}notes.txt.example"), b"notes\n");
}

#[track_caller]
fn install(home: &Home, archive: &Path, version: &str) {
    home.check(
        &[
            "plugins",
            "install",
            &text(archive),
            "--force",
            "--enable",
            "--quiet",
        ],
        0,
        &[&format!("Plugin hello-plugin {version}")],
        &[],
    );
    home.check(&["doctor"], 0, &["all healthy"], &[]);
    let left: Vec<_> = fs::read_dir(home.path("plugins"))
        .expect("readable")
        .collect();
    assert_eq!(left.len(), 1, "{left:?}");
}

#[test]
fn each_form_is_installed() {
    let home = Home::new();
    install(&home, &tar(&home, "a.tar", |to| plugin(to, "", "1")), "1");
    let path = tar(&home, "b.tar.gz", |to| plugin(to, "hello-2/", "2"));
    install(&home, &path, "2");
    let path = tar(&home, "c.tgz", |to| plugin(to, "./deep/hello/", "3"));
    install(&home, &path, "3");
    assert_eq!(home.read("plugins/hello-plugin/notes.txt"), "notes\n");

    let mut zip = ZipWriter::new(fs::File::create(home.beside("d.zip")).expect("made"));
    let (bytes, name) = library();
    for (name, content) in [
        ("p/plugin.yaml", &b"name: hello-plugin\nversion: 4\n"[..]),
        (&format!("p/{name}"), &bytes),
    ] {
        let options = SimpleFileOptions::default().unix_permissions(0o777);
        zip.start_file(name, options).expect("started");
        std::io::Write::write_all(&mut zip, content).expect("written");
    }
    zip.finish().expect("written");
    install(&home, &home.beside("d.zip"), "4");

    // A library alone, as a release page may have it.
    let path = tar(&home, "e.tar.gz", |to| {
        let (bytes, name) = library();
        file(to, "LICENSE", b"MIT\n");
        file(to, &name, &bytes);
    });
    install(&home, &path, "0.1.0");
}

#[test]
fn a_hostile_archive_changes_nothing() {
    let home = Home::with_hello();
    let before = home.read("plugins/hello-plugin/plugin.yaml");
    let bad = |name: &str, header: &dyn Fn(&mut tar::Header)| {
        tar(&home, name, |to| {
            plugin(to, "", "9");
            let mut evil = tar::Header::new_gnu();
            evil.set_size(0);
            evil.set_mode(0o644);
            header(&mut evil);
            evil.set_cksum();
            to.append(&evil, &[][..]).expect("written");
        })
    };
    let named = |header: &mut tar::Header, name: &str| {
        header.as_old_mut().name[..name.len()].copy_from_slice(name.as_bytes());
    };
    let cases = [
        (
            bad("up.tar.gz", &|header| named(header, "../../evil")),
            "lead out of the plugin's directory: it has `..` in it",
        ),
        (
            bad("root.tar.gz", &|header| named(header, "/tmp/evil")),
            "it is absolute",
        ),
        (
            bad("link.tar.gz", &|header| {
                named(header, "link");
                header.set_entry_type(tar::EntryType::Symlink);
                header.set_link_name("../../../.env").expect("a name");
            }),
            "is a link to `../../../.env`",
        ),
        (
            bad("device.tar.gz", &|header| {
                named(header, "null");
                header.set_entry_type(tar::EntryType::Char);
            }),
            "`null` is a device",
        ),
        (
            bad("pipe.tar.gz", &|header| {
                named(header, "pipe");
                header.set_entry_type(tar::EntryType::Fifo);
            }),
            "`pipe` is a pipe",
        ),
        (
            write(home.beside("no.zip"), "no archive"),
            "cannot be read as an archive",
        ),
        (
            tar(&home, "empty.tar.gz", |to| file(to, "README", b"")),
            "manifest_unreadable",
        ),
        (
            tar(&home, "broken.tar.gz", |to| {
                file(to, "plugin.yaml", b"name: hello-plugin\n");
                file(to, &library().1, b"no library\n");
            }),
            "a text file",
        ),
    ];
    for (archive, says) in cases {
        let ran = home.check(
            &["plugins", "install", &text(&archive), "--force"],
            1,
            &[],
            &[says, "nothing is installed", "hint:"],
        );
        assert!(
            !ran.err.contains(".installing-"),
            "a place that is gone is named: {}",
            ran.err
        );
        assert_eq!(home.read("plugins/hello-plugin/plugin.yaml"), before);
        let left: Vec<_> = fs::read_dir(home.path("plugins"))
            .expect("readable")
            .collect();
        assert_eq!(left.len(), 1, "{left:?}");
    }
    assert!(!home.beside("evil").exists());
    home.check(&["doctor"], 0, &["all healthy"], &[]);
}

#[test]
fn an_archive_is_no_library_to_check() {
    let home = Home::new();
    let path = tar(&home, "a.tar.gz", |to| plugin(to, "", "1"));
    home.check(
        &["plugins", "check", &text(&path)],
        1,
        &["this is an archive", "plugins install"],
        &[],
    );
    home.check(
        &["plugins", "install", "gone.tar.gz"],
        1,
        &[],
        &["there is no such file", "hint:"],
    );
}
