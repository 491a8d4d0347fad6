//! What an ELF library holds that concerns a plugin: symbols, metadata, imported libraries.

use object::elf;
use object::read::elf::{Dyn, FileHeader, SectionHeader, Sym};

use super::super::error::InspectError;
use super::super::found::{EntryFault, LooksLike};
use super::super::header::{HEADER_SIZE, entry_symbol};
use super::super::host::{Endianness, Format, HostFacts};
use super::super::image::{self, Entry, NEEDED_LIMIT, Symbols, name_at};
use super::{File, malformed};

impl<'a, E: FileHeader<Endian = Endianness>> File<'a, E> {
    fn section(&self, kind: elf::SectionType) -> Option<&'a E::SectionHeader> {
        self.sections
            .iter()
            .find(|section| section.sh_type(self.endian) == kind)
    }

    /// The symbols of a table with the names it links to.
    fn table(&self, kind: elf::SectionType) -> Result<(&'a [E::Sym], &'a [u8]), InspectError> {
        let Some(section) = self.section(kind) else {
            return Ok((&[], &[]));
        };
        let symbols = section
            .data_as_array(self.endian, self.bytes)
            .map_err(|error| malformed(error.to_string()))?;
        let link = usize::try_from(section.sh_link(self.endian))
            .ok()
            .and_then(|link| self.sections.get(link));
        let strings = link
            .and_then(|strings| strings.data(self.endian, self.bytes).ok())
            .unwrap_or_default();
        Ok((symbols, strings))
    }

    pub(super) fn symbols(&self, host: &HostFacts) -> Result<Symbols<'a>, InspectError> {
        let wanted = entry_symbol(host.abi.major);
        let mut seen = Symbols::new();
        let (symbols, strings) = self.table(elf::SHT_DYNSYM)?;
        for symbol in symbols {
            let name = name_at(strings, symbol.st_name(self.endian).into());
            if name == wanted.as_bytes() {
                if !seen.has_definition() {
                    seen.entry = Some(self.entry(symbol));
                }
            } else if name == b"_Unwind_RaiseException" {
                seen.unwinder = Ok(true);
            } else if symbol.st_shndx(self.endian) != elf::SHN_UNDEF {
                seen.see_export(name);
            }
        }
        if seen.entry.is_none() || seen.unwinder != Ok(true) {
            // An unwinder linked in statically, or an entry point that was not exported, is only
            // in the full symbol table, which may have been stripped.
            let (symbols, strings) = self.table(elf::SHT_SYMTAB)?;
            for symbol in symbols {
                let name = name_at(strings, symbol.st_name(self.endian).into());
                let defined = symbol.st_shndx(self.endian) != elf::SHN_UNDEF;
                if defined && name == b"_Unwind_RaiseException" {
                    seen.unwinder = Ok(true);
                } else if defined && name == wanted.as_bytes() {
                    seen.looks_like = Some(LooksLike::HiddenEntryPoint);
                }
            }
        }
        Ok(seen)
    }

    fn entry(&self, symbol: &E::Sym) -> Result<Entry<'a>, EntryFault> {
        if symbol.st_shndx(self.endian) == elf::SHN_UNDEF {
            return Err(EntryFault::Undefined);
        }
        // Assembly may leave the type out.
        if !matches!(symbol.st_type(), elf::STT_OBJECT | elf::STT_NOTYPE) {
            return Err(EntryFault::NotData);
        }
        let bytes = self.locate(symbol.st_value(self.endian).into(), 1)?;
        let size: u64 = symbol.st_size(self.endian).into();
        let size = (size != 0).then_some(size);
        if size.is_none_or(|size| size >= HEADER_SIZE as u64) && bytes.len() < HEADER_SIZE {
            return Err(EntryFault::OutsideFile);
        }
        Ok(Entry { bytes, size })
    }

    pub(super) fn metadata(&self) -> Vec<&'a [u8]> {
        let names = self
            .header
            .e_shstrndx(self.endian)
            .index()
            .and_then(|index| self.sections.get(usize::from(index)));
        let names = names
            .and_then(|names| names.data(self.endian, self.bytes).ok())
            .unwrap_or_default();
        let wanted = Format::Elf.metadata_section().as_bytes();
        let ours = |section: &&E::SectionHeader| {
            name_at(names, section.sh_name(self.endian).into()) == wanted
        };
        self.sections
            .iter()
            .filter(ours)
            .filter_map(|section| section.data(self.endian, self.bytes).ok())
            .collect()
    }

    pub(super) fn needed(&self, dynamic: &[E::Dyn]) -> Result<Vec<String>, InspectError> {
        let value = |tag| {
            dynamic
                .iter()
                .find(|entry| entry.tag(self.endian) == tag)
                .map(|entry| entry.val(self.endian))
        };
        let strings = value(elf::DT_STRTAB)
            .and_then(|address| self.locate(address, 1).ok())
            .unwrap_or_default();
        let mut needed = Vec::new();
        for entry in dynamic {
            match entry.tag(self.endian) {
                elf::DT_NULL => break,
                elf::DT_NEEDED if needed.len() >= NEEDED_LIMIT => {
                    return Err(malformed(format!(
                        "more than {NEEDED_LIMIT} imported libraries"
                    )));
                }
                elf::DT_NEEDED => {
                    needed.push(image::text(name_at(strings, entry.val(self.endian))))
                }
                _ => {}
            }
        }
        Ok(needed)
    }
}
