//! Whether the hooks that a plugin names are ever fired here, in the words of lists.

use hermes_loader::manifest::{Manifest, Role};
use hermes_loader::{Checked, HookReport, Liveness, advice, liveness};
use serde_json::{Value, json};

/// `live`, `never fires here` or `unknown`.
pub(crate) fn words(liveness: Liveness, meant: Option<&str>) -> &'static str {
    match (liveness, meant) {
        (Liveness::Live, _) => "live",
        (Liveness::Unknown, None) => "unknown",
        _ => "never fires here",
    }
}

/// The same of a hook that is only named, and what to do about it if it is not live.
pub(crate) fn firing(name: &str) -> (&'static str, Option<String>) {
    let (liveness, meant) = liveness(name);
    (words(liveness, meant), advice(name))
}

/// A hook that is only named, as JSON.
pub(super) fn named(name: &str) -> Value {
    let (fires, advice) = firing(name);
    json!({"name": name, "liveness": liveness(name).0, "fires": fires, "advice": advice})
}

/// A hook that was registered, as JSON: all of its report, then the same words.
pub(super) fn registered(hook: &HookReport) -> Value {
    let mut value = json!(hook);
    if let Some(members) = value.as_object_mut() {
        members.insert(
            "fires".to_owned(),
            json!(words(hook.liveness, hook.suggestion)),
        );
        members.insert("advice".to_owned(), json!(hook.advice()));
    }
    value
}

/// The hooks that a plugin says it uses: its library's word, else its manifest's.
pub(crate) fn declared<'p>(
    checked: Option<&'p Checked>,
    manifest: Option<&'p Manifest>,
) -> &'p [String] {
    let own = checked.map_or(&[][..], |checked| {
        checked.inspection.metadata.hooks.as_slice()
    });
    match manifest {
        Some(manifest) if own.is_empty() && !manifest.provides_hooks.is_empty() => {
            &manifest.provides_hooks
        }
        Some(manifest) if own.is_empty() => &manifest.hooks,
        _ => own,
    }
}

/// A guard of whose hooks none can ever fire.
pub(super) struct Idle {
    pub(super) message: String,
    pub(super) cure: String,
}

/// The stable name of that problem.
pub(super) const GUARDS_NOTHING: &str = "guards_nothing";

/// Whether it is a guard that guards nothing, as far as its library says which hooks it uses. `said` is the
/// operator's word on its role.
pub(super) fn idle(
    checked: &Checked,
    manifest: Option<&Manifest>,
    said: Option<Role>,
) -> Option<Idle> {
    let about = &checked.inspection.metadata;
    let own = || about.role.as_deref().and_then(Role::parse);
    let role = said
        .or_else(|| manifest.and_then(|manifest| manifest.role))
        .or_else(own);
    let hooks = declared(Some(checked), None);
    let live = |name: &String| liveness(name).0 == Liveness::Live;
    if role != Some(Role::Guard) || hooks.is_empty() || hooks.iter().any(live) {
        return None;
    }
    let names: Vec<String> = hooks.iter().map(|name| format!("`{name}`")).collect();
    let advised: Vec<String> = hooks
        .iter()
        .filter_map(|name| Some(format!("`{name}`: {}", advice(name)?)))
        .collect();
    Some(Idle {
        message: format!(
            "it is a guard and guards nothing: this host never fires {}",
            names.join(", ")
        ),
        cure: advised.join("\n"),
    })
}
