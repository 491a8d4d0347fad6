//! An entry point for a plugin that is no more than a `register` function.

use std::{
    cell::RefCell,
    collections::BTreeSet,
    sync::{Mutex, PoisonError},
};

use crate::{
    abi::{Root, root},
    context::Context,
    error::Error,
    export::{Declared, Export},
    metadata::Metadata,
};

type Register = Box<dyn FnOnce(&mut Context) -> Result<(), Error>>;

thread_local! {
    /// What the entry point below is to do next on this thread: it has no state of its own, as no root has.
    static NEXT: RefCell<Option<(String, Register)>> = const { RefCell::new(None) };
}

/// The root that runs `register` when it is next asked to register on this thread.
pub(super) fn prepare<F>(plugin: &str, register: F) -> &'static Root
where
    F: FnOnce(&mut Context) -> Result<(), Error> + 'static,
{
    NEXT.replace(Some((plugin.to_owned(), Box::new(register))));
    &ROOT
}

/// Drops what was prepared and not used.
pub(super) fn forget() {
    NEXT.take();
}

/// The name for ever, as a plugin's is everywhere else; one copy of each.
fn kept(name: String) -> &'static str {
    static NAMES: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(kept) = names.get(name.as_str()) {
        return kept;
    }
    let kept = name.leak();
    names.insert(kept);
    kept
}

struct Adhoc;

impl Export for Adhoc {
    const NAME: &'static str = "adhoc";
    const PACKAGE: &'static str = "";

    fn register(ctx: &mut Context) -> Result<(), Error> {
        let (plugin, register) = NEXT
            .take()
            .ok_or_else(|| Error::new("nothing was prepared"))?;
        ctx.rename(kept(plugin));
        for declared in Declared::of(ctx.plugin()) {
            (declared.register)(ctx);
        }
        register(ctx)
    }
}

const DOCUMENT: Metadata = Metadata {
    name: Adhoc::NAME,
    version: env!("CARGO_PKG_VERSION"),
    description: "",
    role: "",
    panic: "unwind",
    hooks: &[],
    extensions: &[],
    requires: &[],
    abi_minor: 0,
};
static METADATA: [u8; DOCUMENT.len()] = DOCUMENT.document();
static ROOT: Root = root::<Adhoc>(&METADATA);
