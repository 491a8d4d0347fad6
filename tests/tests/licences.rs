//! Everything that is built may be used under a permissive licence, with exceptions that are named.

use hermes_tests::fixture::{cargo, run};
use serde_json::Value;

const ALLOWED: &[&str] = &[
    "MIT",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-1-Clause",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "0BSD",
    "ISC",
    "Zlib",
    "Unicode-3.0",
    "Unlicense",
    "CC0-1.0",
];

/// Package, licence, and why it may stay.
const EXCEPTIONS: &[(&str, &str, &str)] = &[(
    "generational-arena",
    "MPL-2.0",
    "through abi_stable, only with the feature `extensions`; its files are used as they are, and the \
     licence asks nothing of the files around them",
)];

/// Whether a licence expression can be met with what is allowed.
fn allows(expression: &str) -> bool {
    let spaced = expression
        .replace('(', " ( ")
        .replace(')', " ) ")
        .replace('/', " OR ");
    let mut words = spaced.split_whitespace().peekable();
    let allowed = any(&mut words);
    words.peek().is_none() && allowed
}

type Words<'w> = std::iter::Peekable<std::str::SplitWhitespace<'w>>;

fn any(words: &mut Words<'_>) -> bool {
    let mut allowed = all(words);
    while words.next_if_eq(&"OR").is_some() {
        // Not `||`, which would leave the words unread.
        allowed |= all(words);
    }
    allowed
}

fn all(words: &mut Words<'_>) -> bool {
    let mut allowed = one(words);
    while words.next_if_eq(&"AND").is_some() {
        allowed &= one(words);
    }
    allowed
}

fn one(words: &mut Words<'_>) -> bool {
    let Some(word) = words.next() else {
        return false;
    };
    if word == "(" {
        let allowed = any(words);
        return words.next() == Some(")") && allowed;
    }
    let mut licence = word.to_owned();
    if words.next_if_eq(&"WITH").is_some() {
        licence = format!("{licence} WITH {}", words.next().unwrap_or_default());
    }
    ALLOWED.contains(&licence.as_str())
}

#[test]
fn expressions_are_understood() {
    for allowed in [
        "MIT",
        "MIT/GPL-3.0",
        "GPL-2.0 OR MIT",
        "(MIT OR GPL-2.0) AND Unicode-3.0",
        "Apache-2.0 WITH LLVM-exception",
    ] {
        assert!(allows(allowed), "{allowed}");
    }
    for refused in [
        "",
        "GPL-3.0",
        "MIT AND GPL-3.0",
        "(MIT",
        "MIT MIT",
        "Apache-2.0 WITH other-exception",
        "MPL-2.0",
    ] {
        assert!(!allows(refused), "{refused}");
    }
}

#[test]
fn every_dependency_is_permissive() {
    let text = run(cargo().args(["metadata", "--format-version=1", "--offline"]));
    let metadata: Value = serde_json::from_str(&text).expect("cargo writes JSON");
    let packages = metadata["packages"].as_array().expect("packages");
    assert!(
        packages.len() > 20,
        "{} packages are too few to be true",
        packages.len()
    );
    let mut used = Vec::new();
    let refused: Vec<String> = packages
        .iter()
        .filter_map(|package| {
            let name = package["name"].as_str()?;
            let licence = package["license"].as_str().unwrap_or_default();
            let exception = EXCEPTIONS
                .iter()
                .find(|(excepted, of, _)| *excepted == name && *of == licence);
            used.extend(exception.map(|_| name));
            (exception.is_none() && !allows(licence)).then(|| format!("{name}: {licence:?}"))
        })
        .collect();
    assert!(
        refused.is_empty(),
        "licences that are not allowed: {refused:#?}"
    );
    for (name, ..) in EXCEPTIONS {
        assert!(
            used.contains(name),
            "the exception for `{name}` is no longer needed"
        );
    }
}
