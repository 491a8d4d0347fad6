//! Reads dotenv text: `export`, quotes, comments, values over several lines.
//!
//! Pure, and it expands nothing: `$OTHER` stays as written, since what is masked is what the file
//! says. (`dotenvy` expands from the process environment, so it does not serve here.)

/// One assignment: a double-quoted value is kept both as written and with its escapes resolved.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) name: String,
    pub(crate) value: String,
    pub(crate) written: Option<String>,
}

/// All assignments of `text`, in order. Lines that are none are passed over.
pub(crate) fn parse(text: &str) -> Vec<Entry> {
    let mut rest = text.trim_start_matches('\u{feff}');
    let mut entries = Vec::new();
    while !rest.is_empty() {
        let (line, after) = split_line(rest);
        let Some((name, value)) = assignment(line) else {
            rest = after;
            continue;
        };
        // `value` ends the line, and a quoted one may go on past it: look in the whole rest.
        let tail = rest.get(line.len() - value.len()..);
        let (entry, next) = match tail.and_then(|tail| quoted(name, tail)) {
            Some(found) => found,
            None => (unquoted(name, value), after),
        };
        entries.push(entry);
        rest = next;
    }
    entries
}

fn split_line(text: &str) -> (&str, &str) {
    text.split_once('\n').unwrap_or((text, ""))
}

/// `NAME` and what follows the sign, with leading blanks removed from both.
fn assignment(line: &str) -> Option<(&str, &str)> {
    let line = line.trim_start();
    let line = match line.strip_prefix("export") {
        Some(rest) if rest.starts_with([' ', '\t']) => rest.trim_start(),
        _ => line,
    };
    let (name, value) = line.split_once(['=', ':'])?;
    let name = name.trim_end();
    let starts = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let goes_on = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
    (starts && name.chars().all(goes_on)).then(|| (name, value.trim_start_matches([' ', '\t'])))
}

/// A value in quotes that are closed, and the text after the line they close on.
fn quoted<'t>(name: &str, tail: &'t str) -> Option<(Entry, &'t str)> {
    let quote = tail
        .chars()
        .next()
        .filter(|c| matches!(c, '"' | '\'' | '`'))?;
    let inner = tail.get(1..)?;
    let end = closing(inner, quote)?;
    let written = inner.get(..end)?;
    let (_, after) = split_line(inner.get(end + 1..)?);
    let value = match quote {
        '"' => resolved(written),
        _ => written.to_owned(),
    };
    let written = (value != written).then(|| written.to_owned());
    let name = name.to_owned();
    Some((
        Entry {
            name,
            value,
            written,
        },
        after,
    ))
}

fn closing(inner: &str, quote: char) -> Option<usize> {
    let mut escaped = false;
    for (at, c) in inner.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quote == '"' => escaped = true,
            c if c == quote => return Some(at),
            _ => {}
        }
    }
    None
}

/// The escapes that dotenv readers agree on; any other backslash stays.
fn resolved(written: &str) -> String {
    let mut value = String::with_capacity(written.len());
    let mut chars = written.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            value.push(c);
            continue;
        }
        match chars.next() {
            Some('n') => value.push('\n'),
            Some('r') => value.push('\r'),
            Some('t') => value.push('\t'),
            Some(same @ ('"' | '\\' | '$' | '\'' | '`')) => value.push(same),
            Some(other) => value.extend(['\\', other]),
            None => value.push('\\'),
        }
    }
    value
}

/// A value without quotes ends at its line, or at a `#` after a blank.
fn unquoted(name: &str, value: &str) -> Entry {
    let comment = [" #", "\t#"]
        .iter()
        .filter_map(|mark| value.find(mark))
        .min();
    let value = comment.and_then(|at| value.get(..at)).unwrap_or(value);
    Entry {
        name: name.to_owned(),
        value: value.trim().to_owned(),
        written: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[(&str, &str)]) {
        let found = parse(text);
        let found: Vec<_> = found
            .iter()
            .map(|entry| (entry.name.as_str(), entry.value.as_str()))
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn plain_assignments() {
        check(
            "A=1\nB = two words \n\nC=",
            &[("A", "1"), ("B", "two words"), ("C", "")],
        );
        check("\u{feff}A=1\r\nB=2\r\n", &[("A", "1"), ("B", "2")]);
        check(
            "export A=1\nexport\tB=2\nexported=3",
            &[("A", "1"), ("B", "2"), ("exported", "3")],
        );
        check("a.b-c: yaml style", &[("a.b-c", "yaml style")]);
        check(
            "URL=postgres://u:p@h/db?x=1",
            &[("URL", "postgres://u:p@h/db?x=1")],
        );
    }

    #[test]
    fn comments() {
        check(
            "# A=1\nB=2 # note\nC=a#b\nD='x' # y",
            &[("B", "2"), ("C", "a#b"), ("D", "x")],
        );
    }

    #[test]
    fn quotes() {
        check(r#"A="x # y" B"#, &[("A", "x # y")]);
        check(r#"A="q\"q\nl\zz\$""#, &[("A", "q\"q\nl\\zz$")]);
        check(r"A='q\nl'", &[("A", r"q\nl")]);
        check("A=`a'b\"c`", &[("A", "a'b\"c")]);
        check("A=\"one\ntwo\"\nB=3", &[("A", "one\ntwo"), ("B", "3")]);
        let entry = parse(r#"A="x\ny""#).pop().expect("one entry");
        assert_eq!(entry.written.as_deref(), Some(r"x\ny"));
    }

    #[test]
    fn lines_that_are_no_assignment() {
        check("no sign here\n=1\n1A=2\nA B=3\n\u{e9}=1", &[]);
        check(
            "A=\"never closed\nB=2",
            &[("A", "\"never closed"), ("B", "2")],
        );
        check(
            "A='never closed\nB=2",
            &[("A", "'never closed"), ("B", "2")],
        );
    }
}
