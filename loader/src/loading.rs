//! Goes through everything that was found, one plugin at a time; none can stop the others.

use std::path::Path;
use std::sync::{Arc, Weak};

use hermes_plugin_api::abi::{ABI_MAJOR, Root};

use crate::about::About;
use crate::admit::{Candidate, Checked, host_facts, requirements};
use crate::boundary::RootRef;
use crate::commands::CommandKind;
use crate::config::{Config, Entry as Settings, Lookup};
use crate::discover::{Content, Decision, Found, Surroundings, discover, read_manifest};
use crate::home::Home;
use crate::host::Inner;
use crate::inspect::{InspectError, Metadata};
use crate::manifest::{Isolation, Kind, Manifest, OnFailure, Role};
use crate::plugin::{self, Birth, Plugin};
use crate::refusal::{LoadError, Refusal};
use crate::registry::{Entry, Terms};
use crate::report::{
    HookReport, Liveness, PluginReport, Report, State, hermes_hooks, liveness_for,
};
use crate::required;
use crate::tool_info::toolset;
use crate::tool_rules::ToolRules;

/// What is to be loaded, and for whom.
pub(crate) struct Plan<'a> {
    pub(crate) home: &'a Home,
    pub(crate) surroundings: &'a Surroundings,
    pub(crate) only: Option<&'a [String]>,
    pub(crate) linked: &'a [&'static Root],
    pub(crate) safe: bool,
    /// The agent's own tools: name and toolset.
    pub(crate) builtin_tools: &'a [(String, String)],
    pub(crate) host: Weak<Inner>,
}

impl Plan<'_> {
    /// Loads what is to be loaded. The error of one plugin is in its report.
    pub(crate) fn carry_out(self, env: &Lookup<'_>) -> (Vec<Plugin>, Report) {
        let config = Config::load(self.home, env);
        let discovery = discover(self.home, self.surroundings, &config);
        let mut report = Report {
            shadowed: discovery.shadowed,
            unmatched: discovery.unmatched,
            problems: config
                .problems()
                .iter()
                .cloned()
                .chain(discovery.problems)
                .collect(),
            ..Report::default()
        };
        let mut plugins = Vec::new();
        if self.safe {
            tracing::info!("safe mode: no plugin is loaded");
        }
        for root in self.linked.iter().filter(|_| !self.safe) {
            let (plugin, line) = self.link(root, &config, self.tools(&plugins));
            plugins.extend(plugin);
            report.plugins.push(line);
        }
        for found in &discovery.found {
            let (plugin, line) = self.load(found, &config, self.tools(&plugins));
            plugins.extend(plugin);
            report.plugins.push(line);
        }
        report.missing = required::missing(config.plugins(), &report.plugins, self.only, self.safe);
        for missing in &report.missing {
            tracing::error!(plugin = missing.plugin, cure = missing.cure, "{missing}");
        }
        let found = report.plugins.len();
        if found > 0 {
            tracing::info!("plugins: {found} found, {} enabled", plugins.len());
        }
        (plugins, report)
    }

    /// The tools that are there before the next plugin loads.
    fn tools(&self, plugins: &[Plugin]) -> ToolRules {
        let mut rules = ToolRules::agents(self.builtin_tools);
        for plugin in plugins {
            for tool in &plugin.tools {
                let toolset = toolset(&tool.description.json);
                rules.take(&plugin.name, &tool.description.name, toolset);
            }
        }
        rules
    }

    fn load(
        &self,
        found: &Found,
        config: &Config,
        tools: ToolRules,
    ) -> (Option<Plugin>, PluginReport) {
        let settings = config.plugins().entry_for(&found.key, found.name());
        let mut line = PluginReport {
            key: found.key.clone(),
            name: found.name().into(),
            kind: found.manifest.kind,
            version: found.manifest.version.clone(),
            description: found.manifest.description.clone(),
            source: Some(found.source),
            dir: Some(found.dir.clone()),
            guard: role(settings, Some(&found.manifest), None) == Some(Role::Guard),
            state: State::Off(found.decision),
            metadata: None,
            sha256: None,
            hooks: Vec::new(),
            tools: Vec::new(),
            commands: Vec::new(),
            tools_off: None,
        };
        let wanted = |only: &[String]| {
            only.iter()
                .any(|name| *name == found.key || *name == found.name())
        };
        if !found.decision.loads() || self.safe || !self.only.is_none_or(wanted) {
            if found.decision.loads() {
                line.state = State::Off(Decision::AllOff);
            }
            return (None, line);
        }
        if found.content == Content::Python {
            line.state = State::Python;
            return (None, line);
        }
        let candidate = Candidate {
            dir: &found.dir,
            manifest: &found.manifest,
            content: &found.content,
        };
        let opened = candidate.check().and_then(|checked| {
            line.metadata = Some(checked.inspection.metadata.clone());
            line.sha256 = Some(checked.sha256.to_string());
            let role = role(settings, Some(&found.manifest), line.metadata.as_ref());
            line.guard = role == Some(Role::Guard);
            self.open(found, settings, checked, role, tools)
        });
        (settle(&mut line, opened), line)
    }

    fn open(
        &self,
        found: &Found,
        settings: &Settings,
        checked: Checked,
        role: Option<Role>,
        tools: ToolRules,
    ) -> Result<Plugin, Refusal> {
        if let Some(wanted) = settings
            .isolation
            .or(found.manifest.isolation)
            .filter(|word| *word == Isolation::Process)
        {
            return Err(LoadError::Isolation {
                wanted: wanted.as_str().to_owned(),
            }
            .into());
        }
        let terms = terms(settings, Some(&found.manifest), role);
        let about = About::found(found, settings);
        let birth = self.birth(found.name(), settings, terms, about, tools);
        plugin::open(checked, self.home.cache_dir(), birth)
    }

    fn birth(
        &self,
        name: &str,
        settings: &Settings,
        terms: Terms,
        about: About,
        tools: ToolRules,
    ) -> Birth {
        let host = self.host.clone();
        Birth {
            name: name.into(),
            config: settings.config.clone(),
            data_dir: self.home.data_dir(name),
            host,
            terms,
            about,
            tools,
        }
    }

    fn link(
        &self,
        root: &'static Root,
        config: &Config,
        tools: ToolRules,
    ) -> (Option<Plugin>, PluginReport) {
        let root = RootRef::linked(root);
        let metadata = linked_metadata(root);
        let name: Arc<str> = metadata
            .as_ref()
            .map_or("(linked)", |metadata| metadata.name.as_str())
            .into();
        let settings = config.plugins().entry_for(&name, &name);
        let role = role(settings, None, metadata.as_ref().ok());
        let mut line = PluginReport {
            key: name.to_string(),
            kind: Kind::Standalone,
            version: metadata
                .as_ref()
                .map(|metadata| metadata.version.clone())
                .unwrap_or_default(),
            name: Arc::clone(&name),
            description: String::new(),
            source: None,
            dir: None,
            guard: role == Some(Role::Guard),
            state: State::Off(Decision::Disabled),
            metadata: metadata.as_ref().ok().cloned(),
            sha256: None,
            hooks: Vec::new(),
            tools: Vec::new(),
            commands: Vec::new(),
            tools_off: None,
        };
        let rules = config.plugins();
        if rules.all_off || rules.disabled.contains(&*name) || rules.denied.contains(&*name) {
            return (None, line);
        }
        let about = About::linked(&name, &line.version, settings);
        let terms = terms(settings, None, role);
        let birth = self.birth(&name, settings, terms, about, tools);
        let opened = metadata.and_then(|metadata| {
            requirements(&metadata)?;
            plugin::link(root, metadata, birth)
        });
        (settle(&mut line, opened), line)
    }
}

/// What a linked plugin says of itself.
fn linked_metadata(root: RootRef) -> Result<Metadata, Refusal> {
    let header = root.header();
    if header.abi_major != ABI_MAJOR {
        let host = host_facts().abi;
        return Err(InspectError::AbiMajor {
            found: header.abi_major,
            host,
        }
        .into());
    }
    Ok(Metadata::parse(root.metadata())?)
}

fn settle(line: &mut PluginReport, opened: Result<Plugin, Refusal>) -> Option<Plugin> {
    match opened {
        Ok(plugin) => {
            line.state = State::Loaded;
            if line.description.is_empty() {
                let own = line
                    .metadata
                    .as_ref()
                    .and_then(|metadata| metadata.description.clone());
                line.description = own.unwrap_or_default();
            }
            if line.version.is_empty() {
                line.version = line
                    .metadata
                    .as_ref()
                    .map(|metadata| metadata.version.clone())
                    .unwrap_or_default();
            }
            let catalogue = line.metadata.as_ref().map_or(0, |own| own.catalogue);
            let hooks = plugin.entries.iter().map(|entry| hook(entry, catalogue));
            line.hooks = hooks.collect();
            line.tools = plugin
                .tools
                .iter()
                .map(|tool| tool.description.name.clone())
                .collect();
            line.tools_off.clone_from(&plugin.tools_off);
            line.commands = plugin
                .commands
                .iter()
                .filter(|command| command.offer.kind == CommandKind::Slash)
                .map(|command| command.offer.name.clone())
                .collect();
            for odd in &line.hooks {
                if let (Liveness::Unknown | Liveness::Gateway, Some(advice)) =
                    (odd.liveness, odd.advice())
                {
                    let (plugin, name) = (&*line.name, &odd.name);
                    tracing::warn!(
                        plugin,
                        "registers for `{name}`, which this host never fires: {advice} (Hermes' hooks: {})",
                        hermes_hooks()
                    );
                }
            }
            Some(plugin)
        }
        Err(refusal) => {
            tracing::warn!(
                plugin = line.key,
                code = refusal.code(),
                cure = refusal.cure(),
                "plugin refused: {refusal}"
            );
            line.state = State::Refused(refusal);
            None
        }
    }
}

fn hook(entry: &Arc<Entry>, catalogue: u32) -> HookReport {
    let (liveness, suggestion) = liveness_for(&entry.name, catalogue);
    HookReport {
        name: entry.name.clone(),
        liveness,
        suggestion,
        priority: entry.priority,
        guard: entry.guard,
        fails_closed: entry.closed,
        tools: entry
            .tools
            .as_ref()
            .map(|tools| tools.iter().map(ToString::to_string).collect()),
        budget_ms: entry.budget_ms,
    }
}

/// What a plugin is for: the operator's word, else the manifest's, else the library's own.
fn role(
    settings: &Settings,
    manifest: Option<&Manifest>,
    metadata: Option<&Metadata>,
) -> Option<Role> {
    let own = || {
        metadata
            .and_then(|metadata| metadata.role.as_deref())
            .and_then(Role::parse)
    };
    settings
        .role
        .or_else(|| manifest.and_then(|manifest| manifest.role))
        .or_else(own)
}

fn terms(settings: &Settings, manifest: Option<&Manifest>, role: Option<Role>) -> Terms {
    let on_failure = settings
        .on_failure
        .or_else(|| manifest.and_then(|manifest| manifest.on_failure));
    Terms {
        guard: role == Some(Role::Guard),
        transform: role == Some(Role::Transform),
        on_failure: on_failure.map(|word| match word {
            OnFailure::Open => hermes_plugin_api::abi::OnFailure::OPEN,
            OnFailure::Closed => hermes_plugin_api::abi::OnFailure::CLOSED,
        }),
        priority: settings.priority.map(f64::from),
        tools: settings.tools.clone(),
    }
}

/// Checks a plugin's directory without loading it: its manifest, then its library.
///
/// # Errors
/// The first thing that is wrong.
pub fn check_directory(dir: &Path) -> Result<(Manifest, Checked), Refusal> {
    let manifest = read_manifest(dir)?;
    let content = Content::of(dir, &manifest, crate::discover::LibraryNaming::native());
    let checked = Candidate {
        dir,
        manifest: &manifest,
        content: &content,
    }
    .check()?;
    Ok((manifest, checked))
}
