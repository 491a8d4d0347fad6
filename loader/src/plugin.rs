//! One loaded plugin: how it comes to life, and how it ends.

use std::path::PathBuf;
use std::sync::{Arc, Weak};
use std::time::Duration;

use serde_json::{Map, Value};

use crate::about::About;
use crate::admit::Checked;
use hermes_plugin_api::abi::host::SkillOffer;

use crate::boundary::{
    CommandHandle, Created, HostPort, Instance, RootRef, ToolHandle, take_tools,
};
use crate::fault::one_line;
use crate::inspect::Metadata;
use crate::refusal::{LoadError, Refusal};
use crate::registry::{Entry, Terms};
use crate::report::{Liveness, liveness};
use crate::tool_info::toolset;
use crate::tool_rules::{Judgement, ToolRules};
use crate::{library, loader_thread, staging};

/// What a plugin is given when it comes to life.
#[derive(Clone)]
pub(crate) struct Birth {
    pub(crate) name: Arc<str>,
    pub(crate) config: Map<String, Value>,
    pub(crate) data_dir: PathBuf,
    pub(crate) host: Weak<dyn HostPort>,
    pub(crate) terms: Terms,
    pub(crate) about: About,
    pub(crate) tools: ToolRules,
}

/// A plugin whose `register` succeeded, and everything it registered.
pub(crate) struct Plugin {
    pub(crate) name: Arc<str>,
    created: Option<Created>,
    /// In the order of registration.
    pub(crate) entries: Vec<Arc<Entry>>,
    pub(crate) tools: Vec<Arc<ToolHandle>>,
    pub(crate) commands: Vec<Arc<CommandHandle>>,
    pub(crate) skills: Vec<SkillOffer>,
    /// Why its trait objects are off, if they are.
    pub(crate) tools_off: Option<String>,
    /// The private copy. Held as long as the process lives, since the library is never closed.
    _staged: Option<staging::Staged>,
}

impl std::fmt::Debug for Plugin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Plugin")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// Opens a checked library and lets it register.
pub(crate) fn open(checked: Checked, cache: PathBuf, birth: Birth) -> Result<Plugin, Refusal> {
    loader_thread::run(move || {
        let staged = checked.stage(&cache)?;
        let root = library::open(&staged.path).map_err(|text| LoadError::Open { text })?;
        if root.header_bytes() != checked.inspection.header.raw {
            return Err(LoadError::HeaderDiffers.into());
        }
        let mut plugin = bear(root, &checked.inspection.metadata, birth, false)?;
        plugin._staged = Some(staged);
        Ok(plugin)
    })
    .unwrap_or_else(|| Err(LoadError::NoThread.into()))
}

/// Lets a plugin that is linked into this program register.
pub(crate) fn link(root: RootRef, metadata: Metadata, birth: Birth) -> Result<Plugin, Refusal> {
    loader_thread::run(move || bear(root, &metadata, birth, true))
        .unwrap_or_else(|| Err(LoadError::NoThread.into()))
}

fn bear(root: RootRef, metadata: &Metadata, birth: Birth, linked: bool) -> Result<Plugin, Refusal> {
    let config = Value::Object(birth.config).to_string();
    let may_override = birth.about.may_override;
    let key = birth.about.key.clone();
    let instance = Instance::enlist(
        Arc::clone(&birth.name),
        birth.about,
        config,
        birth.data_dir,
        birth.host,
    );
    let created = match root.create(&instance, linked) {
        Ok(created) => created,
        Err(failed) => {
            instance.end_timers();
            instance.delist();
            return Err(LoadError::create(&failed).into());
        }
    };
    // From here on the instance is held by what belongs to it, and by nobody else.
    drop(instance);
    let staging = match created.register() {
        Ok(staging) => staging,
        Err(failed) => {
            // What was staged has been dropped; so nothing of the plugin is live but perhaps a timer.
            end(created, PATIENCE);
            return Err(LoadError::register(&failed).into());
        }
    };
    let (tools, tools_off) = take_tools(&created, staging.tools, staging.checks);
    let missing = not_registered(metadata, &staging.handlers);
    let (tools, overrides) = admit_tools(birth.tools, &birth.name, may_override, tools);
    let refusal = if !missing.is_empty() {
        Some(LoadError::NotRegistered { hooks: missing })
    } else if let Some((tool, owner)) = overrides {
        Some(LoadError::ToolOverride { tool, owner, key })
    } else {
        needs_tools(metadata, tools_off.as_deref())
            .or_else(|| guards_nothing(&birth.terms, &staging.handlers))
    };
    if let Some(refusal) = refusal {
        drop((tools, staging.commands));
        drop(staging.handlers);
        end(created, PATIENCE);
        return Err(refusal.into());
    }
    let entry = |staged| Arc::new(Entry::new(staged, &created.instance, &birth.terms));
    Ok(Plugin {
        name: birth.name,
        entries: staging.handlers.into_iter().map(entry).collect(),
        tools: tools.into_iter().map(Arc::new).collect(),
        commands: staging
            .commands
            .into_iter()
            .map(|staged| Arc::new(CommandHandle::new(staged, &created.instance)))
            .collect(),
        skills: staging.skills,
        tools_off,
        created: Some(created),
        _staged: None,
    })
}

/// Leaves out the tools whose names are taken. Beside the rest: the tool whose place the plugin wants and may
/// not have, and whose that is.
fn admit_tools(
    mut rules: ToolRules,
    plugin: &Arc<str>,
    may_override: bool,
    tools: Vec<ToolHandle>,
) -> (Vec<ToolHandle>, Option<(String, String)>) {
    let (mut taken, mut refused) = (Vec::new(), None);
    for tool in tools {
        let json = &tool.description.json;
        let (name, toolset) = (&tool.description.name, toolset(json));
        let replaces = json.get("override").and_then(Value::as_bool) == Some(true);
        match rules.judge(plugin, name, toolset, replaces, may_override) {
            Judgement::Taken => {
                rules.take(plugin, name, toolset);
                taken.push(tool);
            }
            Judgement::LeftOut(why) => {
                let (plugin, name) = (&**plugin, one_line(name));
                tracing::error!(
                    plugin,
                    "tool `{name}` of toolset `{toolset}` left out: {why}"
                );
            }
            Judgement::Refused(owner) => refused = Some((name.clone(), owner)),
        }
    }
    (taken, refused)
}

/// How long the end of a plugin, or of its host, waits for calls that do not end.
pub(crate) const PATIENCE: Duration = Duration::from_secs(5);

/// Destroys an instance whose handlers and tools are dropped, and makes its handle stale. False when one of
/// them is still being called, so that the instance stays for ever and `destroy` is skipped.
fn end(created: Created, patience: Duration) -> bool {
    let instance = Arc::clone(&created.instance);
    instance.end_timers();
    // Whatever was being called may have kept its call.
    let over = instance.is_alone(1, patience) && instance.end_calls(patience);
    if over {
        let destroyed = loader_thread::run(move || created.destroy());
        if let Some(failed) = destroyed.flatten() {
            instance.fault("destroy", &failed);
        }
    } else {
        pin(&instance.plugin);
        std::mem::forget(created);
    }
    instance.delist();
    over
}

fn pin(plugin: &str) {
    tracing::warn!(
        plugin,
        "a call does not end; the plugin stays, and its `destroy` is skipped"
    );
}

/// Hooks that the metadata declares and `register` did not register: mostly handlers in a crate that
/// the linker dropped.
fn not_registered(metadata: &Metadata, staged: &[crate::boundary::Staged]) -> Vec<String> {
    let registered = |hook: &&String| !staged.iter().any(|staged| staged.name == **hook);
    metadata.hooks.iter().filter(registered).cloned().collect()
}

/// A guard none of whose handlers is ever called would be taken for one that guards.
fn guards_nothing(terms: &Terms, staged: &[crate::boundary::Staged]) -> Option<LoadError> {
    let live = |staged: &crate::boundary::Staged| liveness(&staged.name).0 == Liveness::Live;
    let nothing = terms.guard && !staged.iter().any(live);
    nothing.then(|| LoadError::GuardsNothing {
        hooks: staged.iter().map(|staged| staged.name.clone()).collect(),
    })
}

fn needs_tools(metadata: &Metadata, off: Option<&str>) -> Option<LoadError> {
    let needed = hermes_plugin_api::extension::tools::NAME;
    let why = off?.to_owned();
    let needs = metadata
        .requires
        .extensions
        .iter()
        .any(|extension| extension == needed);
    needs.then(|| LoadError::RequiresExtension {
        needed: needed.to_owned(),
        why,
    })
}

impl Plugin {
    /// How loud the plugin is to be.
    pub(crate) fn set_log_level(&self, level: hermes_plugin_api::abi::Level) {
        if let Some(created) = &self.created {
            created.root().set_log_level(level);
        }
    }

    /// Cancels what is pending, so that dispatches in flight can end.
    pub(crate) fn cancel_calls(&self) {
        if let Some(created) = &self.created {
            created.instance.cancel_calls();
        }
    }

    /// Ends the plugin. Nobody may be able to reach its handlers any more, but calls of them may still be
    /// retained: they are cancelled and waited for, bounded. False when one does not end, so that the
    /// instance stays for ever and `destroy` is skipped.
    pub(crate) fn end(mut self, patience: Duration) -> bool {
        let Some(created) = self.created.take() else {
            return true;
        };
        if !created.instance.end_calls(patience) {
            pin(&self.name);
            created.instance.delist();
            std::mem::forget((
                std::mem::take(&mut self.entries),
                std::mem::take(&mut self.tools),
                std::mem::take(&mut self.commands),
                created,
            ));
            return false;
        }
        let entries = std::mem::take(&mut self.entries);
        let tools = std::mem::take(&mut self.tools);
        let commands = std::mem::take(&mut self.commands);
        loader_thread::run(move || {
            drop((commands, tools));
            entries.into_iter().rev().for_each(drop);
        });
        end(created, patience)
    }

    /// Leaves the plugin as it is, for ever: a dispatch that does not end may be inside it. From now on it is
    /// told that the host is gone.
    pub(crate) fn abandon(mut self) {
        if let Some(created) = self.created.take() {
            created.instance.delist();
            std::mem::forget((self, created));
        }
    }
}
