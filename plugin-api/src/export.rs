//! The one macro that makes a crate a plugin.

use crate::{context::Context, error::Error};

pub use crate::abi::root;

/// What the export macro says of a plugin.
pub trait Export: 'static {
    /// The plugin's name.
    const NAME: &'static str;
    /// The package whose declared handlers belong to it.
    const PACKAGE: &'static str;

    /// Runs before anything else of the plugin.
    ///
    /// # Errors
    /// When the plugin cannot live in this process; it is then refused.
    fn create() -> Result<(), Error> {
        Ok(())
    }

    /// Registers the handlers.
    ///
    /// # Errors
    /// When the plugin cannot do its job; nothing it staged is then kept.
    fn register(ctx: &mut Context) -> Result<(), Error>;
}

/// A handler declared with [`hook!`](crate::hook).
#[derive(Debug)]
pub struct Declared {
    /// The package that declared it: one image has one list, and each plugin takes only its own.
    pub package: &'static str,
    /// Where it stands, so that the order is the order of the source.
    pub place: (&'static str, u32),
    /// Registers it.
    pub register: fn(&mut Context),
}

inventory::collect!(Declared);

impl Declared {
    pub(crate) fn of(package: &'static str) -> Vec<&'static Self> {
        let mut own: Vec<_> = inventory::iter::<Self>
            .into_iter()
            .filter(|declared| declared.package == package)
            .collect();
        own.sort_by_key(|declared| declared.place);
        own
    }
}

/// Makes this crate a plugin: exports its entry point and its metadata.
///
/// ```
/// use hermes_plugin_api::prelude::*;
///
/// fn register(ctx: &mut Context) -> Result<(), Error> {
///     ctx.on(OnSessionStart, |event| tracing::info!(session = event.session_id(), "a session starts"));
///     Ok(())
/// }
///
/// hermes_plugin!(register);
/// # fn main() {}
/// ```
///
/// Everything after the function is optional, in this order:
///
/// | setting | means | default |
/// | --- | --- | --- |
/// | `name = "…"` | the plugin's name | the package's name |
/// | `description = "…"` | one line about it, for lists | the package's description |
/// | `create = function` | runs first, before `register` | nothing |
/// | `role = "guard"` | `guard`, `transform` or `observer` | none |
/// | `hooks = ["…"]` | hooks it registers, readable without loading it | none said |
/// | `extensions = ["…"]` | extension interfaces it cannot do without | none |
/// | `requires = ["…"]` | hooks and `hook.field`s it cannot do without | none |
/// | `abi_minor = 1` | lowest ABI minor it can do with | 0 |
/// | `unless = "feature"` | a feature that switches the exported symbol off, for crates that are also linked into a host | always exported |
///
/// A crate that is linked in offers `PLUGIN`, a `&'static Root`, to `Host::builder().link(…)`.
#[macro_export]
macro_rules! hermes_plugin {
    (
        $register:path
        $(, name = $name:literal)?
        $(, description = $description:literal)?
        $(, create = $create:path)?
        $(, role = $role:literal)?
        $(, hooks = [$($hook:literal),* $(,)?])?
        $(, extensions = [$($extension:literal),* $(,)?])?
        $(, requires = [$($requires:literal),* $(,)?])?
        $(, abi_minor = $abi_minor:literal)?
        $(, unless = $feature:literal)?
        $(,)?
    ) => {
        #[doc(hidden)]
        mod __hermes_plugin {
            use super::*;

            pub struct Plugin;

            impl $crate::export::Export for Plugin {
                const NAME: &'static str = $crate::__first!($($name,)? env!("CARGO_PKG_NAME"));
                const PACKAGE: &'static str = env!("CARGO_PKG_NAME");
                $(
                    fn create() -> ::std::result::Result<(), $crate::Error> { $create() }
                )?
                fn register(ctx: &mut $crate::Context) -> ::std::result::Result<(), $crate::Error> { $register(ctx) }
            }

            const DOCUMENT: $crate::metadata::Metadata = $crate::metadata::Metadata {
                name: <Plugin as $crate::export::Export>::NAME,
                version: env!("CARGO_PKG_VERSION"),
                description: $crate::__first!($($description,)? env!("CARGO_PKG_DESCRIPTION")),
                role: $crate::__first!($($role,)? ""),
                panic: if cfg!(panic = "unwind") { "unwind" } else { "abort" },
                hooks: &[$($($hook),*)?],
                extensions: &[$($($extension),*)?],
                requires: &[$($($requires),*)?],
                abi_minor: $crate::__first!($($abi_minor,)? 0),
            };

            $crate::__metadata! { ($($feature)?)
                static METADATA: [u8; DOCUMENT.len()] = DOCUMENT.document();
            }

            $crate::__export! { ($($feature)?)
                pub static ROOT: $crate::abi::Root = $crate::export::root::<Plugin>(&METADATA);
            }
        }

        /// The entry point, for a host that links this crate in.
        pub static PLUGIN: &$crate::abi::Root = &__hermes_plugin::ROOT;
    };
}

/// Declares a handler where it is written; `hermes_plugin!` finds it. The third way to register.
///
/// ```
/// use hermes_plugin_api::prelude::*;
///
/// fn count(event: PostToolCallView<'_>) {
///     tracing::debug!(tool = event.tool_name(), "a tool ran");
/// }
/// hook!(PostToolCall, count, tools = ["terminal"], priority = 5.0);
///
/// fn register(_: &mut Context) -> Result<(), Error> { Ok(()) }
/// hermes_plugin!(register);
/// # fn main() {}
/// ```
///
/// It works for handlers of the crate that exports the plugin. Handlers of a library crate that the
/// plugin never names are dropped by the linker before anybody can find them.
#[macro_export]
macro_rules! hook {
    ($point:path, $handler:expr $(, tools = [$($tool:expr),* $(,)?])? $(, priority = $priority:expr)? $(,)?) => {
        $crate::inventory::submit! {
            $crate::export::Declared {
                package: env!("CARGO_PKG_NAME"),
                place: (file!(), line!()),
                register: |ctx| {
                    let _registration = ctx.on($point, $handler);
                    $( _registration.tools([$($tool),*]); )?
                    $( _registration.priority($priority); )?
                },
            }
        }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __first {
    ($first:expr, $($rest:expr),*) => {
        $first
    };
    ($only:expr) => {
        $only
    };
}

/// Puts the metadata where a loader finds it. A library has one: that of the plugin it exports, not those of
/// crates that are linked into it.
#[doc(hidden)]
#[macro_export]
macro_rules! __metadata {
    (() $item:item) => {
        #[used]
        #[cfg_attr(
            target_vendor = "apple",
            unsafe(link_section = "__DATA,__hermes_plugin")
        )]
        #[cfg_attr(windows, unsafe(link_section = ".hermes"))]
        #[cfg_attr(
            not(any(target_vendor = "apple", windows)),
            unsafe(link_section = ".hermes_plugin")
        )]
        $item
    };
    (($feature:literal) $item:item) => {
        #[cfg(not(feature = $feature))]
        $crate::__metadata! { () $item }
        #[cfg(feature = $feature)]
        $item
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __export {
    (() $item:item) => {
        #[unsafe(export_name = "hermes_plugin_v1")]
        $item
    };
    (($feature:literal) $item:item) => {
        #[cfg_attr(not(feature = $feature), unsafe(export_name = "hermes_plugin_v1"))]
        $item
    };
}
