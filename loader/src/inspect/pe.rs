//! Reads a PE library.

use object::LittleEndian as LE;
use object::pe::{self, ImageDosHeader, ImageNtHeaders32, ImageNtHeaders64, ImageSectionHeader};
use object::read::coff::SectionTable;
use object::read::pe::{
    DataDirectories, ExportTable, ImageNtHeaders, ImportTable, optional_header_magic,
};

use super::arch;
use super::check::Check;
use super::error::InspectError;
use super::found::EntryFault;
use super::header::{HEADER_SIZE, entry_symbol};
use super::host::{Architecture, Endianness, Format, HostFacts};
use super::image::{self, Entry, Image, NEEDED_LIMIT, Symbols, check_arch, name_at, part, slice};

/// Linkers make a dozen sections; addresses are looked up in all of them.
const MOST_SECTIONS: usize = 1024;

pub(super) fn open<'a>(
    bytes: &'a [u8],
    host: &HostFacts,
    checks: &mut Vec<Check>,
) -> Result<Image<'a>, InspectError> {
    part(bytes, 0, size_of::<ImageDosHeader>() as u64, || {
        "the DOS header".into()
    })?;
    let dos = ImageDosHeader::parse(bytes).map_err(malformed)?;
    let start = u64::from(dos.nt_headers_offset());
    part(bytes, start, size_of::<ImageNtHeaders32>() as u64, || {
        "the PE header".into()
    })?;
    if optional_header_magic(bytes).map_err(malformed)? == pe::IMAGE_NT_OPTIONAL_HDR64_MAGIC {
        File::parse::<ImageNtHeaders64>(bytes, start)?.open(host, checks)
    } else {
        File::parse::<ImageNtHeaders32>(bytes, start)?.open(host, checks)
    }
}

fn malformed(what: impl ToString) -> InspectError {
    InspectError::Malformed {
        format: Format::Pe,
        what: what.to_string(),
    }
}

/// The parts of one file, all of them inside it.
struct File<'a> {
    bytes: &'a [u8],
    machine: pe::Machine,
    flags: pe::FileFlags,
    bits: u32,
    directories: DataDirectories<'a>,
    sections: SectionTable<'a>,
}

impl<'a> File<'a> {
    fn parse<P: ImageNtHeaders>(bytes: &'a [u8], start: u64) -> Result<Self, InspectError> {
        part(bytes, start, size_of::<P>() as u64, || {
            "the PE header".into()
        })?;
        let optional = slice(bytes, start + 20, 2).and_then(|field| field.first_chunk::<2>());
        let optional = optional.map_or(0, |size| u16::from_le_bytes(*size));
        part(bytes, start + 24, optional.into(), || {
            "the PE header".into()
        })?;
        let mut offset = start;
        let (headers, directories) = P::parse(bytes, &mut offset).map_err(malformed)?;
        let file = headers.file_header();
        let count = u64::from(file.number_of_sections.get(LE));
        part(
            bytes,
            offset,
            count * size_of::<ImageSectionHeader>() as u64,
            || "the section table".into(),
        )?;
        let sections = headers.sections(bytes, offset).map_err(malformed)?;
        if sections.len() > MOST_SECTIONS {
            return Err(malformed(format!("more than {MOST_SECTIONS} sections")));
        }
        for section in sections.iter() {
            let (offset, size) = (
                section.pointer_to_raw_data.get(LE),
                section.size_of_raw_data.get(LE),
            );
            part(bytes, offset.into(), size.into(), || {
                format!("section `{}`", image::text(section.raw_name()))
            })?;
        }
        Ok(Self {
            bytes,
            machine: file.machine.get(LE),
            flags: file.characteristics.get(LE),
            bits: if headers.is_type_64() { 64 } else { 32 },
            directories,
            sections,
        })
    }

    fn open(&self, host: &HostFacts, checks: &mut Vec<Check>) -> Result<Image<'a>, InspectError> {
        if !self.flags.contains(pe::IMAGE_FILE_DLL) {
            return Err(InspectError::Executable(Format::Pe));
        }
        checks.push(Check::passed("complete"));

        image::check_format(Format::Pe, host)?;
        checks.push(Check::passed("format"));

        let arch = self.check_arch(host)?;
        checks.push(Check::passed("architecture"));
        checks.push(Check::not_checked_here(
            "no executable stack",
            "a PE library cannot ask for one",
        ));

        Ok(Image {
            format: Format::Pe,
            arch,
            symbols: self.symbols(host)?,
            metadata: self.metadata(),
            needed: self.needed()?,
            glibc_floor: None,
        })
    }

    fn check_arch(&self, host: &HostFacts) -> Result<Architecture, InspectError> {
        let unknown = || match self.machine {
            pe::IMAGE_FILE_MACHINE_ARM64EC => "arm64ec".to_owned(),
            pe::IMAGE_FILE_MACHINE_ARM64X => "arm64x".to_owned(),
            machine => format!("another processor (PE machine {:#x})", machine.0),
        };
        check_arch(
            arch::of_pe(self.machine),
            unknown,
            Endianness::Little,
            self.bits,
            host,
        )
    }

    fn symbols(&self, host: &HostFacts) -> Result<Symbols<'a>, InspectError> {
        let wanted = entry_symbol(host.abi.major);
        let mut seen = Symbols::new();
        seen.unwinder = Err("Windows unwinds by tables, not by an import");
        let Some(directory) = self.directories.get(pe::IMAGE_DIRECTORY_ENTRY_EXPORT) else {
            return Ok(seen);
        };
        let start = directory.virtual_address.get(LE);
        let data = directory
            .data(self.bytes, &self.sections)
            .map_err(malformed)?;
        let exports = ExportTable::parse(data, start).map_err(malformed)?;
        // An ordinal has 16 bits, so there is no use for more names.
        for (pointer, index) in exports.name_iter().take(1 << 16) {
            let offset = pointer.checked_sub(start);
            let name = offset.map_or(&[][..], |offset| name_at(data, offset.into()));
            if name != wanted.as_bytes() {
                seen.see_export(name);
            } else if seen.entry.is_none() {
                let address = exports.address_by_index(index).map_err(malformed)?;
                // A forwarded export is another library's.
                let forward = exports.is_forward(address);
                seen.entry = Some(if forward {
                    Err(EntryFault::Undefined)
                } else {
                    self.entry(address)
                });
            }
        }
        Ok(seen)
    }

    fn entry(&self, address: u32) -> Result<Entry<'a>, EntryFault> {
        let section = self
            .sections
            .section_containing(address)
            .ok_or(EntryFault::OutsideFile)?;
        if section
            .characteristics
            .get(LE)
            .intersects(pe::IMAGE_SCN_CNT_CODE | pe::IMAGE_SCN_MEM_EXECUTE)
        {
            return Err(EntryFault::NotData);
        }
        let bytes = section
            .pe_data_at(self.bytes, address)
            .ok_or(EntryFault::ZeroFilled)?;
        if bytes.len() < HEADER_SIZE {
            return Err(EntryFault::OutsideFile);
        }
        Ok(Entry { bytes, size: None })
    }

    fn metadata(&self) -> Vec<&'a [u8]> {
        let ours = |section: &&ImageSectionHeader| {
            section.raw_name() == Format::Pe.metadata_section().as_bytes()
        };
        self.sections
            .iter()
            .filter(ours)
            .filter_map(|section| section.pe_data(self.bytes).ok())
            .collect()
    }

    fn needed(&self) -> Result<Vec<String>, InspectError> {
        let Some(directory) = self.directories.get(pe::IMAGE_DIRECTORY_ENTRY_IMPORT) else {
            return Ok(Vec::new());
        };
        let start = directory.virtual_address.get(LE);
        let table =
            ImportTable::from_sections(self.bytes, &self.sections, start).map_err(malformed)?;
        let mut needed = Vec::new();
        for descriptor in table.descriptors().map_err(malformed)? {
            let name = descriptor.map_err(malformed)?.name.get(LE);
            if needed.len() >= NEEDED_LIMIT {
                return Err(malformed(format!(
                    "more than {NEEDED_LIMIT} imported libraries"
                )));
            }
            let data = self
                .sections
                .pe_file_range_at(name)
                .and_then(|(offset, size)| slice(self.bytes, offset.into(), size.into()));
            needed.push(image::text(name_at(data.unwrap_or_default(), 0)));
        }
        Ok(needed)
    }
}
