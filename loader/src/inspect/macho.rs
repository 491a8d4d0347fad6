//! Reads a Mach-O library.

mod fat;

use object::macho::{self, MachHeader32, MachHeader64};
use object::read::macho::{MachHeader, Nlist, Section, Segment};

use super::arch;
use super::check::Check;
use super::error::InspectError;
use super::found::EntryFault;
use super::header::{HEADER_SIZE, entry_symbol};
use super::host::{Endianness, Format, HostFacts};
use super::image::{self, Entry, Image, NEEDED_LIMIT, Symbols, check_arch, name_at, part, slice};

pub(super) use fat::open_fat;

pub(super) fn open<'a>(
    bytes: &'a [u8],
    host: &HostFacts,
    checks: &mut Vec<Check>,
) -> Result<Image<'a>, InspectError> {
    let magic = bytes.first_chunk::<4>().copied().map(u32::from_be_bytes);
    if matches!(magic, Some(macho::MH_MAGIC_64 | macho::MH_CIGAM_64)) {
        File::<MachHeader64<Endianness>>::parse(bytes)?.open(host, checks)
    } else {
        File::<MachHeader32<Endianness>>::parse(bytes)?.open(host, checks)
    }
}

fn cpu_name(cpu: macho::CpuType) -> String {
    arch::of_macho(cpu).map_or_else(
        || format!("another processor (Mach-O CPU {:#x})", cpu.0),
        |arch| arch::name(arch).to_owned(),
    )
}

fn malformed(what: String) -> InspectError {
    InspectError::Malformed {
        format: Format::MachO,
        what,
    }
}

/// The parts of one file, all of them inside it.
struct File<'a, M: MachHeader<Endian = Endianness>> {
    bytes: &'a [u8],
    endian: Endianness,
    header: &'a M,
    segments: Vec<&'a M::Segment>,
    sections: Vec<&'a M::Section>,
    symbols: &'a [M::Nlist],
    strings: &'a [u8],
    needed: Vec<String>,
}

impl<'a, M: MachHeader<Endian = Endianness>> File<'a, M> {
    fn parse(bytes: &'a [u8]) -> Result<Self, InspectError> {
        let whole = size_of::<M>() as u64;
        part(bytes, 0, whole, || "the Mach-O header".into())?;
        let header = M::parse(bytes, 0).map_err(|error| malformed(error.to_string()))?;
        let endian = header
            .endian()
            .map_err(|error| malformed(error.to_string()))?;
        not_linked(header.filetype(endian))?;
        part(bytes, whole, header.sizeofcmds(endian).into(), || {
            "the load commands".into()
        })?;

        let mut file = Self {
            bytes,
            endian,
            header,
            segments: Vec::new(),
            sections: Vec::new(),
            symbols: &[],
            strings: &[],
            needed: Vec::new(),
        };
        let mut commands = header
            .load_commands(endian, bytes, 0)
            .map_err(|error| malformed(error.to_string()))?;
        while let Some(command) = commands
            .next()
            .map_err(|error| malformed(error.to_string()))?
        {
            file.read_command(command).map_err(|error| match error {
                CommandError::Ours(error) => error,
                CommandError::Theirs(error) => malformed(error.to_string()),
            })?;
        }
        Ok(file)
    }

    fn read_command(
        &mut self,
        command: object::read::macho::LoadCommandData<'a, Endianness>,
    ) -> Result<(), CommandError> {
        let endian = self.endian;
        if let Some((segment, sections)) = M::Segment::from_command(command)? {
            let (offset, size) = segment.file_range(endian);
            part(self.bytes, offset, size, || {
                format!("segment `{}`", image::text(segment.name()))
            })?;
            self.segments.push(segment);
            self.sections.extend(segment.sections(endian, sections)?);
        } else if let Some(table) = command.symtab()? {
            let count: u64 = table.nsyms.get(endian).into();
            let size = count * size_of::<M::Nlist>() as u64;
            part(self.bytes, table.symoff.get(endian).into(), size, || {
                "the symbol table".into()
            })?;
            self.strings = part(
                self.bytes,
                table.stroff.get(endian).into(),
                table.strsize.get(endian).into(),
                || "the string table".into(),
            )?;
            self.symbols = table.symbols::<M, _>(endian, self.bytes)?.symbols();
        } else if let Some(library) = command.dylib()? {
            if self.needed.len() >= NEEDED_LIMIT {
                return Err(CommandError::Ours(malformed(format!(
                    "more than {NEEDED_LIMIT} imported libraries"
                ))));
            }
            let name = name_at(
                command.raw_data(),
                library.dylib.name.offset.get(endian).into(),
            );
            self.needed.push(image::text(name));
        }
        Ok(())
    }

    fn open(self, host: &HostFacts, checks: &mut Vec<Check>) -> Result<Image<'a>, InspectError> {
        if self.header.filetype(self.endian) == macho::MH_EXECUTE {
            return Err(InspectError::Executable(Format::MachO));
        }
        checks.push(Check::passed("complete"));

        image::check_format(Format::MachO, host)?;
        checks.push(Check::passed("format"));

        let cpu = self.header.cputype(self.endian);
        let bits = if self.header.is_type_64() { 64 } else { 32 };
        let arch = check_arch(
            arch::of_macho(cpu),
            || cpu_name(cpu),
            self.endian,
            bits,
            host,
        )?;
        checks.push(Check::passed("architecture"));

        if self
            .header
            .flags(self.endian)
            .contains(macho::MH_ALLOW_STACK_EXECUTION)
        {
            return Err(InspectError::ExecutableStack);
        }
        checks.push(Check::passed("no executable stack"));

        Ok(Image {
            format: Format::MachO,
            arch,
            symbols: self.symbols(host),
            metadata: self.metadata(),
            needed: self.needed,
            glibc_floor: None,
        })
    }

    fn symbols(&self, host: &HostFacts) -> Symbols<'a> {
        // Every C name carries an underscore here.
        let wanted = format!("_{}", entry_symbol(host.abi.major));
        let mut seen = Symbols::new();
        for symbol in self.symbols {
            let kind = symbol.n_type();
            if kind.is_stab() || !kind.is_ext() {
                continue;
            }
            let name = name_at(self.strings, symbol.n_strx(self.endian).into());
            if name == wanted.as_bytes() {
                if !seen.has_definition() {
                    seen.entry = Some(self.entry(symbol));
                }
            } else if name == b"__Unwind_RaiseException" {
                seen.unwinder = Ok(true);
            } else if !symbol.is_undefined()
                && let Some(name) = name.strip_prefix(b"_")
            {
                seen.see_export(name);
            }
        }
        seen
    }

    fn entry(&self, symbol: &M::Nlist) -> Result<Entry<'a>, EntryFault> {
        if symbol.is_undefined() || symbol.is_common() {
            return Err(EntryFault::Undefined);
        }
        let section = usize::from(symbol.n_sect())
            .checked_sub(1)
            .and_then(|index| self.sections.get(index));
        let section = section.ok_or(EntryFault::OutsideFile)?;
        if matches!(
            section.flags(self.endian).typ(),
            macho::S_ZEROFILL | macho::S_GB_ZEROFILL | macho::S_THREAD_LOCAL_ZEROFILL
        ) {
            return Err(EntryFault::ZeroFilled);
        }
        if section
            .flags(self.endian)
            .contains(macho::S_ATTR_PURE_INSTRUCTIONS)
        {
            return Err(EntryFault::NotData);
        }
        let bytes = self.locate(symbol.n_value(self.endian).into())?;
        if bytes.len() < HEADER_SIZE {
            return Err(EntryFault::OutsideFile);
        }
        Ok(Entry { bytes, size: None })
    }

    /// The bytes that are loaded from `address` to the end of its segment.
    fn locate(&self, address: u64) -> Result<&'a [u8], EntryFault> {
        for segment in &self.segments {
            let (offset, size) = segment.file_range(self.endian);
            let memory: u64 = segment.vmsize(self.endian).into();
            let Some(skip) = address.checked_sub(segment.vmaddr(self.endian).into()) else {
                continue;
            };
            if skip >= memory {
                continue;
            }
            return match size.checked_sub(skip) {
                None | Some(0) => Err(EntryFault::ZeroFilled),
                Some(rest) => slice(self.bytes, offset.saturating_add(skip), rest)
                    .ok_or(EntryFault::OutsideFile),
            };
        }
        Err(EntryFault::OutsideFile)
    }

    fn metadata(&self) -> Vec<&'a [u8]> {
        let ours = |section: &&&M::Section| {
            section.name() == b"__hermes_plugin" && section.segment_name() == b"__DATA"
        };
        let content = |section: &&'a M::Section| {
            slice(
                self.bytes,
                section.offset(self.endian).into(),
                section.size(self.endian).into(),
            )
        };
        self.sections
            .iter()
            .filter(ours)
            .filter_map(content)
            .collect()
    }
}

/// Either side's error while one command is read.
enum CommandError {
    Ours(InspectError),
    Theirs(object::read::Error),
}

impl From<InspectError> for CommandError {
    fn from(error: InspectError) -> Self {
        Self::Ours(error)
    }
}

impl From<object::read::Error> for CommandError {
    fn from(error: object::read::Error) -> Self {
        Self::Theirs(error)
    }
}

/// Names what is native code, but not linked into a library.
fn not_linked(kind: macho::FileType) -> Result<(), InspectError> {
    let found = match kind {
        macho::MH_DYLIB | macho::MH_BUNDLE | macho::MH_EXECUTE => return Ok(()),
        macho::MH_OBJECT => "an object file (`.o`)".to_owned(),
        macho::MH_CORE => "a core dump".to_owned(),
        macho::MH_DSYM => "debug information (`.dSYM`)".to_owned(),
        other => format!("Mach-O of type {}", other.0),
    };
    Err(InspectError::NotLinked { found })
}
