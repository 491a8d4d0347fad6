//! Names of processors: each form's machine numbers, the words a reader knows, target triples.

use std::env::consts;

use object::{Architecture, elf, macho, pe};

/// The word for a processor that rustc's target triples use.
pub(super) fn name(arch: Architecture) -> &'static str {
    match arch {
        Architecture::X86_64 => "x86_64",
        Architecture::X86_64_X32 => "x86_64 (x32)",
        Architecture::I386 => "x86 (32-bit)",
        Architecture::Aarch64 => "aarch64",
        Architecture::Aarch64_Ilp32 => "aarch64 (32-bit)",
        Architecture::Arm => "arm (32-bit)",
        Architecture::Riscv32 => "riscv32",
        Architecture::Riscv64 => "riscv64",
        Architecture::PowerPc => "powerpc",
        Architecture::PowerPc64 => "powerpc64",
        Architecture::S390x => "s390x",
        Architecture::LoongArch64 => "loongarch64",
        Architecture::Mips => "mips",
        Architecture::Mips64 => "mips64",
        Architecture::Sparc64 => "sparc64",
        _ => "another processor",
    }
}

/// The processor of this process.
pub(super) fn of_this_process() -> Architecture {
    match consts::ARCH {
        "x86_64" if usize::BITS == 32 => Architecture::X86_64_X32,
        "x86_64" => Architecture::X86_64,
        "x86" => Architecture::I386,
        "aarch64" if usize::BITS == 32 => Architecture::Aarch64_Ilp32,
        "aarch64" => Architecture::Aarch64,
        "arm" => Architecture::Arm,
        "riscv32" => Architecture::Riscv32,
        "riscv64" => Architecture::Riscv64,
        "powerpc" => Architecture::PowerPc,
        "powerpc64" => Architecture::PowerPc64,
        "s390x" => Architecture::S390x,
        "loongarch64" => Architecture::LoongArch64,
        "mips" => Architecture::Mips,
        "mips64" => Architecture::Mips64,
        "sparc64" => Architecture::Sparc64,
        _ => Architecture::Unknown,
    }
}

/// The target triple of this process, as near as the standard library tells.
pub(super) fn target_of_this_process() -> String {
    let arch = match consts::ARCH {
        "x86" => "i686",
        "riscv64" => "riscv64gc",
        "powerpc64" if cfg!(target_endian = "little") => "powerpc64le",
        other => other,
    };
    let env = if cfg!(target_env = "gnu") {
        "-gnu"
    } else if cfg!(target_env = "musl") {
        "-musl"
    } else if cfg!(target_env = "msvc") {
        "-msvc"
    } else {
        ""
    };
    match consts::OS {
        "macos" => format!("{arch}-apple-darwin"),
        "windows" => format!("{arch}-pc-windows{env}"),
        os => format!("{arch}-unknown-{os}{env}"),
    }
}

/// The processor of an ELF file; `None` for one not listed here.
pub(super) fn of_elf(machine: elf::Machine, is_64: bool) -> Option<Architecture> {
    Some(match (machine, is_64) {
        (elf::EM_X86_64, true) => Architecture::X86_64,
        (elf::EM_X86_64, false) => Architecture::X86_64_X32,
        (elf::EM_386, _) => Architecture::I386,
        (elf::EM_AARCH64, true) => Architecture::Aarch64,
        (elf::EM_AARCH64, false) => Architecture::Aarch64_Ilp32,
        (elf::EM_ARM, _) => Architecture::Arm,
        (elf::EM_RISCV, false) => Architecture::Riscv32,
        (elf::EM_RISCV, true) => Architecture::Riscv64,
        (elf::EM_PPC, _) => Architecture::PowerPc,
        (elf::EM_PPC64, _) => Architecture::PowerPc64,
        (elf::EM_S390, _) => Architecture::S390x,
        (elf::EM_LOONGARCH, true) => Architecture::LoongArch64,
        (elf::EM_MIPS, false) => Architecture::Mips,
        (elf::EM_MIPS, true) => Architecture::Mips64,
        (elf::EM_SPARCV9, _) => Architecture::Sparc64,
        _ => return None,
    })
}

/// The processor of a Mach-O file; `None` for one not listed here.
pub(super) fn of_macho(cpu: macho::CpuType) -> Option<Architecture> {
    Some(match cpu {
        macho::CPU_TYPE_X86_64 => Architecture::X86_64,
        macho::CPU_TYPE_X86 => Architecture::I386,
        macho::CPU_TYPE_ARM64 => Architecture::Aarch64,
        macho::CPU_TYPE_ARM64_32 => Architecture::Aarch64_Ilp32,
        macho::CPU_TYPE_ARM => Architecture::Arm,
        macho::CPU_TYPE_POWERPC => Architecture::PowerPc,
        macho::CPU_TYPE_POWERPC64 => Architecture::PowerPc64,
        _ => return None,
    })
}

/// The processor of a PE file; `None` for one not listed here.
pub(super) fn of_pe(machine: pe::Machine) -> Option<Architecture> {
    Some(match machine {
        pe::IMAGE_FILE_MACHINE_AMD64 => Architecture::X86_64,
        pe::IMAGE_FILE_MACHINE_I386 => Architecture::I386,
        pe::IMAGE_FILE_MACHINE_ARM64 => Architecture::Aarch64,
        pe::IMAGE_FILE_MACHINE_ARMNT => Architecture::Arm,
        _ => return None,
    })
}
