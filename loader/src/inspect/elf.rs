//! Reads an ELF library: whether it is one, is whole, and is for this machine.

mod contents;

mod glibc;

use object::elf::{self, FileHeader32, FileHeader64};
use object::read::elf::{Dyn, FileHeader, ProgramHeader, SectionHeader};

use super::arch;
use super::check::Check;
use super::error::InspectError;
use super::found::EntryFault;
use super::host::{Architecture, Endianness, Format, HostFacts, Os};
use super::image::{self, Image, check_arch, part, slice};

pub(super) fn open<'a>(
    bytes: &'a [u8],
    host: &HostFacts,
    checks: &mut Vec<Check>,
) -> Result<Image<'a>, InspectError> {
    part(bytes, 0, 16, || "the ELF header".into())?;
    match bytes.get(4).copied().unwrap_or_default() {
        1 => File::<FileHeader32<Endianness>>::parse(bytes)?.open(host, checks),
        2 => File::<FileHeader64<Endianness>>::parse(bytes)?.open(host, checks),
        class => Err(malformed(format!("unknown class {class}"))),
    }
}

fn malformed(what: String) -> InspectError {
    InspectError::Malformed {
        format: Format::Elf,
        what,
    }
}

/// The parts of one file, all of them inside it.
struct File<'a, E: FileHeader<Endian = Endianness>> {
    bytes: &'a [u8],
    endian: Endianness,
    header: &'a E,
    segments: &'a [E::ProgramHeader],
    sections: &'a [E::SectionHeader],
}

impl<'a, E: FileHeader<Endian = Endianness>> File<'a, E> {
    fn parse(bytes: &'a [u8]) -> Result<Self, InspectError> {
        part(bytes, 0, size_of::<E>() as u64, || "the ELF header".into())?;
        let header = E::parse(bytes).map_err(|error| malformed(error.to_string()))?;
        let endian = header
            .endian()
            .map_err(|error| malformed(error.to_string()))?;
        not_linked(header.e_type(endian))?;

        // The tables' ends are checked first, so that what is cut off is called cut off.
        let (start, count) = (header.e_phoff(endian).into(), header.e_phnum(endian));
        let size = size_of::<E::ProgramHeader>() as u64 * u64::from(count);
        part(bytes, start, size, || "the program header table".into())?;
        let (start, count) = (header.e_shoff(endian).into(), header.e_shnum(endian));
        let size = size_of::<E::SectionHeader>() as u64 * u64::from(count);
        part(bytes, start, size, || "the section header table".into())?;
        let segments = header
            .program_headers(endian, bytes)
            .map_err(|error| malformed(error.to_string()))?;
        let sections = header
            .section_headers(endian, bytes)
            .map_err(|error| malformed(error.to_string()))?;
        Ok(Self {
            bytes,
            endian,
            header,
            segments,
            sections,
        })
    }

    fn open(&self, host: &HostFacts, checks: &mut Vec<Check>) -> Result<Image<'a>, InspectError> {
        let dynamic = self.dynamic();
        if self.is_program(dynamic) {
            return Err(InspectError::Executable(Format::Elf));
        }
        self.check_bounds()?;
        checks.push(Check::passed("complete"));

        image::check_format(Format::Elf, host)?;
        self.check_os(host)?;
        checks.push(Check::passed("format"));

        let arch = self.check_arch(host)?;
        checks.push(Check::passed("architecture"));

        self.check_stack(arch, host)?;
        checks.push(Check::passed("no executable stack"));

        self.check_dynamic()?;
        Ok(Image {
            format: Format::Elf,
            arch,
            symbols: self.symbols(host)?,
            metadata: self.metadata(),
            needed: self.needed(dynamic)?,
            glibc_floor: glibc::floor::<E>(self.bytes, self.endian, self.sections)?,
        })
    }

    fn segments(&self, kind: elf::ProgramType) -> impl Iterator<Item = &'a E::ProgramHeader> {
        let endian = self.endian;
        self.segments
            .iter()
            .filter(move |segment| segment.p_type(endian) == kind)
    }

    fn dynamic(&self) -> &'a [E::Dyn] {
        let table = self.segments(elf::PT_DYNAMIC).next();
        table
            .and_then(|table| table.dynamic(self.endian, self.bytes).ok().flatten())
            .unwrap_or_default()
    }

    fn is_program(&self, dynamic: &[E::Dyn]) -> bool {
        let pie = |entry: &E::Dyn| {
            entry.tag(self.endian) == elf::DT_FLAGS_1
                && entry.val(self.endian) & elf::DF_1_PIE.0 != 0
        };
        self.header.e_type(self.endian) == elf::ET_EXEC
            || self.segments(elf::PT_INTERP).next().is_some()
            || dynamic.iter().any(pie)
    }

    fn check_bounds(&self) -> Result<(), InspectError> {
        for (index, segment) in self.segments.iter().enumerate() {
            // A loaded segment past the end would be a SIGBUS inside dlopen.
            if matches!(segment.p_type(self.endian), elf::PT_LOAD | elf::PT_DYNAMIC) {
                let (offset, size) = segment.file_range(self.endian);
                part(self.bytes, offset, size, || format!("segment {index}"))?;
            }
        }
        for (index, section) in self.sections.iter().enumerate() {
            if section.sh_type(self.endian) != elf::SHT_NULL
                && let Some((offset, size)) = section.file_range(self.endian)
            {
                part(self.bytes, offset, size, || format!("section {index}"))?;
            }
        }
        Ok(())
    }

    fn check_os(&self, host: &HostFacts) -> Result<(), InspectError> {
        let abi = self.header.e_ident().os_abi;
        if host.os != Os::Linux || abi == elf::ELFOSABI_NONE || abi == elf::ELFOSABI_GNU {
            return Ok(());
        }
        let found = if abi == elf::ELFOSABI_FREEBSD {
            "ELF for FreeBSD".to_owned()
        } else {
            format!("ELF for another system (OS ABI {})", abi.0)
        };
        Err(InspectError::WrongFormat { found, os: host.os })
    }

    fn check_arch(&self, host: &HostFacts) -> Result<Architecture, InspectError> {
        let machine = self.header.e_machine(self.endian);
        let found = arch::of_elf(machine, self.header.is_type_64());
        let bits = if self.header.is_type_64() { 64 } else { 32 };
        check_arch(
            found,
            || format!("another processor (ELF machine {})", machine.0),
            self.endian,
            bits,
            host,
        )
    }

    fn check_stack(&self, arch: Architecture, host: &HostFacts) -> Result<(), InspectError> {
        // Where the header is missing, glibc takes the stack of x86 to be executable.
        let x86 = matches!(
            arch,
            Architecture::X86_64 | Architecture::X86_64_X32 | Architecture::I386
        );
        let executable = match self.segments(elf::PT_GNU_STACK).next() {
            Some(stack) => stack.p_flags(self.endian).contains(elf::PF_X),
            None => x86 && host.os == Os::Linux,
        };
        if executable {
            Err(InspectError::ExecutableStack)
        } else {
            Ok(())
        }
    }

    /// The dynamic linker reads this table from memory without asking whether it was loaded.
    fn check_dynamic(&self) -> Result<(), InspectError> {
        let mut tables = self.segments(elf::PT_DYNAMIC);
        let Some(table) = tables.next() else {
            return Err(malformed("no dynamic segment".into()));
        };
        if tables.next().is_some() {
            return Err(malformed("more than one dynamic segment".into()));
        }
        match self.locate(
            table.p_vaddr(self.endian).into(),
            table.p_filesz(self.endian).into(),
        ) {
            Ok(_) => Ok(()),
            Err(_) => Err(malformed("the dynamic segment is not loaded".into())),
        }
    }

    /// The bytes that are loaded from `address` to the end of its segment, `least` or more.
    fn locate(&self, address: u64, least: u64) -> Result<&'a [u8], EntryFault> {
        for segment in self.segments(elf::PT_LOAD) {
            let (offset, size) = segment.file_range(self.endian);
            let memory: u64 = segment.p_memsz(self.endian).into();
            let Some(skip) = address.checked_sub(segment.p_vaddr(self.endian).into()) else {
                continue;
            };
            if skip >= memory {
                continue;
            }
            return match size.checked_sub(skip) {
                None | Some(0) => Err(EntryFault::ZeroFilled),
                Some(rest) if rest < least => Err(EntryFault::OutsideFile),
                Some(rest) => slice(self.bytes, offset.saturating_add(skip), rest)
                    .ok_or(EntryFault::OutsideFile),
            };
        }
        Err(EntryFault::OutsideFile)
    }
}

/// Names what is native code, but not linked into a library.
fn not_linked(kind: elf::FileType) -> Result<(), InspectError> {
    let found = match kind {
        elf::ET_DYN | elf::ET_EXEC => return Ok(()),
        elf::ET_REL => "an object file (`.o`)".to_owned(),
        elf::ET_CORE => "a core dump".to_owned(),
        other => format!("ELF of type {}", other.0),
    };
    Err(InspectError::NotLinked { found })
}
