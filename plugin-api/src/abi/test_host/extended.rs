//! The extension tables of the host in memory.

use std::ffi::c_void;

use serde_json::{Map, Value as Json};

use super::{
    instance::{Instance, StagedCommand},
    services::with,
};
use crate::abi::{
    AgentFns, CommandFns, Handler, Level, ServiceCode, Sink, SkillFns, Str,
    extended::{AGENT, COMMANDS, SKILLS},
    host::{
        CommandKind, CommandOffer, Logged, OwnedHandler, SkillOffer, command_name, completed,
        injected, next_id,
    },
    member::sized,
};

/// The table of this name, or null.
pub(super) fn table(name: &str) -> *const c_void {
    match name {
        #[cfg(feature = "extensions")]
        crate::extension::tools::NAME => std::ptr::from_ref(&TOOL_FNS).cast(),
        COMMANDS => std::ptr::from_ref(&COMMAND_FNS).cast(),
        SKILLS => std::ptr::from_ref(&SKILL_FNS).cast(),
        AGENT => std::ptr::from_ref(&AGENT_FNS).cast(),
        crate::abi::CALLS => (&raw const super::calls::CALL_SLOTS).cast(),
        _ => super::live::table(name).unwrap_or(std::ptr::null()),
    }
}

static COMMAND_FNS: CommandFns = CommandFns {
    size: size_of::<CommandFns>() as u32,
    reserved: 0,
    slash: Some(slash),
    cli: Some(cli),
};

/// Tools come as trait objects only: what the JSON form is for is not in this process.
#[cfg(feature = "extensions")]
static TOOL_FNS: crate::abi::JsonTools = crate::abi::JsonTools {
    size: size_of::<crate::abi::JsonTools>() as u32,
    reserved: 0,
    register: None,
    check: Some(check),
};

static SKILL_FNS: SkillFns = SkillFns {
    size: size_of::<SkillFns>() as u32,
    reserved: 0,
    offer: Some(skill),
};

static AGENT_FNS: AgentFns = AgentFns {
    size: size_of::<AgentFns>() as u32,
    reserved: 0,
    manifest: Some(manifest),
    profile_name: Some(profile_name),
    dispatch_tool: Some(dispatch_tool),
    inject_message: Some(inject_message),
    complete: Some(complete),
};

impl Instance {
    fn warn(&self, message: String) {
        self.log(Logged {
            level: Level::WARN,
            target: "host".to_owned(),
            message,
            file: String::new(),
            line: 0,
            fields: Map::new(),
        });
    }
}

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
        if !instance.is_registering() {
            return ServiceCode::CLOSED;
        }
        // SAFETY: by the caller's promise.
        let description = unsafe { description.text() }.unwrap_or_default();
        let offer = match CommandOffer::read(kind, description) {
            Ok(offer) => offer,
            Err(why) => {
                instance.warn(format!("command ignored: {why}"));
                return ServiceCode::INVALID;
            }
        };
        let builtin = instance.port.upgrade().is_some_and(|host| {
            let name = command_name(&offer.name);
            kind == CommandKind::Slash && host.has_builtin(&name)
        });
        if builtin {
            let name = &offer.name;
            instance.warn(format!("command ignored: `/{name}` is the host's own"));
            return ServiceCode::INVALID;
        }
        // SAFETY: null, or lent by the plugin for the call.
        let raw = unsafe { sized(handler, size_of::<Handler>()) };
        let Some(raw) = raw.filter(|raw| raw.call.is_some()) else {
            return ServiceCode::INVALID;
        };
        // SAFETY: the plugin hands the handler over, unless we answer that we did not take it.
        let handler = unsafe { OwnedHandler::new(raw) };
        let id = next_id();
        let staged = StagedCommand { id, offer, handler };
        match instance.stage(staged, |staging, staged| staging.commands.push(staged)) {
            None => ServiceCode::OK,
            Some(refused) => {
                // It stays the plugin's, which drops it.
                std::mem::forget(refused.handler);
                ServiceCode::CLOSED
            }
        }
    })
}

#[cfg(feature = "extensions")]
unsafe extern "C" fn check(instance: u64, name: Str, handler: *const Handler) -> ServiceCode {
    with(instance, |instance| {
        // SAFETY: lent by the plugin for the call.
        let tool = unsafe { name.text() }.unwrap_or_default().to_owned();
        // SAFETY: null, or lent by the plugin for the call.
        let raw = unsafe { sized(handler, size_of::<Handler>()) };
        let Some(raw) = raw.filter(|raw| raw.call.is_some()) else {
            return ServiceCode::INVALID;
        };
        // SAFETY: the plugin hands the handler over, unless we answer that we did not take it.
        let handler = unsafe { OwnedHandler::new(raw) };
        let id = next_id();
        let staged = super::instance::StagedCheck { id, tool, handler };
        match instance.stage(staged, |staging, staged| staging.checks.push(staged)) {
            None => ServiceCode::OK,
            Some(refused) => {
                // It stays the plugin's, which drops it.
                std::mem::forget(refused.handler);
                ServiceCode::CLOSED
            }
        }
    })
}

unsafe extern "C" fn skill(instance: u64, description: Str, why: *const Sink) -> ServiceCode {
    with(instance, |instance| {
        if !instance.is_registering() {
            return ServiceCode::CLOSED;
        }
        // SAFETY: lent by the plugin for the call.
        let description = unsafe { description.text() }.unwrap_or_default();
        match SkillOffer::read(description, instance.terms.dir.as_deref()) {
            Ok(offer) => {
                instance.stage(offer, |staging, offer| staging.skills.push(offer));
                ServiceCode::OK
            }
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
        unsafe { Sink::answer(sink, &instance.terms.manifest().to_string()) }
    })
}

unsafe extern "C" fn profile_name(instance: u64, sink: *const Sink) -> ServiceCode {
    with(instance, |instance| {
        let profile = instance.port.upgrade().map(|host| host.profile());
        // SAFETY: lent by the plugin for the call.
        profile.map_or(ServiceCode::GONE, |profile| unsafe {
            Sink::answer(sink, &profile)
        })
    })
}

unsafe extern "C" fn dispatch_tool(
    instance: u64,
    name: Str,
    args_json: Str,
    result: *const Sink,
) -> ServiceCode {
    with(instance, |instance| {
        let Some(host) = instance.port.upgrade() else {
            return ServiceCode::GONE;
        };
        // SAFETY: lent by the plugin for the call.
        let name = unsafe { name.text() }.unwrap_or_default();
        // SAFETY: as above.
        let args = unsafe { args_json.text() }.unwrap_or_default();
        let Ok(Json::Object(args)) = serde_json::from_str(args) else {
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
        let took = !instance.is_registering() && inject(instance, &injected(content, role));
        if !took {
            instance.warn("message not injected: nobody types here".to_owned());
        }
        // SAFETY: null, or a place of the plugin's to write to.
        if let Some(taken) = unsafe { taken.as_mut() } {
            *taken = took.into();
        }
        ServiceCode::OK
    })
}

fn inject(instance: &Instance, text: &str) -> bool {
    let agent = instance.port.upgrade().and_then(|host| host.agent());
    agent.is_some_and(|agent| agent.inject_message(instance.plugin(), text))
}

unsafe extern "C" fn complete(instance: u64, request_json: Str, reply: *const Sink) -> ServiceCode {
    with(instance, |instance| {
        // SAFETY: lent by the plugin for the call.
        let request = unsafe { request_json.text() }.unwrap_or_default();
        let plugin = instance.plugin();
        let completed = completed((plugin, plugin), &instance.terms.llm, request, || {
            Some(instance.port.upgrade()?.agent())
        });
        // SAFETY: lent by the plugin for the call.
        unsafe { Sink::answer_result(reply, completed) }
    })
}
