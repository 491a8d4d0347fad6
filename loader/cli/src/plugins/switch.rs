//! `hermes plugins enable` and `disable`: what config.yaml says of a plugin.

use hermes_loader::config::edit::{Change, apply};

use crate::inventory::Installed;
use crate::invocation::Invocation;
use crate::problem::{Exit, Problem};
use crate::screen::{DIM, GOOD, WARN, styled};

pub(super) fn enable(to: &mut Invocation<'_>, typed: &str) -> anyhow::Result<Exit> {
    let inventory = to.inventory();
    let plugin = inventory.resolve(typed, &to.home)?;
    let key = plugin.key.clone();
    if switch_on(to, &key, &plugin.name)? {
        to.screen.line(format!(
            "{} Plugin {key} enabled. Takes effect on next session.",
            styled(GOOD, "✓")
        ))?;
    } else {
        to.screen
            .line(styled(DIM, &format!("Plugin '{key}' is already enabled.")))?;
    }
    doubts(to, &key);
    Ok(Exit::Fine)
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

pub(super) fn disable(to: &mut Invocation<'_>, typed: &str) -> anyhow::Result<Exit> {
    let inventory = to.inventory();
    let plugin = inventory.resolve(typed, &to.home)?;
    let key = &plugin.key;
    let mut changes = Change::disable(key).to_vec();
    if plugin.name != *key {
        changes.extend(
            Change::disable(&plugin.name)
                .into_iter()
                .filter(|change| matches!(change, Change::Remove(..))),
        );
    }
    if apply(&to.home, &changes).map_err(Problem::from)? {
        tracing::info!(plugin = key, "disabled in config.yaml");
        to.screen.line(format!(
            "{} Plugin {key} disabled. Takes effect on next session.",
            styled(WARN, "⊘")
        ))?;
    } else {
        to.screen
            .line(styled(DIM, &format!("Plugin '{key}' is already disabled.")))?;
    }
    Ok(Exit::Fine)
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
