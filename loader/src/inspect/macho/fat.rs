//! Picks the slice of a universal Mach-O file that is for this machine.

use object::macho::{FatArch32, FatArch64};
use object::read::macho::{FatArch, MachOFatFile};

use super::super::arch;
use super::super::check::Check;
use super::super::error::InspectError;
use super::super::host::{Format, HostFacts};
use super::super::image::{self, Image, part};
use super::{cpu_name, malformed, open};

pub(in super::super) fn open_fat<'a>(
    bytes: &'a [u8],
    wide: bool,
    host: &HostFacts,
    checks: &mut Vec<Check>,
) -> Result<Image<'a>, InspectError> {
    let slice = if wide {
        pick::<FatArch64>(bytes, host)?
    } else {
        pick::<FatArch32>(bytes, host)?
    };
    open(slice, host, checks)
}

fn pick<'a, F: FatArch>(bytes: &'a [u8], host: &HostFacts) -> Result<&'a [u8], InspectError> {
    let table = u64::from(
        bytes
            .get(4..8)
            .and_then(|field| field.first_chunk::<4>())
            .map_or(0, |field| u32::from_be_bytes(*field)),
    );
    part(bytes, 0, 8 + table * size_of::<F>() as u64, || {
        "the table of slices".into()
    })?;
    let fat = MachOFatFile::<F>::parse(bytes).map_err(|error| malformed(error.to_string()))?;
    for slice in fat.arches() {
        let (offset, size) = slice.file_range();
        part(bytes, offset, size, || {
            format!("the slice for {}", cpu_name(slice.cputype()))
        })?;
    }
    image::check_format(Format::MachO, host)?;
    let ours = fat
        .arches()
        .iter()
        .find(|slice| arch::of_macho(slice.cputype()) == Some(host.arch));
    let Some(ours) = ours else {
        let names: Vec<String> = fat
            .arches()
            .iter()
            .map(|slice| cpu_name(slice.cputype()))
            .collect();
        return Err(image::wrong_arch(names.join(" and "), host));
    };
    let (offset, size) = ours.file_range();
    part(bytes, offset, size, || "the slice for this machine".into())
}
