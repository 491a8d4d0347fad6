//! The JSON document in which a built library says what it is.

use serde_json::{Map, Value};

use super::error::InspectError;
use super::header::RootHeader;
use super::host::{AbiVersion, Format};

/// The form of document this host reads.
const FORMAT: u64 = 1;
/// The most of it that is read.
const SIZE_LIMIT: usize = 64 * 1024;
/// The longest plugin name, in bytes.
const NAME_LIMIT: usize = 128;
/// The longest of any other text in it, in bytes.
const TEXT_LIMIT: usize = 1024;

/// What a built library says of itself.
///
/// Every text in it is free of control characters, so that it can be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Metadata {
    /// The plugin's name: no path separator, and not empty.
    pub name: String,
    /// The plugin's own version.
    pub version: String,
    /// One line about it.
    pub description: Option<String>,
    /// The plugin ABI it was built for; the same as the header's.
    pub abi: AbiVersion,
    /// The catalogue revision it was built for; the same as the header's.
    pub catalogue: u32,
    /// The version of the plugin-api crate or header.
    pub sdk: Option<String>,
    /// The target triple.
    pub target: Option<String>,
    /// The language it is written in, in lower case (`rust`, `c`).
    pub language: String,
    /// The compiler, in its own words.
    pub compiler: Option<String>,
    /// What a panic in it does.
    pub panic: PanicStrategy,
    /// What it is for (`guard`, `transform`, `observer`); a later host may know more.
    pub role: Option<String>,
    /// The hook points it has handlers for.
    pub hooks: Vec<String>,
    /// What it cannot do without.
    pub requires: Requires,
}

/// What a panic in a plugin does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum PanicStrategy {
    /// It unwinds to the guard that is compiled into the plugin.
    Unwind,
    /// It ends the process. Such a plugin is refused.
    Abort,
    /// There is none: C, or `no_std` without a panic path.
    None,
}

/// What a plugin cannot do without. Only the ABI minor is judged here; the rest needs the
/// catalogue.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Requires {
    /// The lowest ABI minor it works with.
    pub abi_minor: u32,
    /// The extension interfaces it needs, as `name/revision`.
    pub extensions: Vec<String>,
    /// The hook points and fields it needs, as `hook` or `hook.field`.
    pub hooks: Vec<String>,
}

impl Metadata {
    /// Reads a document that is already in memory, such as that of a plugin linked into this program.
    ///
    /// # Errors
    ///
    /// When it is not a metadata document.
    pub fn parse(document: &[u8]) -> Result<Self, InspectError> {
        read(&[document], Format::Elf)
    }
}

/// Reads the document from the contents of every section that has the metadata's name.
pub(super) fn read(sections: &[&[u8]], format: Format) -> Result<Metadata, InspectError> {
    let section = format.metadata_section();
    let bytes = match sections {
        [] => return Err(InspectError::MetadataMissing { section }),
        [one] => trim(one),
        _ => return Err(InspectError::MetadataTwice),
    };
    if bytes.is_empty() {
        return Err(InspectError::MetadataMissing { section });
    }
    if bytes.len() > SIZE_LIMIT {
        return Err(InspectError::MetadataTooLarge {
            size: bytes.len(),
            limit: SIZE_LIMIT,
        });
    }
    let mut documents = serde_json::Deserializer::from_slice(bytes).into_iter::<Value>();
    let not_json = |reason: String| InspectError::MetadataNotJson { reason };
    let first = documents
        .next()
        .transpose()
        .map_err(|error| not_json(error.to_string()))?;
    let rest = trim(bytes.get(documents.byte_offset()..).unwrap_or_default());
    match (first, rest.first()) {
        (_, Some(b'{')) => Err(InspectError::MetadataTwice),
        (_, Some(_)) => Err(not_json("something follows the document".into())),
        (Some(Value::Object(members)), None) => Members(members).metadata(),
        _ => Err(not_json("expected an object".into())),
    }
}

/// Checks the facts that the header states too.
pub(super) fn agree(metadata: &Metadata, header: &RootHeader) -> Result<(), InspectError> {
    let differ = |field, header: String, metadata: String| {
        Err(InspectError::Disagreement {
            field,
            header,
            metadata,
        })
    };
    if metadata.abi != header.abi {
        return differ(
            "plugin ABI",
            header.abi.to_string(),
            metadata.abi.to_string(),
        );
    }
    if metadata.catalogue != header.catalogue {
        return differ(
            "catalogue",
            header.catalogue.to_string(),
            metadata.catalogue.to_string(),
        );
    }
    Ok(())
}

/// Takes away the padding a linker or an author may leave on both sides.
fn trim(content: &[u8]) -> &[u8] {
    let padding = |byte: &u8| *byte == 0 || byte.is_ascii_whitespace();
    let Some(start) = content.iter().position(|byte| !padding(byte)) else {
        return &[];
    };
    let end = content
        .iter()
        .rposition(|byte| !padding(byte))
        .unwrap_or(start);
    content.get(start..=end).unwrap_or_default()
}

/// The members of a JSON object, each read with its own reason to be refused.
struct Members(Map<String, Value>);

impl Members {
    fn metadata(&self) -> Result<Metadata, InspectError> {
        match self.0.get("format").and_then(Value::as_u64) {
            Some(FORMAT) => {}
            Some(found) => {
                return Err(InspectError::MetadataFormat {
                    found,
                    expected: FORMAT,
                });
            }
            None => return Err(refuse("format", "is missing or not a number")),
        }
        let abi = self.required("abi")?;
        let abi =
            AbiVersion::parse(&abi).ok_or_else(|| refuse("abi", "is not of the form `1.0`"))?;
        Ok(Metadata {
            name: self.name()?,
            version: self.required("version")?,
            description: self.text("description")?.filter(|text| !text.is_empty()),
            abi,
            catalogue: self
                .number("catalogue")?
                .ok_or_else(|| refuse("catalogue", "is missing"))?,
            sdk: self.text("sdk")?,
            target: self.text("target")?,
            language: self.required("language")?,
            compiler: self.text("compiler")?,
            panic: self.panic()?,
            role: self.text("role")?,
            hooks: self.list("hooks")?,
            requires: self.requires()?,
        })
    }

    fn name(&self) -> Result<String, InspectError> {
        let name = self.required("name")?;
        if name.is_empty() {
            return Err(refuse("name", "is empty"));
        }
        if name.len() > NAME_LIMIT {
            return Err(refuse(
                "name",
                &format!("is longer than {NAME_LIMIT} bytes"),
            ));
        }
        if name.contains(['/', '\\']) || name == "." || name == ".." {
            return Err(refuse("name", "must not be a path"));
        }
        Ok(name)
    }

    fn panic(&self) -> Result<PanicStrategy, InspectError> {
        match self.required("panic")?.as_str() {
            "unwind" => Ok(PanicStrategy::Unwind),
            "abort" => Ok(PanicStrategy::Abort),
            "none" => Ok(PanicStrategy::None),
            // What it does decides whether the host lives, so this set cannot grow unnoticed.
            _ => Err(refuse("panic", "is none of `unwind`, `abort`, `none`")),
        }
    }

    fn requires(&self) -> Result<Requires, InspectError> {
        let requires = match self.0.get("requires") {
            None | Some(Value::Null) => return Ok(Requires::default()),
            Some(Value::Object(members)) => Members(members.clone()),
            Some(_) => return Err(refuse("requires", "is not an object")),
        };
        Ok(Requires {
            abi_minor: requires.number("abi_minor")?.unwrap_or(0),
            extensions: requires.list("extensions")?,
            hooks: requires.list("hooks")?,
        })
    }

    fn required(&self, field: &'static str) -> Result<String, InspectError> {
        self.text(field)?.ok_or_else(|| refuse(field, "is missing"))
    }

    fn text(&self, field: &'static str) -> Result<Option<String>, InspectError> {
        match self.0.get(field) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => shown(field, value).map(Some),
        }
    }

    fn number(&self, field: &'static str) -> Result<Option<u32>, InspectError> {
        match self.0.get(field) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => {
                let number = value.as_u64().and_then(|number| u32::try_from(number).ok());
                number
                    .map(Some)
                    .ok_or_else(|| refuse(field, "is not a whole number of 32 bits"))
            }
        }
    }

    fn list(&self, field: &'static str) -> Result<Vec<String>, InspectError> {
        match self.0.get(field) {
            None | Some(Value::Null) => Ok(Vec::new()),
            Some(Value::Array(items)) => items.iter().map(|item| shown(field, item)).collect(),
            Some(_) => Err(refuse(field, "is not a list")),
        }
    }
}

/// A text that may be shown.
fn shown(field: &'static str, value: &Value) -> Result<String, InspectError> {
    let Value::String(text) = value else {
        return Err(refuse(field, "is not a text"));
    };
    if text.len() > TEXT_LIMIT {
        return Err(refuse(field, &format!("is longer than {TEXT_LIMIT} bytes")));
    }
    if text.chars().any(char::is_control) {
        return Err(refuse(field, "holds a control character"));
    }
    Ok(text.clone())
}

fn refuse(field: &'static str, reason: &str) -> InspectError {
    InspectError::MetadataField {
        field,
        reason: reason.to_owned(),
    }
}
