//! What every test of `inspect` uses: hosts, a root, metadata, and how a refusal must look.

use hermes_loader::inspect::{
    AbiVersion, Architecture, Endianness, GlibcVersion, HostFacts, InspectError, Os, inspect,
};

/// The first bytes of a root.
pub(crate) const MAGIC: &[u8; 16] = b"HERMES-PLUGIN\0\x1a\n";

/// Metadata that agrees with [`root`].
pub(crate) const METADATA: &str = concat!(
    r#"{"format":1,"name":"sample","version":"0.3.1","abi":"1.1","catalogue":2,"#,
    r#""sdk":"0.1.0","target":"x86_64-unknown-linux-gnu","language":"c","compiler":"cc 12","#,
    r#""panic":"none","role":"guard","hooks":["pre_tool_call"],"requires":{"abi_minor":1,"#,
    r#""extensions":["hermes.tools/1"],"hooks":["pre_tool_call","post_tool_call.status"]},"#,
    r#""later":{"key":true}}"#,
);

/// This machine, with a glibc that no test library is too new for.
pub(crate) fn host() -> HostFacts {
    let glibc = Some(GlibcVersion {
        major: 2,
        minor: 99,
    });
    HostFacts::current(AbiVersion { major: 1, minor: 1 }, 2, glibc)
}

/// A machine of another kind.
pub(crate) fn other_host(os: Os, arch: Architecture, target: &str) -> HostFacts {
    HostFacts {
        os,
        arch,
        endian: Endianness::Little,
        pointer_width: 64,
        target: target.to_owned(),
        glibc: None,
        abi: AbiVersion { major: 1, minor: 1 },
        catalogue: 2,
    }
}

/// Says that `bytes` are refused by `host` with this code and these words, and with a cure.
#[track_caller]
pub(crate) fn refused_by(host: &HostFacts, bytes: &[u8], code: &str, words: &str) -> InspectError {
    let error = inspect(bytes, host).expect_err(&format!("refused with {code}"));
    let message = error.to_string();
    assert_eq!(error.code(), code, "{message}");
    assert!(
        message.contains(words),
        "{message:?} does not say {words:?}"
    );
    assert!(!error.cure().is_empty() && !error.cure().contains('\n'));
    assert!(
        !message.ends_with('.') && !message.contains('\n'),
        "{message:?}"
    );
    error
}

#[track_caller]
pub(crate) fn refused(bytes: &[u8], code: &str, words: &str) -> InspectError {
    refused_by(&host(), bytes, code, words)
}

/// A root of `size` bytes that [`METADATA`] agrees with, for a 64-bit little-endian machine.
pub(crate) fn root(size: usize) -> Vec<u8> {
    let mut root = MAGIC.to_vec();
    for field in [56, 1, 1, 2, 64, 24, size as u32, 0, 1, 0] {
        root.extend(u32::to_le_bytes(field));
    }
    root.resize(size, 0);
    root
}
