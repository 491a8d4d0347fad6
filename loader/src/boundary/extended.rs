//! The host's half of the extension interfaces: static tables, behind an instance's handle as the services are.

use std::ffi::c_void;
use std::sync::Arc;

use hermes_plugin_api::abi::host::{
    CommandKind, CommandOffer, OwnedHandler, SkillOffer, completed, injected, next_id, sized,
};
use hermes_plugin_api::abi::{AgentFns, CommandFns, Handler, ServiceCode, Sink, SkillFns, Str};
use hermes_plugin_api::agent::Agent;
use hermes_plugin_api::extension;
use serde_json::{Map, Value};

use super::Instance;
use super::instance::StagedCommand;
use super::registrar::json_tools;
use super::services::with;
use crate::fault::one_line;

/// Every interface this host has a half of.
pub(crate) const EXTENSIONS: &[&str] = &[
    extension::tools::NAME,
    extension::commands::NAME,
    extension::skills::NAME,
    extension::agent::NAME,
    extension::gateway::NAME,
    extension::middleware::NAME,
    hermes_plugin_api::abi::CALLS,
];

/// The table of this name, or null.
pub(super) fn table(name: &str) -> *const c_void {
    match name {
        extension::tools::NAME => json_tools(),
        extension::commands::NAME => std::ptr::from_ref(&COMMANDS).cast(),
        extension::skills::NAME => std::ptr::from_ref(&SKILLS).cast(),
        extension::agent::NAME => std::ptr::from_ref(&AGENT).cast(),
        hermes_plugin_api::abi::CALLS => (&raw const super::calls::CALL_SLOTS).cast(),
        _ => super::live::table(name).unwrap_or(std::ptr::null()),
    }
}

/// What the tables ask of the host as a whole.
pub(crate) trait AgentPort: Send + Sync {
    /// Whether the agent has a slash command of this name itself.
    fn has_builtin_command(&self, name: &str) -> bool;
    /// Runs a tool, of a plugin or of the agent; fires no hooks. What comes back is what a model would see.
    fn dispatch_tool(&self, name: &str, args: &Map<String, Value>) -> String;
    /// The name of the active profile.
    fn profile(&self) -> &str;
    /// The agent around the plugins.
    fn agent(&self) -> Option<&Arc<dyn Agent>>;
}

static COMMANDS: CommandFns = CommandFns {
    size: size_of::<CommandFns>() as u32,
    reserved: 0,
    slash: Some(slash),
    cli: Some(cli),
};

static SKILLS: SkillFns = SkillFns {
    size: size_of::<SkillFns>() as u32,
    reserved: 0,
    offer: Some(skill),
};

static AGENT: AgentFns = AgentFns {
    size: size_of::<AgentFns>() as u32,
    reserved: 0,
    manifest: Some(manifest),
    profile_name: Some(profile_name),
    dispatch_tool: Some(dispatch_tool),
    inject_message: Some(inject_message),
    complete: Some(complete),
};

unsafe extern "C" fn slash(
    instance: u64,
    description: Str,
    handler: *const Handler,
) -> ServiceCode {
    // SAFETY: both are lent by the plugin for the call.
    unsafe { command(CommandKind::Slash, instance, description, handler) }
}

unsafe extern "C" fn cli(instance: u64, description: Str, handler: *const Handler) -> ServiceCode {
    // SAFETY: both are lent by the plugin for the call.
    unsafe { command(CommandKind::Cli, instance, description, handler) }
}

/// # Safety
/// `description` and `handler` must be lent for the call.
unsafe fn command(
    kind: CommandKind,
    instance: u64,
    description: Str,
    handler: *const Handler,
) -> ServiceCode {
    with(instance, |instance| {
        if !instance.is_open() {
            return ServiceCode::CLOSED;
        }
        let plugin = &*instance.plugin;
        // SAFETY: by the caller's promise.
        let description = unsafe { description.text() }.unwrap_or_default();
        let offer = match CommandOffer::read(kind, description) {
            Ok(offer) => offer,
            Err(why) => {
                tracing::warn!(plugin, "command ignored: {}", one_line(&why));
                return ServiceCode::INVALID;
            }
        };
        let Some(host) = instance.host() else {
            return ServiceCode::GONE;
        };
        if kind == CommandKind::Slash && host.has_builtin_command(&offer.name) {
            let name = one_line(&offer.name);
            tracing::warn!(plugin, "command ignored: `/{name}` is the agent's own");
            return ServiceCode::INVALID;
        }
        // SAFETY: null, or lent by the plugin for the call.
        let raw = unsafe { sized(handler, size_of::<Handler>()) };
        let Some(raw) = raw.filter(|raw| raw.call.is_some()) else {
            let name = one_line(&offer.name);
            tracing::warn!(plugin, "command ignored: `{name}` has no function");
            return ServiceCode::INVALID;
        };
        // SAFETY: the plugin hands the handler over, unless we answer that we did not take it.
        let handler = unsafe { OwnedHandler::new(raw) };
        let id = next_id();
        let staged = StagedCommand { id, offer, handler };
        match instance.stage(staged, |staging, staged| staging.commands.push(staged)) {
            Ok(()) => ServiceCode::OK,
            Err(refused) => {
                // It stays the plugin's, which drops it.
                std::mem::forget(refused.handler);
                ServiceCode::CLOSED
            }
        }
    })
}

unsafe extern "C" fn skill(instance: u64, description: Str, why: *const Sink) -> ServiceCode {
    with(instance, |instance| {
        if !instance.is_open() {
            return ServiceCode::CLOSED;
        }
        // SAFETY: lent by the plugin for the call.
        let description = unsafe { description.text() }.unwrap_or_default();
        match SkillOffer::read(description, instance.about.dir.as_deref()) {
            Ok(offer) => instance
                .stage(offer, |staging, offer| staging.skills.push(offer))
                .map_or(ServiceCode::CLOSED, |()| ServiceCode::OK),
            Err(text) => {
                // SAFETY: null, or lent by the plugin for the call.
                let _ = unsafe { Sink::answer(why, &text) };
                ServiceCode::INVALID
            }
        }
    })
}

unsafe extern "C" fn manifest(instance: u64, sink: *const Sink) -> ServiceCode {
    with(instance, |instance| {
        // SAFETY: lent by the plugin for the call.
        unsafe { Sink::answer(sink, &instance.about.manifest.to_string()) }
    })
}

unsafe extern "C" fn profile_name(instance: u64, sink: *const Sink) -> ServiceCode {
    with(instance, |instance| {
        let Some(host) = instance.host() else {
            return ServiceCode::GONE;
        };
        // SAFETY: lent by the plugin for the call.
        unsafe { Sink::answer(sink, host.profile()) }
    })
}

unsafe extern "C" fn dispatch_tool(
    instance: u64,
    name: Str,
    args_json: Str,
    result: *const Sink,
) -> ServiceCode {
    with(instance, |instance| {
        let Some(host) = instance.host() else {
            return ServiceCode::GONE;
        };
        // SAFETY: lent by the plugin for the call.
        let Ok(name) = (unsafe { name.text() }) else {
            return ServiceCode::INVALID;
        };
        // SAFETY: as above.
        let args = unsafe { args_json.text() }.unwrap_or_default();
        let Ok(args) = crate::payload::parse(args) else {
            let plugin = &*instance.plugin;
            let name = one_line(name);
            tracing::warn!(
                plugin,
                "tool `{name}` not dispatched: its arguments are no JSON object"
            );
            return ServiceCode::INVALID;
        };
        let text = host.dispatch_tool(name, &args);
        // SAFETY: lent by the plugin for the call.
        unsafe { Sink::answer(result, &text) }
    })
}

unsafe extern "C" fn inject_message(
    instance: u64,
    content: Str,
    role: Str,
    taken: *mut u32,
) -> ServiceCode {
    with(instance, |instance| {
        // SAFETY: lent by the plugin for the call.
        let content = unsafe { content.text() };
        // SAFETY: as above.
        let role = unsafe { role.text() };
        let (Ok(content), Ok(role)) = (content, role) else {
            return ServiceCode::INVALID;
        };
        let took = inject(instance, &injected(content, role));
        // SAFETY: null, or a place of the plugin's to write to.
        if let Some(taken) = unsafe { taken.as_mut() } {
            *taken = took.into();
        }
        ServiceCode::OK
    })
}

/// Hands a message to the agent; where nobody takes it, that is said.
fn inject(instance: &Instance, text: &str) -> bool {
    let plugin = &*instance.plugin;
    if instance.is_open() {
        tracing::warn!(
            plugin,
            "message not injected: a plugin that registers has nobody to talk to yet"
        );
        return false;
    }
    let host = instance.host();
    let agent = host.as_ref().and_then(|host| host.agent());
    let took = agent.is_some_and(|agent| agent.inject_message(plugin, text));
    if !took {
        tracing::warn!(
            plugin,
            "message not injected: this agent has no interactive front end"
        );
    }
    took
}

unsafe extern "C" fn complete(instance: u64, request_json: Str, reply: *const Sink) -> ServiceCode {
    with(instance, |instance| {
        // SAFETY: lent by the plugin for the call.
        let request = unsafe { request_json.text() }.unwrap_or_default();
        let (about, plugin) = (&instance.about, &*instance.plugin);
        let completed = completed((plugin, &about.key), &about.llm, request, || {
            Some(instance.host()?.agent().cloned())
        });
        // SAFETY: lent by the plugin for the call.
        unsafe { Sink::answer_result(reply, completed) }
    })
}
