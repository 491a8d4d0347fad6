//! Writes small PE libraries.

use crate::fixture::{METADATA, root};

/// What a library is made of; the default is a good plugin.
#[derive(Clone)]
pub(crate) struct Library {
    pub(crate) machine: u16,
    /// Whether it is a library rather than a program.
    pub(crate) dll: bool,
    pub(crate) entry: &'static str,
    pub(crate) entry_at: EntryAt,
    pub(crate) metadata: String,
    /// Flags in the root.
    pub(crate) flags: u64,
}

/// Where the entry point lies.
#[derive(Clone, Copy)]
pub(crate) enum EntryAt {
    Data,
    ZeroFilled,
    Code,
    Nowhere,
    OtherLibrary,
}

impl Default for Library {
    fn default() -> Self {
        Self {
            machine: 0x8664,
            dll: true,
            entry: "hermes_plugin_v1",
            entry_at: EntryAt::Data,
            metadata: METADATA.to_owned(),
            flags: 1,
        }
    }
}

/// Name, address, content, size in memory where it is larger, flags.
type Section<'a> = (&'a [u8; 8], u32, &'a [u8], u32, u32);

const ALIGN: usize = 0x200;
const RDATA: u32 = 0x1000;

impl Library {
    pub(crate) fn build(&self) -> Vec<u8> {
        let mut root = root(64);
        root[48..56].copy_from_slice(&self.flags.to_le_bytes());
        // .rdata: root, export directory, its tables and names, import directory and name.
        let (exports, tables, names) = (64, 64 + 40, 64 + 40 + 12);
        let other = names + 64;
        let (imports, import_name) = (names + 128, names + 128 + 40);
        let address = match self.entry_at {
            EntryAt::Data => RDATA,
            EntryAt::ZeroFilled => 0x3000 + 0x800,
            EntryAt::Code => 0x4000,
            EntryAt::Nowhere => 0x9_0000,
            EntryAt::OtherLibrary => RDATA + other,
        };
        let mut rdata = root;
        rdata.extend(words(&[
            0,
            0,
            0,
            RDATA + names,
            1,
            1,
            1,
            RDATA + tables,
            RDATA + tables + 4,
            RDATA + tables + 8,
        ]));
        rdata.extend(words(&[address, RDATA + names, 0]));
        rdata.extend(self.entry.bytes());
        rdata.resize(other as usize, 0);
        rdata.extend(b"OTHER.thing\0");
        rdata.resize(imports as usize, 0);
        rdata.extend(words(&[0, 0, 0, RDATA + import_name, 0]));
        rdata.resize(import_name as usize, 0);
        rdata.extend(b"KERNEL32.dll\0");

        let contents: [Section<'_>; 4] = [
            (b".rdata\0\0", RDATA, &rdata, 0, 0x4000_0040),
            (
                b".hermes\0",
                0x2000,
                self.metadata.as_bytes(),
                0,
                0x4000_0040,
            ),
            (b".data\0\0\0", 0x3000, b"data", 0x1000, 0xc000_0040),
            (b".text\0\0\0", 0x4000, &[0xc3; 64], 0, 0x6000_0020),
        ];
        let mut bytes = b"MZ".to_vec();
        bytes.resize(60, 0);
        bytes.extend(64u32.to_le_bytes());
        bytes.extend(b"PE\0\0");
        bytes.extend(self.machine.to_le_bytes());
        bytes.extend((contents.len() as u16).to_le_bytes());
        bytes.extend(words(&[0, 0, 0]));
        bytes.extend(240u16.to_le_bytes());
        bytes.extend((if self.dll { 0x2022u16 } else { 0x0022 }).to_le_bytes());
        let optional = bytes.len();
        bytes.extend(0x20bu16.to_le_bytes());
        bytes.resize(optional + 108, 0);
        bytes.extend(16u32.to_le_bytes());
        bytes.extend(words(&[
            RDATA + exports,
            imports - exports,
            RDATA + imports,
            40,
        ]));
        bytes.resize(optional + 240, 0);

        let mut at = ALIGN * 2;
        let mut body = Vec::new();
        for (name, address, content, memory, flags) in contents {
            let raw = content.len().next_multiple_of(ALIGN);
            bytes.extend(name);
            let size = if memory == 0 {
                content.len() as u32
            } else {
                memory
            };
            bytes.extend(words(&[
                size, address, raw as u32, at as u32, 0, 0, 0, flags,
            ]));
            body.extend(content);
            body.resize(body.len().next_multiple_of(ALIGN), 0);
            at += raw;
        }
        assert!(bytes.len() <= ALIGN * 2);
        bytes.resize(ALIGN * 2, 0);
        bytes.extend(body);
        bytes
    }
}

fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}
