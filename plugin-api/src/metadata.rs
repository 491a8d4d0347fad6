//! What a built library says of itself, readable without opening it.
//!
//! The export macro builds the document while the plugin compiles, and puts it into a link section
//! of the plugin's own crate, where a loader finds it in the file.

use crate::{abi, catalogue::CATALOGUE_REVISION};

/// The form of the document; a reader refuses a form it does not know.
pub const FORMAT: u32 = 1;

/// Everything the document says.
#[derive(Clone, Copy, Debug)]
pub struct Metadata {
    /// The plugin's name.
    pub name: &'static str,
    /// The plugin's version.
    pub version: &'static str,
    /// One line about it; may be empty.
    pub description: &'static str,
    /// `guard`, `transform`, `observer`, or nothing.
    pub role: &'static str,
    /// `unwind` or `abort`.
    pub panic: &'static str,
    /// Hooks it says it registers; empty when it does not say.
    pub hooks: &'static [&'static str],
    /// Extension interfaces it cannot do without.
    pub extensions: &'static [&'static str],
    /// Hooks (`pre_tool_call`) and fields (`post_tool_call.status`) it cannot do without.
    pub requires: &'static [&'static str],
    /// The lowest ABI minor it can do with.
    pub abi_minor: u32,
}

impl Metadata {
    /// Bytes of the document.
    #[must_use]
    pub const fn len(&self) -> usize {
        let mut counter = Out::<0> { bytes: [], at: 0 };
        self.emit(&mut counter);
        counter.at
    }

    /// The document always has content.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        false
    }

    /// The document; `N` must be [`Metadata::len`].
    #[must_use]
    pub const fn document<const N: usize>(&self) -> [u8; N] {
        let mut out = Out {
            bytes: [b' '; N],
            at: 0,
        };
        self.emit(&mut out);
        out.bytes
    }

    const fn emit<const N: usize>(&self, out: &mut Out<N>) {
        out.raw("{\"format\":");
        out.number(FORMAT);
        out.raw(",\"name\":");
        out.text(self.name);
        out.raw(",\"version\":");
        out.text(self.version);
        out.raw(",\"description\":");
        out.text(self.description);
        out.raw(",\"abi\":\"");
        out.number(abi::ABI_MAJOR);
        out.raw(".");
        out.number(abi::ABI_MINOR);
        out.raw("\",\"catalogue\":");
        out.number(CATALOGUE_REVISION);
        out.raw(",\"sdk\":");
        out.text(env!("CARGO_PKG_VERSION"));
        out.raw(",\"target\":");
        out.text(env!("HERMES_TARGET"));
        out.raw(",\"language\":\"rust\",\"compiler\":");
        out.text(env!("HERMES_COMPILER"));
        out.raw(",\"panic\":");
        out.text(self.panic);
        if !self.role.is_empty() {
            out.raw(",\"role\":");
            out.text(self.role);
        }
        out.raw(",\"hooks\":");
        out.list(self.hooks);
        out.raw(",\"requires\":{\"abi_minor\":");
        out.number(self.abi_minor);
        out.raw(",\"extensions\":");
        out.list(self.extensions);
        out.raw(",\"hooks\":");
        out.list(self.requires);
        out.raw("}}");
    }
}

/// Counts when `N` is 0, writes otherwise.
struct Out<const N: usize> {
    bytes: [u8; N],
    at: usize,
}

impl<const N: usize> Out<N> {
    const fn byte(&mut self, byte: u8) {
        if self.at < N {
            self.bytes[self.at] = byte;
        }
        self.at += 1;
    }

    const fn raw(&mut self, text: &str) {
        let bytes = text.as_bytes();
        let mut i = 0;
        while i < bytes.len() {
            self.byte(bytes[i]);
            i += 1;
        }
    }

    const fn text(&mut self, text: &str) {
        self.byte(b'"');
        let bytes = text.as_bytes();
        let mut i = 0;
        while i < bytes.len() {
            match bytes[i] {
                b'"' | b'\\' => {
                    self.byte(b'\\');
                    self.byte(bytes[i]);
                }
                // Control characters have no business in a name or version.
                0..=0x1F => self.byte(b' '),
                byte => self.byte(byte),
            }
            i += 1;
        }
        self.byte(b'"');
    }

    const fn list(&mut self, items: &[&str]) {
        self.byte(b'[');
        let mut i = 0;
        while i < items.len() {
            if i > 0 {
                self.byte(b',');
            }
            self.text(items[i]);
            i += 1;
        }
        self.byte(b']');
    }

    const fn number(&mut self, number: u32) {
        let mut power = 1_000_000_000;
        let mut started = false;
        while power > 0 {
            let digit = (number / power % 10) as u8;
            started = started || digit != 0 || power == 1;
            if started {
                self.byte(b'0' + digit);
            }
            power /= 10;
        }
    }
}
