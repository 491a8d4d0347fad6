//! `hermes.tools/1`: tools that a plugin offers to the model.

#![expect(
    non_local_definitions,
    reason = "abi_stable's macros put impls into constants"
)]
#![expect(
    unsafe_code,
    reason = "abi_stable's macros write it; nothing here does by hand but the entry"
)]

use std::{
    ffi::c_void,
    fmt,
    sync::{Arc, OnceLock},
};

use abi_stable::{
    StableAbi,
    library::{LibHeader, RootModule},
    package_version_strings,
    prefix_type::WithMetadata,
    sabi_trait,
    sabi_types::VersionStrings,
    std_types::{RBox, RResult, RStr, RString, RVec, Tuple2},
};
use serde_json::{Value as Json, json};

use crate::{
    abi::{FailureKind, HostRef, Instance},
    error::Error,
    guard,
};

/// The name of the interface.
pub const NAME: &str = "hermes.tools/1";

/// One tool, as it crosses: every method is guarded, and so is the drop.
#[sabi_trait]
pub trait ToolObject: Send + Sync {
    /// `name`, `toolset`, `description` and `parameters` (a JSON schema) as a JSON object.
    fn describe(&self) -> RString;

    /// Runs the tool on arguments in JSON. The error is a [`FailureKind`] and a text.
    #[sabi(last_prefix_field)]
    fn run(&self, args_json: RStr<'_>) -> RResult<RString, Tuple2<u32, RString>>;
}

/// A tool as the host holds it.
pub type ToolBox = ToolObject_TO<'static, RBox<()>>;

/// What a plugin exports.
#[repr(C)]
#[derive(StableAbi)]
#[sabi(kind(Prefix(prefix_ref = ToolsModuleRef)))]
#[sabi(missing_field(panic))]
#[derive(Debug)]
pub struct ToolsModule {
    /// The tools of the instance behind a state; called once, after `register`.
    #[sabi(last_prefix_field)]
    pub tools: unsafe extern "C" fn(state: *mut c_void) -> RVec<ToolBox>,
}

impl RootModule for ToolsModuleRef {
    abi_stable::declare_root_module_statics! {ToolsModuleRef}

    const BASE_NAME: &'static str = "hermes_tools";
    const NAME: &'static str = NAME;
    const VERSION_STRINGS: VersionStrings = package_version_strings!();
}

/// What a tool is called, and what the model is told of it.
#[derive(Clone)]
#[must_use]
pub struct Tool {
    description: Json,
    check: Option<Check>,
}

type Check = Arc<dyn Fn() -> bool + Send + Sync>;

impl fmt::Debug for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tool")
            .field("description", &self.description)
            .finish_non_exhaustive()
    }
}

impl Tool {
    /// A tool of this name; it belongs to the toolset `plugins` and takes no arguments unless said otherwise.
    pub fn new(name: impl Into<String>, description: impl Into<String>) -> Self {
        let description = json!({
            "name": name.into(),
            "toolset": "plugins",
            "description": description.into(),
            "parameters": { "type": "object", "properties": {} },
        });
        Self {
            description,
            check: None,
        }
    }

    /// The toolset it is switched on and off with.
    pub fn toolset(mut self, toolset: impl Into<String>) -> Self {
        self.description["toolset"] = Json::String(toolset.into());
        self
    }

    /// The JSON schema of its arguments.
    pub fn parameters(mut self, schema: Json) -> Self {
        self.description["parameters"] = schema;
        self
    }

    /// What it is shown with.
    pub fn emoji(mut self, emoji: impl Into<String>) -> Self {
        self.description["emoji"] = Json::String(emoji.into());
        self
    }

    /// Environment variables it cannot do without: while one is missing, hosts list it as unavailable.
    pub fn requires_env<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        let names = names.into_iter().map(|name| Json::String(name.into()));
        self.description["requires_env"] = names.collect();
        self
    }

    /// Whether it can be used just now: asked each time an agent lists the tools for its model. One that
    /// panics says no.
    pub fn available_when(mut self, check: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        self.check = Some(Arc::new(check));
        self
    }

    /// What it is called, and its check, if it has one.
    pub(crate) fn take_check(&mut self) -> Option<(String, Check)> {
        let name = self.description["name"].as_str().unwrap_or_default();
        Some((name.to_owned(), self.check.take()?))
    }

    /// Takes the place of the tool that has this name already, the agent's own or another plugin's.
    ///
    /// The plugin is refused as a whole unless it is shipped with the agent, or the operator set
    /// `plugins.entries.<key>.allow_tool_override: true`. Without this, a tool whose name is taken is left
    /// out, and the plugin loads.
    pub fn replaces(mut self) -> Self {
        self.description["override"] = Json::Bool(true);
        self
    }
}

type Run = dyn Fn(&Json) -> Result<String, Error> + Send + Sync;

/// A tool and how it runs, before the host has asked for it.
pub(crate) struct Offer {
    host: Option<HostRef>,
    description: Json,
    run: Box<Run>,
}

impl Offer {
    pub(crate) fn new<F>(host: Option<HostRef>, tool: Tool, run: F) -> Self
    where
        F: Fn(&Json) -> Result<String, Error> + Send + Sync + 'static,
    {
        Self {
            host,
            description: tool.description,
            run: Box::new(run),
        }
    }
}

impl fmt::Debug for Offer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Offer")
            .field("description", &self.description)
            .finish_non_exhaustive()
    }
}

/// The adaptor between an author's closure and the trait object.
struct Guarded {
    offer: Option<Offer>,
}

impl ToolObject for Guarded {
    fn describe(&self) -> RString {
        let Some(offer) = &self.offer else {
            return RString::new();
        };
        guard::enter(offer.host, || offer.description.to_string())
            .unwrap_or_default()
            .into()
    }

    fn run(&self, args_json: RStr<'_>) -> RResult<RString, Tuple2<u32, RString>> {
        let Some(offer) = &self.offer else {
            return failed(FailureKind::ERROR, "the tool is gone");
        };
        let result = guard::enter(offer.host, || {
            let args: Json = serde_json::from_str(args_json.as_str())?;
            (offer.run)(&args)
        });
        match result {
            Ok(Ok(text)) => RResult::ROk(text.into()),
            Ok(Err(error)) => failed(FailureKind::ERROR, error.text()),
            Err(panic) => failed(
                FailureKind::PANIC,
                &format!("{} at {}:{}", panic.text, panic.file, panic.line),
            ),
        }
    }
}

fn failed(kind: FailureKind, text: &str) -> RResult<RString, Tuple2<u32, RString>> {
    RResult::RErr(Tuple2(kind.0, text.into()))
}

impl Drop for Guarded {
    fn drop(&mut self) {
        let Some(offer) = self.offer.take() else {
            return;
        };
        guard::drop_of(offer.host, offer);
    }
}

/// The plugin's half of the interface: abi_stable's own header, which a host reads before anything else.
pub(crate) fn header() -> *const c_void {
    static HEADER: OnceLock<LibHeader> = OnceLock::new();
    let header = HEADER.get_or_init(|| {
        const MODULE: &WithMetadata<ToolsModule> = &WithMetadata::new(ToolsModule { tools });
        LibHeader::from_module(ToolsModuleRef(MODULE.static_as_prefix()))
    });
    std::ptr::from_ref(header).cast()
}

unsafe extern "C" fn tools(state: *mut c_void) -> RVec<ToolBox> {
    // SAFETY: the host hands over the state that `create` wrote, while the instance lives.
    let offers = unsafe { Instance::take_tools(state) };
    offers
        .into_iter()
        .map(|offer| ToolBox::from_value(Guarded { offer: Some(offer) }, sabi_trait::TD_Opaque))
        .collect()
}
