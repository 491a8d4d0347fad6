//! Writes small Mach-O libraries.

use hermes_loader::inspect::{Architecture, HostFacts, Os};

use crate::fixture::{METADATA, other_host, root};

/// What a library is made of; the default is a good plugin.
#[derive(Clone)]
pub(crate) struct Library {
    pub(crate) arch: Architecture,
    /// 6 is a dylib, 8 a bundle, 2 a program, 1 an object file.
    pub(crate) filetype: u32,
    pub(crate) entry: &'static str,
    /// 1 is the data, 2 the metadata, 3 zero-filled memory, 4 code, 0 undefined.
    pub(crate) entry_section: u8,
    /// Whether the entry point is exported.
    pub(crate) exported: bool,
    /// An undefined symbol.
    pub(crate) imports: &'static str,
    pub(crate) metadata: String,
    /// Flags in the root.
    pub(crate) flags: u64,
}

impl Default for Library {
    fn default() -> Self {
        Self {
            arch: Architecture::Aarch64,
            filetype: 6,
            entry: "_hermes_plugin_v1",
            entry_section: 1,
            exported: true,
            imports: "_malloc",
            metadata: METADATA.to_owned(),
            flags: 1,
        }
    }
}

pub(crate) fn host(arch: Architecture) -> HostFacts {
    other_host(Os::MacOs, arch, "some-apple-darwin")
}

const BASE: u64 = 0x4000;
const DATA: usize = 0x400;

impl Library {
    pub(crate) fn build(&self) -> Vec<u8> {
        let mut root = root(64);
        root[48..56].copy_from_slice(&self.flags.to_le_bytes());
        let metadata_at = DATA + root.len();
        let data_end = metadata_at + self.metadata.len();
        let symbols_at = data_end.next_multiple_of(16);
        let mut strings = b"\0".to_vec();
        let mut symbols = Vec::new();
        let address = match self.entry_section {
            3 => BASE + (data_end - DATA) as u64 + 0x1000,
            _ => BASE,
        };
        let defined = if self.entry_section == 0 { 0 } else { 0x0e };
        let kind = defined | u8::from(self.exported);
        for (name, kind, section, value) in [
            (self.imports, 0x01, 0, 0),
            (self.entry, kind, self.entry_section, address),
        ] {
            symbols.extend((strings.len() as u32).to_le_bytes());
            symbols.extend([kind, section, 0, 0]);
            symbols.extend(u64::to_le_bytes(value));
            strings.extend(name.bytes().chain([0]));
        }
        let strings_at = symbols_at + symbols.len();

        let mut commands = Vec::new();
        let file = (DATA as u64, (data_end - DATA) as u64);
        let sections = [
            section("__const", "__DATA", BASE, (DATA, root.len()), 0),
            section(
                "__hermes_plugin",
                "__DATA",
                BASE + root.len() as u64,
                (metadata_at, self.metadata.len()),
                0,
            ),
            section("__bss", "__DATA", BASE + file.1 + 0x1000, (0, 64), 1),
            section("__text", "__DATA", BASE, (DATA, root.len()), 0x8000_0000),
        ];
        commands.extend(segment("__DATA", BASE, 0x8000, file, &sections));
        let link = (
            symbols_at as u64,
            (strings_at + strings.len() - symbols_at) as u64,
        );
        commands.extend(segment("__LINKEDIT", 0x10_0000, 0x4000, link, &[]));
        let name = b"/usr/lib/libSystem.B.dylib\0\0\0\0\0\0";
        commands.extend(words(&[0xc, 24 + name.len() as u32, 24, 0, 0, 0]));
        commands.extend(name);
        commands.extend(words(&[
            2,
            24,
            symbols_at as u32,
            2,
            strings_at as u32,
            strings.len() as u32,
        ]));

        let (cpu, subtype) = cpu(self.arch);
        let mut bytes = words(&[
            0xfeed_facf,
            cpu,
            subtype,
            self.filetype,
            4,
            commands.len() as u32,
            0,
            0,
        ]);
        bytes.extend(commands);
        assert!(bytes.len() <= DATA);
        bytes.resize(DATA, 0);
        bytes.extend(root);
        bytes.extend(self.metadata.bytes());
        bytes.resize(symbols_at, 0);
        bytes.extend(symbols);
        bytes.extend(strings);
        bytes
    }
}

fn cpu(arch: Architecture) -> (u32, u32) {
    if arch == Architecture::Aarch64 {
        (0x0100_000c, 0)
    } else {
        (0x0100_0007, 3)
    }
}

/// A universal file of several libraries.
pub(crate) fn fat(slices: &[Library], wide: bool) -> Vec<u8> {
    let big = |word: u32| word.to_be_bytes();
    let mut table = [
        big(if wide { 0xcafe_babf } else { 0xcafe_babe }),
        big(slices.len() as u32),
    ]
    .concat();
    let mut body = Vec::new();
    for library in slices {
        let bytes = library.build();
        let (cpu, subtype) = cpu(library.arch);
        let (offset, size) = (0x1000 + body.len() as u64, bytes.len() as u64);
        table.extend([big(cpu), big(subtype)].concat());
        if wide {
            table.extend([offset.to_be_bytes(), size.to_be_bytes()].concat());
            table.extend([big(12), big(0)].concat());
        } else {
            table.extend([big(offset as u32), big(size as u32), big(12)].concat());
        }
        body.extend(bytes);
        body.resize(body.len().next_multiple_of(0x1000), 0);
    }
    table.resize(0x1000, 0);
    table.extend(body);
    table
}

fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn name16(name: &str) -> Vec<u8> {
    let mut name = name.as_bytes().to_vec();
    name.resize(16, 0);
    name
}

fn section(
    name: &str,
    segment: &str,
    address: u64,
    (at, size): (usize, usize),
    flags: u32,
) -> Vec<u8> {
    let mut bytes = [name16(name), name16(segment)].concat();
    bytes.extend(address.to_le_bytes());
    bytes.extend((size as u64).to_le_bytes());
    bytes.extend(words(&[at as u32, 3, 0, 0, flags, 0, 0, 0]));
    bytes
}

fn segment(
    name: &str,
    address: u64,
    memory: u64,
    (at, size): (u64, u64),
    sections: &[Vec<u8>],
) -> Vec<u8> {
    let mut bytes = words(&[0x19, (72 + 80 * sections.len()) as u32]);
    bytes.extend(name16(name));
    for field in [address, memory, at, size] {
        bytes.extend(field.to_le_bytes());
    }
    bytes.extend(words(&[3, 3, sections.len() as u32, 0]));
    bytes.extend(sections.concat());
    bytes
}
