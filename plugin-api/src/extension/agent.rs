//! `hermes.agent/1`: what a plugin may ask of the agent around it.

use std::{fmt, path::PathBuf};

use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value as Json;

use crate::{
    abi::{
        HostRef, ServiceCode,
        extended::{AGENT, Refused},
    },
    agent::{LlmReply, LlmRequest},
    context::Context,
    error::Error,
};

/// The name of the interface.
pub const NAME: &str = AGENT;

/// What the host read of this plugin before it loaded it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Manifest {
    /// Its key: the name, or `category/name`.
    pub key: String,
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// One line about it.
    pub description: String,
    /// `bundled`, `user` or `project`; absent for a plugin that is linked in.
    pub source: Option<String>,
    /// Its directory; absent for a plugin that is linked in.
    pub path: Option<PathBuf>,
}

/// The agent's model, as a plugin may ask it. Copy it, keep it, use it on any thread.
#[derive(Clone, Copy, Debug)]
pub struct Llm(HostRef);

impl Llm {
    /// Asks, and waits for the answer.
    ///
    /// ```no_run
    /// use hermes_plugin_api::{agent::LlmRequest, prelude::*};
    ///
    /// fn summary(host: HostRef, text: &str) -> Result<String, Error> {
    ///     let request = LlmRequest::new(text).system("Summarise in one sentence.").max_tokens(60);
    ///     Ok(host.llm().complete(&request)?.text)
    /// }
    /// ```
    ///
    /// # Errors
    /// When the agent offers no model, the model failed, or the operator does not let this plugin choose
    /// another model or provider; the text says which.
    pub fn complete(&self, request: &LlmRequest) -> Result<LlmReply, Error> {
        let reply = self
            .0
            .ask_completion(&serde_json::to_string(request)?)
            .map_err(|refused| said("ask the model", refused))?;
        Ok(serde_json::from_str(&reply)?)
    }

    /// Asks for JSON of a schema, and reads it. That it is of the schema is the model's word; that it is
    /// what `T` takes is checked here.
    ///
    /// # Errors
    /// As [`Llm::complete`], and when the answer is not what `T` takes.
    pub fn complete_structured<T: DeserializeOwned>(
        &self,
        request: &LlmRequest,
        schema: Json,
    ) -> Result<T, Error> {
        let mut request = request.clone();
        request.schema = Some(schema);
        let reply = self.complete(&request)?;
        serde_json::from_str(&reply.text).map_err(|error| {
            Error::new(format!("the model's answer is not what was asked: {error}"))
        })
    }
}

impl HostRef {
    /// Runs a tool, of a plugin or of the agent itself, and gives its result, normally JSON text.
    ///
    /// **Fires no hooks**, so no guard sees the call. A tool that fails, or that nobody has, gives a JSON
    /// object with an `error`, as the model would see it. Tools may be dispatched from inside tools, at most
    /// eight deep. While plugins load, only the agent's own can be reached.
    ///
    /// # Errors
    /// When the instance is over, or the host has no such interface.
    pub fn dispatch_tool(&self, name: &str, args: &Json) -> Result<String, Error> {
        self.ask_tool(name, &args.to_string())
            .map_err(|refused| said("dispatch a tool", refused))
    }

    /// Hands the agent a message as if the user had typed it: the next input when it is idle, else it
    /// interrupts what runs. A role other than `user` is put before the text, in brackets.
    ///
    /// False when the agent did not take it: during `register`, where nobody types (behind a gateway), and
    /// once the instance is over. The host logs a warning then.
    #[must_use = "it is false when nobody got the message"]
    pub fn inject_message(&self, content: &str, role: &str) -> bool {
        self.ask_to_inject(content, role).unwrap_or(false)
    }

    /// The active profile; `default` when there are no profiles.
    ///
    /// # Errors
    /// When the instance is over, or the host has no such interface.
    pub fn profile_name(&self) -> Result<String, Error> {
        self.ask_profile()
            .map_err(|refused| said("tell the profile", refused))
    }

    /// What the host read of this plugin: its key, its directory.
    ///
    /// # Errors
    /// When the instance is over, or the host has no such interface.
    pub fn manifest(&self) -> Result<Manifest, Error> {
        let text = self
            .ask_manifest()
            .map_err(|refused| said("tell the manifest", refused))?;
        Ok(serde_json::from_str(&text)?)
    }

    /// The agent's model.
    #[must_use]
    pub const fn llm(&self) -> Llm {
        Llm(*self)
    }
}

impl Context {
    /// What the host read of this plugin: its key, its directory.
    ///
    /// # Errors
    /// When the host has no such interface.
    pub fn manifest(&self) -> Result<Manifest, Error> {
        self.host().ok_or_else(no_host)?.manifest()
    }

    /// The active profile; `default` when there are no profiles.
    ///
    /// # Errors
    /// When the host has no such interface.
    pub fn profile_name(&self) -> Result<String, Error> {
        self.host().ok_or_else(no_host)?.profile_name()
    }
}

fn no_host() -> Error {
    Error::new("there is no host")
}

fn said(what: impl fmt::Display, (code, why): Refused) -> Error {
    match code {
        _ if !why.is_empty() => Error::new(why),
        ServiceCode::GONE => Error::new("the instance of this plugin is over"),
        ServiceCode::UNSUPPORTED => Error::new(format!("this host cannot {what}")),
        code => Error::new(format!("the host did not {what} (code {})", code.0)),
    }
}
