//! Reads the boundary's own source text: what it declares, and how it is documented.
//!
//! The compiler knows where a member lies, but not that a list of members is complete, nor what the
//! parameters of a function are called. The text knows.

use std::path::Path;

/// Everything that `src/abi` declares for the boundary.
#[derive(Debug, Default)]
pub(crate) struct Source {
    pub(crate) structs: Vec<Declared>,
    pub(crate) numbers: Vec<Number>,
}

/// A `repr(C)` struct.
#[derive(Debug)]
pub(crate) struct Declared {
    pub(crate) name: String,
    pub(crate) docs: Vec<String>,
    pub(crate) members: Vec<Field>,
}

/// A member of a struct.
#[derive(Debug)]
pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) docs: Vec<String>,
    /// Its type on one line.
    pub(crate) ty: String,
}

/// A set that may grow: a newtype over an unsigned number.
#[derive(Debug)]
pub(crate) struct Number {
    pub(crate) name: String,
    pub(crate) docs: Vec<String>,
    /// `u16`, `u32` or `u64`.
    pub(crate) of: String,
    pub(crate) constants: Vec<Constant>,
}

/// One named value of a set.
#[derive(Debug)]
pub(crate) struct Constant {
    pub(crate) name: String,
    pub(crate) docs: Vec<String>,
    pub(crate) value: u64,
}

/// Reads every file of `src/abi`.
pub(crate) fn read() -> Source {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/abi");
    let entries = std::fs::read_dir(&dir).expect("src/abi is a directory of this package");
    let mut files: Vec<_> = entries
        .map(|entry| entry.expect("src/abi can be read").path())
        .collect();
    files.sort();
    let mut source = Source::default();
    for file in files
        .iter()
        .filter(|file| file.extension().is_some_and(|ext| ext == "rs"))
    {
        source.add(&std::fs::read_to_string(file).expect("a source file can be read"));
    }
    source
}

impl Source {
    fn add(&mut self, text: &str) {
        let (mut docs, mut attributes) = (Vec::new(), String::new());
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            if let Some(doc) = line.strip_prefix("///") {
                docs.push(doc.trim().to_owned());
                continue;
            }
            if line.starts_with("#[") {
                attributes.push_str(line);
                continue;
            }
            let declared = line
                .strip_prefix("pub struct ")
                .filter(|_| attributes.contains("StableAbi"));
            if let Some(name) = declared.and_then(|line| line.strip_suffix(" {")) {
                let members = fields(&body(&mut lines));
                let docs = std::mem::take(&mut docs);
                self.structs.push(Declared {
                    name: name.to_owned(),
                    docs,
                    members,
                });
            } else if let Some((name, of)) = declared.and_then(|line| line.split_once("(pub ")) {
                let of = of
                    .strip_suffix(");")
                    .expect("a set is a newtype over a number")
                    .to_owned();
                let docs = std::mem::take(&mut docs);
                self.numbers.push(Number {
                    name: name.to_owned(),
                    docs,
                    of,
                    constants: Vec::new(),
                });
            } else if let Some(name) = line
                .strip_prefix("impl ")
                .and_then(|line| line.strip_suffix(" {"))
            {
                let body = body(&mut lines);
                if let Some(number) = self.numbers.iter_mut().find(|number| number.name == name) {
                    number.constants.extend(constants(name, &body));
                }
            }
            docs.clear();
            attributes.clear();
        }
    }

    pub(crate) fn structure(&self, name: &str) -> Option<&Declared> {
        self.structs.iter().find(|declared| declared.name == name)
    }

    pub(crate) fn number(&self, name: &str) -> Option<&Number> {
        self.numbers.iter().find(|number| number.name == name)
    }
}

/// The lines up to the brace that closes an item.
fn body<'a>(lines: &mut impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    lines.take_while(|line| *line != "}").collect()
}

fn fields(body: &[&str]) -> Vec<Field> {
    let (mut fields, mut docs, mut text) = (Vec::new(), Vec::new(), String::new());
    for line in body.iter().map(|line| line.trim()) {
        if let Some(doc) = line.strip_prefix("///") {
            docs.push(doc.trim().to_owned());
            continue;
        }
        text.push_str(line);
        text.push(' ');
        if split(&text, ',').len() < 2 {
            continue;
        }
        let member = text.trim().trim_end_matches(',').to_owned();
        let (name, ty) = member
            .split_once(": ")
            .expect("a member is `pub name: Type`");
        let name = name
            .strip_prefix("pub ")
            .expect("every member of a boundary struct is public");
        let ty = ty.split_whitespace().collect::<Vec<_>>().join(" ");
        fields.push(Field {
            name: name.to_owned(),
            docs: std::mem::take(&mut docs),
            ty,
        });
        text.clear();
    }
    fields
}

fn constants(of: &str, body: &[&str]) -> Vec<Constant> {
    let (mut constants, mut docs) = (Vec::new(), Vec::new());
    for line in body.iter().map(|line| line.trim()) {
        if let Some(doc) = line.strip_prefix("///") {
            docs.push(doc.trim().to_owned());
            continue;
        }
        if let Some(declaration) = line
            .strip_prefix("pub const ")
            .filter(|line| !line.starts_with("fn "))
        {
            let (name, rest) = declaration.split_once(": ").expect("a constant has a type");
            let (_, value) = rest
                .split_once(" = ")
                .expect("a constant of the boundary stands on one line");
            let value = value
                .trim_end_matches(';')
                .trim_start_matches("Self(")
                .trim_end_matches(')');
            let value =
                number(value).unwrap_or_else(|| panic!("{of}::{name}: `{value}` is no number"));
            constants.push(Constant {
                name: name.to_owned(),
                docs: std::mem::take(&mut docs),
                value,
            });
        }
        docs.clear();
    }
    constants
}

fn number(text: &str) -> Option<u64> {
    let text = text.replace('_', "");
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None if text == "u32::MAX" => Some(u32::MAX.into()),
        None => text.parse().ok(),
    }
}

/// Splits at a separator that stands in no brackets of any sort.
pub(crate) fn split(text: &str, separator: char) -> Vec<String> {
    let (mut parts, mut depth) = (vec![String::new()], 0_i32);
    let mut last = ' ';
    for c in text.chars() {
        match c {
            '(' | '<' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            '>' if last != '-' => depth -= 1,
            _ => {}
        }
        last = c;
        if c == separator && depth == 0 {
            parts.push(String::new());
        } else {
            parts.last_mut().expect("there is always a part").push(c);
        }
    }
    parts
}
