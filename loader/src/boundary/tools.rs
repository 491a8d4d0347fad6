//! Tools that plugins offer: trait objects of `hermes.tools/1`, or its JSON form.

use std::fmt;
use std::sync::Arc;

use abi_stable::StableAbi;
use abi_stable::abi_stability::abi_checking::check_layout_compatibility;
use abi_stable::library::{AbiHeader, AbiHeaderRef};
use abi_stable::std_types::{RResult, RStr};
use hermes_plugin_api::abi::FailureKind;
use hermes_plugin_api::abi::host::{Failed, OwnedHandler, usable};
use hermes_plugin_api::catalogue::{HookPoint, ToolCheck, ToolExecute};
use hermes_plugin_api::extension::tools::{NAME, ToolBox, ToolsModuleRef};
use serde_json::{Map, Value};

use super::callback::call_back;
use super::instance::{StagedCheck, StagedTool};
use super::{Created, Entered, Instance};
use crate::fault::FaultKind;

/// What the model is told of a tool.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Description {
    pub(crate) name: String,
    pub(crate) json: Map<String, Value>,
}

impl Description {
    /// Reads an object with a `name`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let Value::Object(json) = serde_json::from_str(text).ok()? else {
            return None;
        };
        let name = json
            .get("name")?
            .as_str()
            .filter(|name| !name.trim().is_empty())?
            .to_owned();
        Some(Self { name, json })
    }
}

/// Why a tool of a plugin gave no result.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ToolError {
    /// Nobody offers it.
    #[error("no plugin offers a tool named `{tool}`")]
    Unknown {
        /// The name that was asked for.
        tool: String,
    },
    /// It failed.
    #[error("tool `{tool}` of plugin `{plugin}` failed: {text}")]
    Failed {
        /// The tool.
        tool: String,
        /// Whose it is.
        plugin: String,
        /// Error or panic, in the plugin's words.
        text: String,
    },
}

enum Form {
    Object(ToolBox),
    Json(OwnedHandler),
}

/// One tool that a plugin offers.
pub(crate) struct ToolHandle {
    pub(crate) description: Description,
    id: u64,
    form: Form,
    check: Option<StagedCheck>,
    /// After the form, so that it is dropped after it.
    pub(crate) instance: Arc<Instance>,
}

impl fmt::Debug for ToolHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolHandle")
            .field("description", &self.description)
            .finish_non_exhaustive()
    }
}

impl ToolHandle {
    /// Whether the tool says that it can be used just now, on this thread.
    pub(crate) fn is_usable(&self) -> Result<bool, (FaultKind, Failed)> {
        let Some(StagedCheck { id, handler, tool }) = &self.check else {
            return Ok(true);
        };
        let payload = Map::from_iter([("tool_name".to_owned(), Value::String(tool.clone()))]);
        let entered = match call_back(handler, *id, &self.instance, ToolCheck::HOOK, &payload) {
            Entered::Pending(waiting) => waiting.block(None),
            entered => entered,
        };
        usable(entered)
    }

    /// Runs the tool on this thread.
    pub(crate) fn run(&self, args: &Value) -> Result<String, (FaultKind, Failed)> {
        match &self.form {
            Form::Object(object) => {
                let args = args.to_string();
                match object.run(RStr::from_str(&args)) {
                    RResult::ROk(text) => Ok(text.into_string()),
                    RResult::RErr(error) => {
                        let panicked = error.0 == FailureKind::PANIC.0;
                        let kind = if panicked {
                            FaultKind::Panic
                        } else {
                            FaultKind::Error
                        };
                        let text = error.1.into_string();
                        Err((
                            kind,
                            Failed {
                                kind: FailureKind(error.0),
                                text,
                                file: String::new(),
                                line: 0,
                            },
                        ))
                    }
                }
            }
            Form::Json(handler) => self.run_json(handler, args),
        }
    }

    fn run_json(
        &self,
        handler: &OwnedHandler,
        args: &Value,
    ) -> Result<String, (FaultKind, Failed)> {
        let payload = Map::from_iter([
            (
                "tool_name".to_owned(),
                Value::String(self.description.name.clone()),
            ),
            ("args".to_owned(), args.clone()),
        ]);
        let hook = ToolExecute::HOOK;
        let entered = match call_back(handler, self.id, &self.instance, hook, &payload) {
            Entered::Pending(waiting) => waiting.block(None),
            entered => entered,
        };
        match entered {
            Entered::Answered(answer) => match answer.json {
                Value::String(text) => Ok(text),
                other => Ok(other.to_string()),
            },
            Entered::Quiet => Ok(String::new()),
            Entered::Faulted(kind, failed) => Err((kind, *failed)),
            Entered::Pending(_) => Ok(String::new()),
        }
    }
}

/// The tools of an instance: those in JSON form, then the trait objects. The error says why the
/// trait objects are off for this plugin.
pub(crate) fn take_tools(
    created: &Created,
    json: Vec<StagedTool>,
    mut checks: Vec<StagedCheck>,
) -> (Vec<ToolHandle>, Option<String>) {
    let mut tools: Vec<ToolHandle> = json
        .into_iter()
        .map(|tool| ToolHandle {
            description: tool.description,
            instance: Arc::clone(&created.instance),
            id: tool.id,
            form: Form::Json(tool.handler),
            check: None,
        })
        .collect();
    let off = match objects(created) {
        Ok(objects) => {
            tools.extend(objects);
            None
        }
        Err(why) => Some(why),
    };
    for tool in &mut tools {
        let own = |check: &StagedCheck| check.tool == tool.description.name;
        if let Some(index) = checks.iter().position(own) {
            tool.check = Some(checks.remove(index));
        }
    }
    (tools, off)
}

fn objects(created: &Created) -> Result<Vec<ToolHandle>, String> {
    let header = created.root().extension(NAME).cast::<AbiHeader>();
    if header.is_null() {
        return Ok(Vec::new());
    }
    // SAFETY: the interface's contract is that abi_stable's header, which never changes its layout, stands there.
    let found = unsafe { header.read() };
    if !found.is_valid() {
        let expected = AbiHeader::VALUE;
        return Err(format!(
            "its `{NAME}` was built with abi_stable ABI {}.{}, this host has {}.{}",
            found.abi_major, found.abi_minor, expected.abi_major, expected.abi_minor
        ));
    }
    // SAFETY: `AbiHeaderRef` is transparent over a reference, and the header lives as long as the process.
    let header = unsafe { std::mem::transmute::<*const AbiHeader, AbiHeaderRef>(header) };
    let header = header
        .upgrade()
        .map_err(|error| short(&error.to_string()))?;
    let plugin = header
        .layout()
        .ok_or_else(|| format!("its `{NAME}` does not say how it is laid out"))?;
    let host = <ToolsModuleRef as StableAbi>::LAYOUT;
    // An interface that grew fits in one direction; which one depends on who is older.
    let fits = check_layout_compatibility(host, plugin).is_ok()
        || check_layout_compatibility(plugin, host).is_ok();
    if !fits {
        return Err(format!(
            "its `{NAME}` is laid out differently; rebuild it against this host's plugin API"
        ));
    }
    // SAFETY: the layouts were compared, in the direction that fits.
    let module = unsafe { header.unchecked_layout::<ToolsModuleRef>() }
        .map_err(|error| short(&error.to_string()))?;
    let take = module.tools();
    // SAFETY: the state is the one `create` gave, and the instance lives.
    let objects = unsafe { take(created.state()) };
    Ok(objects
        .into_iter()
        .filter_map(|object| {
            let description = Description::parse(object.describe().as_str())?;
            let instance = Arc::clone(&created.instance);
            Some(ToolHandle {
                description,
                instance,
                id: 0,
                form: Form::Object(object),
                check: None,
            })
        })
        .collect())
}

/// abi_stable's messages run to hundreds of lines.
fn short(text: &str) -> String {
    text.lines()
        .find(|line| !line.trim().is_empty())
        .unwrap_or("unknown reason")
        .trim()
        .chars()
        .take(200)
        .collect()
}
