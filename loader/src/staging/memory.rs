//! A copy in memory that nobody can change, for where no file can be executed (Linux).

use std::fs::File;
use std::io::Write;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::path::PathBuf;

use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, memfd_create};
use rustix::io::Errno;

use super::{StageError, Staged, StagedKind};

/// The kernel's limit, without its own prefix.
const NAME_LIMIT: usize = 249;

pub(super) fn stage(bytes: &[u8], name: &str) -> Result<Staged, StageError> {
    let place = PathBuf::from(format!("memfd:{name}"));
    let name = name.get(..NAME_LIMIT).unwrap_or(name);
    let mut file =
        File::from(create(name).map_err(|error| StageError::io(&place, "make it", error))?);
    file.write_all(bytes)
        .map_err(|error| StageError::io(&place, "write it", error))?;
    let seals = SealFlags::WRITE | SealFlags::SHRINK | SealFlags::GROW | SealFlags::SEAL;
    fcntl_add_seals(file.as_fd(), seals)
        .map_err(|error| StageError::io(&place, "seal it", error))?;
    let path = PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()));
    Ok(Staged {
        path,
        kind: StagedKind::Memory,
        held: file.into(),
    })
}

fn create(name: &str) -> Result<OwnedFd, Errno> {
    let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
    match memfd_create(name, flags) {
        // Where `vm.memfd_noexec` is 2, it may not be run as a program, which it need not be: a
        // library is mapped.
        Err(Errno::ACCESS | Errno::PERM) => memfd_create(name, flags | MemfdFlags::NOEXEC_SEAL),
        made => made,
    }
}
