//! Everything that can be typed after `install`.

use super::*;

#[track_caller]
fn git(typed: &str, url: &str, branch: Option<&str>, directory: Option<&str>, name: &str) {
    match Identifier::parse(typed, |_| false) {
        Ok(Identifier::Git(found)) => {
            assert_eq!(
                (
                    found.url.as_str(),
                    found.branch.as_deref(),
                    found.directory.as_deref(),
                    found.name()
                ),
                (url, branch, directory, name),
                "{typed}"
            );
        }
        other => panic!("{typed}: {other:?}"),
    }
}

#[track_caller]
fn refused(typed: &str, why: &str) {
    match Identifier::parse(typed, |_| false) {
        Err(problem) => assert!(
            problem.to_string().contains(why) && problem.hint().is_some(),
            "{typed}: {problem}"
        ),
        other => panic!("{typed}: {other:?}"),
    }
}

#[test]
fn urls() {
    for url in [
        "https://example.org/a/x.git",
        "http://example.org/x",
        "ssh://git@example.org/x.git",
        "git@github.com:a/x.git",
        "file:///srv/x.git",
    ] {
        git(url, url, None, None, "x");
    }
    git(
        "https://example.org/a/x/",
        "https://example.org/a/x",
        None,
        None,
        "x",
    );
}

#[test]
fn directories_of_a_repository() {
    let url = "https://example.org/x.git";
    git(
        "https://example.org/x.git/plugins/y",
        url,
        None,
        Some("plugins/y"),
        "x",
    );
    git(
        "https://example.org/x.git#plugins/y/",
        url,
        None,
        Some("plugins/y"),
        "x",
    );
    git(
        "git@github.com:a/x.git/y",
        "git@github.com:a/x.git",
        None,
        Some("y"),
        "x",
    );
    git("file:///srv/x#y", "file:///srv/x", None, Some("y"), "x");
    let github = "https://github.com/a/x.git";
    git(
        "https://github.com/a/x/tree/main/plugins/y",
        github,
        Some("main"),
        Some("plugins/y"),
        "x",
    );
    git(
        "https://github.com/a/x/tree/v1.2",
        github,
        Some("v1.2"),
        None,
        "x",
    );
    git(
        "https://github.com/a/tree",
        "https://github.com/a/tree",
        None,
        None,
        "tree",
    );
}

#[test]
fn shorthands_mean_github() {
    let url = "https://github.com/owner/repo.git";
    git("owner/repo", url, None, None, "repo");
    git("owner/repo.git", url, None, None, "repo");
    git("owner/repo/plugins/y", url, None, Some("plugins/y"), "repo");
}

#[test]
fn paths() {
    for typed in [
        "./owner/repo",
        "../x",
        "/srv/x",
        "x",
        "~/x/y",
        "target/libx.so",
        "dist/x.tar.gz",
        "dist/x.zip",
    ] {
        if typed.ends_with(".so") && std::env::consts::DLL_SUFFIX != ".so" {
            continue;
        }
        assert_eq!(
            Identifier::parse(typed, |_| false).ok(),
            Some(Identifier::Path(PathBuf::from(typed))),
            "{typed}"
        );
    }
    let there = Identifier::parse("owner/repo", |_| true).ok();
    assert_eq!(
        there,
        Some(Identifier::Path(PathBuf::from("owner/repo"))),
        "a path that is there wins"
    );
}

#[test]
fn unsafe_ways_are_warned_about() {
    let warning = |typed: &str| match Identifier::parse(typed, |_| false) {
        Ok(Identifier::Git(repository)) => repository.warning,
        _ => None,
    };
    assert!(warning("http://example.org/x").is_some_and(|text| text.contains("https")));
    assert!(warning("file:///srv/x").is_some());
    assert_eq!(warning("https://example.org/x"), None);
    assert_eq!(warning("ssh://example.org/x"), None);
}

#[test]
fn what_is_refused() {
    refused("https://example.org/x.git#../y", "leads out");
    refused("https://example.org/x.git/a/../../y", "leads out");
    refused("owner/repo/../../x", "leads out");
    refused("owner/repo/.git/hooks", "leads out");
    refused("https://example.org/..", "no name");
    refused("https://-oProxyCommand=x/y", "no repository");
    refused("https://", "no name");
    refused(
        "https://github.com/a/x/tree/--upload-pack=x",
        "the branch is no name",
    );
    refused("https://example.org/a b", "white space");
    refused("https://example.org/x.tar.gz", "is an archive");
    refused("ftp://example.org/x", "cannot install over `ftp://`");
    refused("ext::sh -c x://y", "cannot install over");
}

#[test]
fn no_password_is_shown() {
    assert_eq!(
        shown("https://me:secret@example.org/a@b/x.git"),
        "https://example.org/a@b/x.git"
    );
    assert_eq!(shown("git@github.com:a/x.git"), "git@github.com:a/x.git");
}
