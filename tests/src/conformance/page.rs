//! The table of the cases, as `docs/conformance.md` shows it.

/// One line of the table.
#[derive(Clone, Debug)]
pub struct Row {
    /// The group it belongs to.
    pub group: String,
    /// The case's number or name, and what it is.
    pub case: String,
    /// Where the rule stands.
    pub source: String,
    /// What has to come of it.
    pub expected: String,
    /// What came of it.
    pub result: String,
}

const HEAD: &str = "\
# Conformance

Which case of the behavioural specification, and which case made from a public report, this build passes. The
numbered cases are `tests/conformance/*.json`, the named ones `tests/cases/`; all run through really compiled
plugins. Written by the test run: `UPDATE_GENERATED=1 cargo test -p hermes-tests --test conformance`.

Sources: § is the section of the specification; S the documentation that Hermes' plugins were written after,
13 and 19 what Hermes 0.13.0 and 0.19.0 do, R a decision of this project where those differ or are silent.

A file named behind a result holds a test of the case in code, which was run for this table. `passed in part` says
what of the case was not run, `not run` why nothing of it was. A numbered case that fails stops the tests and is not
written here; a named case that is known to fail says what it waits for.
";

/// The whole page.
#[must_use]
pub fn page(rows: &[Row]) -> String {
    let mut page = HEAD.to_owned();
    let count = |word: &str| {
        rows.iter()
            .filter(|row| row.result.starts_with(word))
            .count()
    };
    let part = count("passed in part");
    page.push_str(&format!(
        "\n{} cases: {} passed, {part} passed in part, {} not run, {} waiting.\n",
        rows.len(),
        count("passed") - part,
        count("not run"),
        count("waits"),
    ));
    let mut group = "";
    for row in rows {
        if row.group != group {
            group = &row.group;
            page.push_str(&format!(
                "\n## {group}\n\n| case | source | expected | result |\n| --- | --- | --- | --- |\n"
            ));
        }
        let cells = [&row.case, &row.source, &row.expected, &row.result];
        let cells: Vec<String> = cells.iter().map(|cell| escaped(cell)).collect();
        page.push_str(&format!("| {} |\n", cells.join(" | ")));
    }
    page
}

fn escaped(cell: &str) -> String {
    cell.replace('|', "\\|").replace('\n', " ")
}
