//! An entry point for a plugin that is no more than a `register` function.

use std::cell::RefCell;

use crate::{
    abi::{Root, root},
    context::Context,
    error::Error,
    export::{Declared, Export},
    metadata::Metadata,
};

type Register = Box<dyn FnOnce(&mut Context<'_>) -> Result<(), Error>>;

thread_local! {
    /// What the entry point below is to do next on this thread: it has no state of its own, as no root has.
    static NEXT: RefCell<Option<(String, Register)>> = const { RefCell::new(None) };
}

/// The root that runs `register` when it is next asked to register on this thread.
pub(super) fn prepare<F>(plugin: &str, register: F) -> &'static Root
where
    F: FnOnce(&mut Context<'_>) -> Result<(), Error> + 'static,
{
    NEXT.replace(Some((plugin.to_owned(), Box::new(register))));
    &ROOT
}

/// Drops what was prepared and not used.
pub(super) fn forget() {
    NEXT.take();
}

struct Adhoc;

impl Export for Adhoc {
    const NAME: &'static str = "adhoc";
    const PACKAGE: &'static str = "";

    fn register(ctx: &mut Context<'_>) -> Result<(), Error> {
        let (plugin, register) = NEXT.take().ok_or_else(|| Error::new("nothing was prepared"))?;
        // A plugin's name is static everywhere else; a test can spare the few bytes.
        ctx.rename(plugin.leak());
        for declared in Declared::of(ctx.plugin()) {
            (declared.register)(ctx);
        }
        register(ctx)
    }
}

const DOCUMENT: Metadata = Metadata {
    name: Adhoc::NAME,
    version: env!("CARGO_PKG_VERSION"),
    role: "",
    panic: "unwind",
    hooks: &[],
    extensions: &[],
    requires: &[],
    abi_minor: 0,
};
static METADATA: [u8; DOCUMENT.len()] = DOCUMENT.document();
static ROOT: Root = root::<Adhoc>(&METADATA);
