//! Tests in code that prove numbered cases: those whose names say so, `case_8_…` or `cases_17_to_21_…`.
//!
//! What takes an agent's own doing, threads or a clock, is shorter as code than as data. Such a test stands
//! beside the others; here it is found by its name, and run.

use std::{
    collections::{BTreeMap, BTreeSet},
    env, fs,
    path::Path,
    process::Command,
};

use crate::fixture;

/// A test: its file, without the ending, and its name.
type Test = (String, String);

/// The tests by the numbers they prove, and how each of them went.
#[derive(Debug, Default)]
pub struct Proofs {
    by_number: BTreeMap<String, BTreeSet<Test>>,
    failed: BTreeSet<Test>,
}

impl Proofs {
    /// Finds the tests, and runs them.
    ///
    /// # Panics
    /// When cargo cannot be run.
    #[must_use]
    pub fn run() -> Self {
        let mut proofs = Self::default();
        let mut files: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (file, name) in tests() {
            for number in numbers(&name) {
                let test = (file.clone(), name.clone());
                proofs.by_number.entry(number).or_default().insert(test);
                files.entry(file.clone()).or_default().insert(name.clone());
            }
        }
        for (file, names) in files {
            let passed = passed(&file, &names);
            for name in names {
                if !passed.contains(&name) {
                    proofs.failed.insert((file.clone(), name));
                }
            }
        }
        proofs
    }

    /// The files whose tests prove a case; none when there are none.
    ///
    /// # Errors
    /// The tests that did not pass.
    pub fn of(&self, number: &str) -> Result<Vec<String>, String> {
        let Some(tests) = self.by_number.get(number) else {
            return Ok(Vec::new());
        };
        let failed: Vec<_> = tests.intersection(&self.failed).collect();
        if !failed.is_empty() {
            return Err(format!("tests that did not pass: {failed:?}"));
        }
        let files: BTreeSet<&String> = tests.iter().map(|(file, _)| file).collect();
        Ok(files.into_iter().cloned().collect())
    }
}

/// Every test function of `tests/tests/*.rs`.
fn tests() -> Vec<Test> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let entries = fs::read_dir(folder).expect("the folder of the tests is there");
    let mut tests = Vec::new();
    for path in entries.filter_map(Result::ok).map(|entry| entry.path()) {
        if path.extension().is_none_or(|ending| ending != "rs") {
            continue;
        }
        let file = path
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let text = fs::read_to_string(&path).expect("a test can be read");
        let lines: Vec<&str> = text.lines().collect();
        for pair in lines.windows(2) {
            if let [mark, function] = pair
                && mark.trim() == "#[test]"
                && let Some(rest) = function.trim().strip_prefix("fn ")
                && let Some((name, _)) = rest.split_once('(')
            {
                tests.push((file.clone(), name.to_owned()));
            }
        }
    }
    tests.sort();
    tests
}

/// The numbers that a test's name says it proves.
fn numbers(name: &str) -> Vec<String> {
    let mut words = name.split('_');
    let number = |word: Option<&str>| word?.parse::<u32>().ok();
    match words.next() {
        Some("case") => words
            .next()
            .filter(|word| word.starts_with(|c: char| c.is_ascii_digit()))
            .map(str::to_owned)
            .into_iter()
            .collect(),
        Some("cases") => match (number(words.next()), words.next(), number(words.next())) {
            (Some(first), Some("to"), Some(last)) => {
                (first..=last).map(|number| number.to_string()).collect()
            }
            (Some(first), Some("and"), Some(last)) => vec![first.to_string(), last.to_string()],
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

/// The tests that pass, of those of one file.
fn passed(file: &str, names: &BTreeSet<String>) -> BTreeSet<String> {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args([
            "test",
            // As the whole is tested, so that nothing is built anew.
            "--workspace",
            "--test",
            file,
            "--",
            "--exact",
        ])
        .args(names)
        .env(fixture::PLACE, fixture::place())
        .env_remove("UPDATE_GENERATED");
    let output = cargo.output().expect("cargo runs");
    let said = String::from_utf8_lossy(&output.stdout);
    let ok = said.lines().filter_map(|line| {
        let rest = line.strip_prefix("test ")?;
        rest.strip_suffix(" ... ok").map(str::to_owned)
    });
    ok.collect()
}

#[cfg(test)]
mod tests {
    use super::numbers;

    #[track_caller]
    fn check(name: &str, expected: &[&str]) {
        assert_eq!(numbers(name), expected, "{name}");
    }

    #[test]
    fn a_name_says_what_it_proves() {
        check("case_8_a_batch", &["8"]);
        check("case_62a_an_end", &["62a"]);
        check("cases_17_to_19_texts", &["17", "18", "19"]);
        check("cases_3_and_5_x", &["3", "5"]);
        check("case_of_doubt", &[]);
        check("a_case_8", &[]);
        check("cases_few", &[]);
    }
}
