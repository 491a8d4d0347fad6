//! Adds variables to the home's `.env`, and leaves everything else in it as it was.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

/// Whether the text gives the variable a value. A line without one counts as missing.
pub(crate) fn has(text: &str, name: &str) -> bool {
    text.lines().any(|line| {
        let line = line.trim_start();
        let line = line.strip_prefix("export ").unwrap_or(line);
        line.split_once('=').is_some_and(|(key, value)| {
            key.trim() == name && !matches!(value.trim(), "" | "\"\"" | "''")
        })
    })
}

/// Whether a variable can have this name.
pub(crate) fn is_name(name: &str) -> bool {
    let mut chars = name.chars();
    chars
        .next()
        .is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// The text with lines for these variables behind it; the last line of a name counts.
fn with(text: &str, variables: &[(String, String)]) -> String {
    let mut text = text.to_owned();
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    for (name, value) in variables {
        text.push_str(&format!("{name}={}\n", quoted(value)));
    }
    text
}

/// As it is where every reader agrees what that means, else in quotes.
fn quoted(value: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./:@%+=,".contains(c);
    if !value.is_empty() && value.chars().all(plain) {
        return value.to_owned();
    }
    if !value.contains(['\'', '\\']) {
        return format!("'{value}'");
    }
    format!("\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\""))
}

/// Adds the variables to the file, which is for its owner only.
pub(crate) fn add(file: &Path, variables: &[(String, String)]) -> io::Result<()> {
    // A link stays one; what it leads to is replaced.
    let file = fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
    let before = match fs::read_to_string(&file) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(error),
    };
    let dir = file.parent().unwrap_or(Path::new("."));
    crate::log::make_private(dir)?;
    // Such a file is for its owner only from the first moment on.
    let mut staged = tempfile::Builder::new().prefix(".env-").tempfile_in(dir)?;
    staged.write_all(with(&before, variables).as_bytes())?;
    staged.as_file().sync_all()?;
    staged.persist(&file)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_counts_and_nothing_does_not() {
        let text = "A=1\n export B = 'x'\nC=\nD=\"\"\n# E=1\n";
        let found: Vec<bool> = ["A", "B", "C", "D", "E", "F"]
            .map(|name| has(text, name))
            .to_vec();
        assert_eq!(found, [true, true, false, false, false, false]);
    }

    #[test]
    fn values_are_read_back_as_they_were() {
        for (value, written) in [
            ("sk-1/x:y", "sk-1/x:y"),
            ("two words # no comment", "'two words # no comment'"),
            ("${HOME}", "'${HOME}'"),
            ("it's", "\"it's\""),
            ("a\\b\"c", "\"a\\\\b\\\"c\""),
            ("", "''"),
        ] {
            assert_eq!(quoted(value), written);
        }
    }

    #[test]
    fn everything_else_stays() {
        let dir = tempfile::tempdir().expect("a directory");
        let file = dir.path().join("home").join(".env");
        let pair = |name: &str, value: &str| vec![(name.to_owned(), value.to_owned())];
        add(&file, &pair("A", "1")).expect("written");
        assert_eq!(fs::read_to_string(&file).expect("text"), "A=1\n");
        fs::write(&file, "# mine\r\n\tB = 2 \n\nA=1").expect("written");
        add(&file, &pair("C", "x y")).expect("written");
        assert_eq!(
            fs::read_to_string(&file).expect("text"),
            "# mine\r\n\tB = 2 \n\nA=1\nC='x y'\n"
        );
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = fs::metadata(&file).expect("facts").permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
    }

    #[test]
    fn names() {
        assert!(is_name("HELLO_TOKEN2") && is_name("_x"));
        assert!(
            !is_name("2X") && !is_name("A B") && !is_name("A=B") && !is_name("") && !is_name("É")
        );
    }
}
