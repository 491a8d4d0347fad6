//! `hermes plugins enable` and `disable`: what config.yaml says of a plugin.

use hermes_loader::config::edit::{Change, apply};
use hermes_loader::discover::Source;
use serde_json::json;

use crate::args::{DisableArgs, EnableArgs};
use crate::excerpt::safe;
use crate::inventory::Installed;
use crate::invocation::Invocation;
use crate::problem::{Exit, Problem};
use crate::screen::{DIM, GOOD, WARN, styled};

pub(super) fn enable(to: &mut Invocation<'_>, args: &EnableArgs) -> anyhow::Result<Exit> {
    to.screen.only_json(args.json);
    let inventory = to.inventory();
    let plugin = inventory.resolve(&args.name, &to.home)?;
    let said = match (args.allow_tool_override, args.no_allow_tool_override) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ => None,
    };
    let (changed, allowed) = turn_on(to, plugin, said)?;
    if to.screen.is_json() {
        let action = if changed {
            "enabled"
        } else {
            "already enabled"
        };
        to.screen.json(&json!({
            "action": action, "key": plugin.key, "name": plugin.name, "changed": changed,
            "allow_tool_override": allowed,
        }))?;
    }
    Ok(Exit::Fine)
}

/// Enables a plugin, and says so. Whether that changed anything, and what is now said about tools.
pub(super) fn turn_on(
    to: &mut Invocation<'_>,
    plugin: &Installed,
    said: Option<bool>,
) -> anyhow::Result<(bool, Option<bool>)> {
    let key = &plugin.key;
    let changed = switch_on(to, key, &plugin.name)?;
    if changed {
        to.screen.line(format!(
            "{} Plugin {} enabled. Takes effect on next session.",
            styled(GOOD, "✓"),
            safe(key)
        ))?;
    } else {
        to.screen.line(styled(
            DIM,
            &format!("Plugin '{}' is already enabled.", safe(key)),
        ))?;
    }
    let allowed = tools(to, plugin, said, changed)?;
    doubts(to, key);
    Ok((changed, allowed))
}

/// Whether the plugin may replace built-in tools: as the command line says, else as a person does who
/// has just enabled it. Bundled plugins may not be asked about: whoever ships them has decided.
fn tools(
    to: &mut Invocation<'_>,
    plugin: &Installed,
    said: Option<bool>,
    changed: bool,
) -> anyhow::Result<Option<bool>> {
    let key = &plugin.key;
    let before = || {
        let config = to.config();
        config
            .plugins()
            .entry_for(key, &plugin.name)
            .allow_tool_override
    };
    let asks = changed && plugin.source != Some(Source::Bundled) && to.screen.can_ask();
    let allowed = match said {
        Some(allowed) => allowed,
        None if asks => to.screen.ask(&format!(
            "May {} replace tools that the agent has built in?",
            safe(key)
        )),
        None => return Ok(before()),
    };
    let change = Change::AllowToolOverride(key.clone(), allowed);
    let written = apply(&to.home, &[change]).map_err(Problem::from)?;
    if written || said.is_some() {
        let may = if allowed { "may" } else { "may not" };
        to.screen
            .line(format!("  it {may} replace built-in tools"))?;
    }
    Ok(Some(allowed))
}

/// Puts the key into `plugins.enabled`, and every name of the plugin out of `plugins.disabled`.
pub(super) fn switch_on(to: &Invocation<'_>, key: &str, name: &str) -> anyhow::Result<bool> {
    let mut changes = Change::enable(key).to_vec();
    if name != key {
        // Either spelling would keep it off.
        changes.extend(
            Change::enable(name)
                .into_iter()
                .filter(|change| matches!(change, Change::Remove(..))),
        );
    }
    let changed = apply(&to.home, &changes).map_err(Problem::from)?;
    if changed {
        tracing::info!(plugin = key, "enabled in config.yaml");
    }
    Ok(changed)
}

pub(super) fn disable(to: &mut Invocation<'_>, args: &DisableArgs) -> anyhow::Result<Exit> {
    to.screen.only_json(args.json);
    let inventory = to.inventory();
    let plugin = inventory.resolve(&args.name, &to.home)?;
    let changed = turn_off(to, plugin)?;
    if to.screen.is_json() {
        let action = if changed {
            "disabled"
        } else {
            "already disabled"
        };
        to.screen.json(&json!({
            "action": action, "key": plugin.key, "name": plugin.name, "changed": changed,
        }))?;
    }
    Ok(Exit::Fine)
}

/// Disables a plugin, and says so. Whether that changed anything.
pub(super) fn turn_off(to: &mut Invocation<'_>, plugin: &Installed) -> anyhow::Result<bool> {
    let key = &plugin.key;
    let mut changes = Change::disable(key).to_vec();
    if plugin.name != *key {
        changes.extend(
            Change::disable(&plugin.name)
                .into_iter()
                .filter(|change| matches!(change, Change::Remove(..))),
        );
    }
    let changed = apply(&to.home, &changes).map_err(Problem::from)?;
    if changed {
        tracing::info!(plugin = key, "disabled in config.yaml");
        to.screen.line(format!(
            "{} Plugin {} disabled. Takes effect on next session.",
            styled(WARN, "⊘"),
            safe(key)
        ))?;
    } else {
        to.screen.line(styled(
            DIM,
            &format!("Plugin '{}' is already disabled.", safe(key)),
        ))?;
    }
    if to.config().plugins().is_required(key, &plugin.name) {
        to.screen.warning(
            &format!("plugin `{key}` is required: what it covers is refused while it is disabled"),
            Some("take it out of `plugins.required`, or enable it"),
        );
    }
    Ok(changed)
}

/// Says what would still keep the plugin from loading: a success that is none helps nobody.
fn doubts(to: &mut Invocation<'_>, key: &str) {
    let inventory = to.inventory();
    let Some(plugin) = inventory.plugins.iter().find(|plugin| plugin.key == key) else {
        return;
    };
    if let Some((what, cure)) = doubt(plugin) {
        to.screen.warning(&what, cure.as_deref());
    }
}

pub(super) fn doubt(plugin: &Installed) -> Option<(String, Option<String>)> {
    let key = &plugin.key;
    if let Some((why, cure)) = plugin.held_back() {
        return Some((
            format!("plugin `{key}` will not load all the same: {why}"),
            cure,
        ));
    }
    let fate = plugin.fate()?;
    Some((
        format!(
            "plugin `{key}` will be refused: {} [{}]",
            fate.message, fate.code
        ),
        fate.cure,
    ))
}
