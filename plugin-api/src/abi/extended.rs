//! The extension tables of a host, as a plugin reaches them through its [`HostRef`].

#[cfg(feature = "extensions")]
use super::JsonTools;
use super::{
    AgentFns, CommandFns, Handler, HostRef, ServiceCode, Services, Sink, SkillFns, Str,
    drop_handler, host_ref::check, member::member, text::Collecting,
};

/// The names of the tables.
pub(crate) const COMMANDS: &str = "hermes.commands/1";
pub(crate) const SKILLS: &str = "hermes.skills/1";
pub(crate) const AGENT: &str = "hermes.agent/1";

/// Where a command is typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Typed {
    InSession,
    InTerminal,
}

/// Why a host did not do what it was asked: its code, and its words if it had any.
pub(crate) type Refused = (ServiceCode, String);

impl HostRef {
    /// The host's half of an interface; null when it has none, or the instance is over.
    pub(super) fn table<T>(&self, name: &str) -> *const T {
        let get = member!(self.services, Services, get_extension);
        get.map_or(std::ptr::null(), |get| {
            // SAFETY: the table is static; the name lives for the call.
            unsafe { get(self.instance, Str::new(name)) }.cast()
        })
    }

    /// What it means that a function is not there.
    fn missing(&self) -> ServiceCode {
        let Some(cancel) = member!(self.services, Services, cancel_timer) else {
            return ServiceCode::UNSUPPORTED;
        };
        // No timer has this id, so a live instance answers that the argument is wrong.
        // SAFETY: the table is static.
        match unsafe { cancel(self.instance, 0) } {
            ServiceCode::GONE => ServiceCode::GONE,
            _ => ServiceCode::UNSUPPORTED,
        }
    }

    /// Offers a command; unless the host takes it, its handler is dropped here.
    pub(crate) fn offer_command(
        &self,
        typed: Typed,
        description: &str,
        handler: Handler,
    ) -> Result<(), ServiceCode> {
        let table = self.table::<CommandFns>(COMMANDS);
        let offer = match typed {
            Typed::InSession => member!(table, CommandFns, slash),
            Typed::InTerminal => member!(table, CommandFns, cli),
        };
        let code = offer.map_or_else(
            || self.missing(),
            |offer| {
                // SAFETY: the table is static; text and handler live for the call.
                unsafe { offer(self.instance, Str::new(description), &raw const handler) }
            },
        );
        if code != ServiceCode::OK {
            drop_handler(handler);
        }
        check(code)
    }

    /// Offers the check of a tool; unless the host takes it, its handler is dropped here.
    #[cfg(feature = "extensions")]
    pub(crate) fn offer_tool_check(&self, name: &str, handler: Handler) -> Result<(), ServiceCode> {
        let table = self.table::<JsonTools>(crate::extension::tools::NAME);
        let code = member!(table, JsonTools, check).map_or_else(
            || self.missing(),
            |check| {
                // SAFETY: the table is static; name and handler live for the call.
                unsafe { check(self.instance, Str::new(name), &raw const handler) }
            },
        );
        if code != ServiceCode::OK {
            drop_handler(handler);
        }
        check(code)
    }

    pub(crate) fn offer_skill(&self, description: &str) -> Result<(), Refused> {
        let offer = member!(self.table::<SkillFns>(SKILLS), SkillFns, offer);
        self.ask(offer, |offer, sink| {
            // SAFETY: the table is static; text and sink live for the call.
            unsafe { offer(self.instance, Str::new(description), sink) }
        })
        .map(drop)
    }

    pub(crate) fn ask_manifest(&self) -> Result<String, Refused> {
        let manifest = member!(self.table::<AgentFns>(AGENT), AgentFns, manifest);
        // SAFETY: the table is static; the sink lives for the call.
        self.ask(manifest, |manifest, sink| unsafe {
            manifest(self.instance, sink)
        })
    }

    pub(crate) fn ask_profile(&self) -> Result<String, Refused> {
        let profile = member!(self.table::<AgentFns>(AGENT), AgentFns, profile_name);
        // SAFETY: the table is static; the sink lives for the call.
        self.ask(profile, |profile, sink| unsafe {
            profile(self.instance, sink)
        })
    }

    pub(crate) fn ask_tool(&self, name: &str, args_json: &str) -> Result<String, Refused> {
        let dispatch = member!(self.table::<AgentFns>(AGENT), AgentFns, dispatch_tool);
        self.ask(dispatch, |dispatch, sink| {
            let (name, args_json) = (Str::new(name), Str::new(args_json));
            // SAFETY: the table is static; texts and sink live for the call.
            unsafe { dispatch(self.instance, name, args_json, sink) }
        })
    }

    pub(crate) fn ask_completion(&self, request_json: &str) -> Result<String, Refused> {
        let complete = member!(self.table::<AgentFns>(AGENT), AgentFns, complete);
        self.ask(complete, |complete, sink| {
            // SAFETY: the table is static; text and sink live for the call.
            unsafe { complete(self.instance, Str::new(request_json), sink) }
        })
    }

    pub(crate) fn ask_to_inject(&self, content: &str, role: &str) -> Result<bool, ServiceCode> {
        let inject = member!(self.table::<AgentFns>(AGENT), AgentFns, inject_message);
        let inject = inject.ok_or_else(|| self.missing())?;
        let mut taken = 0;
        let (content, role) = (Str::new(content), Str::new(role));
        // SAFETY: the table is static; the texts and the place for the answer live for the call.
        check(unsafe { inject(self.instance, content, role, &raw mut taken) })?;
        Ok(taken != 0)
    }

    /// Calls a function that writes text: what it was asked for, or why not.
    fn ask<F>(
        &self,
        function: Option<F>,
        call: impl FnOnce(F, *const Sink) -> ServiceCode,
    ) -> Result<String, Refused> {
        let Some(function) = function else {
            return Err((self.missing(), String::new()));
        };
        let mut out = Vec::new();
        let mut sink = Collecting::new(&mut out);
        let code = call(function, sink.as_raw());
        let text = String::from_utf8_lossy(&out).into_owned();
        if code == ServiceCode::OK {
            Ok(text)
        } else {
            Err((code, text))
        }
    }
}
