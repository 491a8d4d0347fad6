//! `demo`, as far as it needs no release build of the shipped plugins.

use crate::fixture::Home;

#[test]
fn outside_the_checkout_it_says_where_to_go() {
    Home::new().check(
        &["demo"],
        1,
        &[],
        &[
            "is not in a checkout",
            "hint: git clone the repository, cd into it, and run `cargo demo`",
        ],
    );
}

#[test]
fn without_cargo_it_says_what_to_install() {
    let home = Home::new();
    let output = home
        .command(&["demo"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env("CARGO", "/nowhere/cargo")
        .output()
        .expect("it runs");
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{err}");
    assert!(
        err.contains("/nowhere/cargo cannot be started") && err.contains("rustup.rs"),
        "{err}"
    );
    assert!(
        !home.path("").exists(),
        "the demo keeps out of the user's home"
    );
}
