//! `hermes plugins inspect`: one plugin, what it is and what it registers.

mod text;

use std::sync::Arc;

use hermes_loader::inspect::Metadata;
use hermes_loader::{
    Checked, CommandInfo, Fault, HookReport, Host, PluginReport, Refusal, Report, SkillInfo, State,
    check_directory,
};
use serde_json::{Value, json};

use super::check_words;
use super::firing::registered;
use crate::args::InspectArgs;
use crate::inventory::Installed;
use crate::invocation::Invocation;
use crate::problem::Exit;

/// Everything that is known of the plugin.
struct View<'p> {
    plugin: &'p Installed,
    /// Absent for a plugin in Python.
    checked: Option<Result<Checked, Refusal>>,
    /// Present when it was to be loaded.
    host: Option<Host>,
    /// What that came to.
    report: Option<Arc<Report>>,
}

pub(super) fn run(to: &mut Invocation<'_>, args: &InspectArgs) -> anyhow::Result<Exit> {
    let inventory = to.inventory();
    let plugin = inventory.resolve(&args.name, &to.home)?;
    let native = !plugin.is_python();
    let checked = native.then(|| check_directory(&plugin.dir).map(|(_, checked)| checked));
    let loads =
        plugin.loads() && to.safe_mode().is_none() && checked.as_ref().is_some_and(Result::is_ok);
    let host = loads.then(|| to.loader().only([plugin.key.clone()]).load());
    let view = View {
        plugin,
        checked,
        report: host.as_ref().map(Host::report),
        host,
    };
    if args.json {
        to.screen.json(&view.value())?;
    } else {
        view.show(to)?;
    }
    if let Some((what, cure, code)) = view.refusal() {
        if !args.json {
            to.screen.warning(
                &format!("plugin `{}` is refused: {what} [{code}]", plugin.key),
                Some(&cure),
            );
        }
        return Ok(Exit::Problem);
    }
    Ok(Exit::Fine)
}

impl View<'_> {
    fn line(&self) -> Option<&PluginReport> {
        self.report.as_ref()?.get(&self.plugin.key)
    }

    /// Why it does not load although nobody switched it off.
    fn refusal(&self) -> Option<(String, String, &'static str)> {
        if let Some(Err(refusal)) = &self.checked {
            return Some((refusal.to_string(), refusal.cure(), refusal.code()));
        }
        match &self.line()?.state {
            State::Refused(refusal) => Some((refusal.to_string(), refusal.cure(), refusal.code())),
            _ => None,
        }
    }

    fn state(&self) -> &'static str {
        match (self.line(), self.refusal()) {
            (_, Some(_)) => "refused",
            (Some(line), None) => line.state.word(),
            (None, None) if self.plugin.is_python() => "python",
            (None, None) => "off",
        }
    }

    fn metadata(&self) -> Option<&Metadata> {
        Some(&self.checked.as_ref()?.as_ref().ok()?.inspection.metadata)
    }

    fn guard(&self) -> bool {
        let said = || {
            self.plugin
                .manifest_of()?
                .role
                .map(|role| role.as_str() == "guard")
        };
        let own = || self.metadata()?.role.as_deref().map(|role| role == "guard");
        self.line()
            .map_or_else(|| said().or_else(own).unwrap_or(false), |line| line.guard)
    }

    fn hooks(&self) -> &[HookReport] {
        self.line().map_or(&[], |line| line.hooks.as_slice())
    }

    fn commands(&self) -> Vec<CommandInfo> {
        self.host.as_ref().map(Host::commands).unwrap_or_default()
    }

    fn skills(&self) -> Vec<SkillInfo> {
        self.host.as_ref().map(Host::skills).unwrap_or_default()
    }

    fn faults(&self) -> Vec<Fault> {
        self.host.as_ref().map(Host::faults).unwrap_or_default()
    }

    fn value(&self) -> Value {
        let plugin = self.plugin;
        let checks = self
            .checked
            .as_ref()
            .and_then(|checked| checked.as_ref().ok())
            .map(|checked| {
                let all = checked
                    .file_checks
                    .iter()
                    .chain(&checked.inspection.checks)
                    .map(check_words);
                all.map(|(name, went, why)| json!({"check": name, "went": went, "why": why}))
                    .collect::<Vec<_>>()
            });
        let problem = self
            .refusal()
            .map(|(message, cure, code)| json!({"code": code, "message": message, "cure": cure}));
        let line = self.line();
        json!({
            "key": plugin.key, "name": plugin.name, "version": self.version(), "description": plugin.description,
            "source": plugin.source(), "dir": plugin.dir, "status": plugin.status.word(), "state": self.state(),
            "form": plugin.form(), "guard": self.guard(), "metadata": self.metadata().map(metadata_value),
            "checks": checks.unwrap_or_default(), "hooks": self.hooks().iter().map(registered).collect::<Vec<_>>(), "tools": line.map(|line| &line.tools),
            "commands": self.commands(), "skills": self.skills(),
            "tools_off": line.and_then(|line| line.tools_off.as_deref()), "faults": self.faults(), "problem": problem,
        })
    }

    fn version(&self) -> &str {
        let own = || {
            self.metadata()
                .map_or("", |metadata| metadata.version.as_str())
        };
        if self.plugin.version.is_empty() {
            own()
        } else {
            &self.plugin.version
        }
    }
}

fn metadata_value(metadata: &Metadata) -> Value {
    json!({
        "name": metadata.name, "version": metadata.version, "abi": metadata.abi.to_string(),
        "catalogue": metadata.catalogue, "sdk": metadata.sdk, "target": metadata.target,
        "language": metadata.language, "compiler": metadata.compiler, "role": metadata.role,
        "hooks": metadata.hooks,
        "requires": {
            "abi_minor": metadata.requires.abi_minor, "extensions": metadata.requires.extensions,
            "hooks": metadata.requires.hooks,
        },
    })
}
