//! `hermes.commands/1`: slash commands, and sub-commands of the terminal program.

use std::future::Future;

use serde_json::{Value as Json, json};

use crate::{
    abi::{
        AnswerWriter, CallRef, Handler, ServiceCode, Status, Value, WriteError,
        extended::{COMMANDS, Typed},
        thunk,
    },
    answers::{Answer, Reply},
    asynchronous,
    catalogue::{CliExecute, CommandExecute, HookPoint as _},
    context::Context,
    error::Error,
};

/// The name of the interface.
pub const NAME: &str = COMMANDS;

/// A slash command, as it is described.
///
/// The host turns its name into lower case, takes the white space around it and the leading `/` away, and
/// puts `-` for blanks. It warns of a name that is empty or one of its own commands, and ignores the
/// command. A name that is given twice is the later one's.
#[derive(Clone, Debug)]
#[must_use]
pub struct Command {
    name: String,
    description: String,
    args_hint: String,
}

impl Command {
    /// A command of this name.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            description: String::new(),
            args_hint: String::new(),
        }
    }

    /// One line about it.
    pub fn description(mut self, text: impl Into<String>) -> Self {
        self.description = text.into();
        self
    }

    /// What may be typed behind it, e.g. `[on|off]`.
    pub fn args_hint(mut self, text: impl Into<String>) -> Self {
        self.args_hint = text.into();
        self
    }

    fn describe(&self) -> String {
        json!({ "name": self.name, "description": self.description, "args_hint": self.args_hint })
            .to_string()
    }
}

/// A sub-command of the terminal program, as it is described: `hermes <name> …`.
///
/// Its name is treated as a [`Command`]'s is. A command that the program has itself goes first.
#[derive(Clone, Debug)]
#[must_use]
pub struct CliCommand {
    name: String,
    help: String,
    description: String,
}

impl CliCommand {
    /// A sub-command of this name.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            help: String::new(),
            description: String::new(),
        }
    }

    /// How it is used; shown for `--help`.
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help = text.into();
        self
    }

    /// One line about it.
    pub fn description(mut self, text: impl Into<String>) -> Self {
        self.description = text.into();
        self
    }

    fn describe(&self) -> String {
        json!({ "name": self.name, "help": self.help, "description": self.description }).to_string()
    }
}

/// What a sub-command prints, and the exit code it ends the program with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use]
#[non_exhaustive]
pub struct CliOutput {
    /// The text.
    pub text: String,
    /// The exit code, 0 to 255.
    pub code: i32,
}

impl CliOutput {
    /// A text, and that all is well.
    pub fn text(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            code: 0,
        }
    }

    /// The exit code; 0 unless said otherwise.
    pub const fn code(mut self, code: i32) -> Self {
        self.code = code;
        self
    }
}

impl Answer for CliOutput {
    fn write(self, writer: &AnswerWriter<'_>) -> Result<Status, WriteError> {
        writer.set_str(0, &self.text)?;
        writer.set(1, Value::i64(self.code.into()))?;
        Ok(Status::ANSWERED)
    }
}

/// What a command says; no text and an empty one are the same.
fn say(said: Option<String>, call: CallRef<'_>) -> Result<Status, Error> {
    match said.filter(|text| !text.is_empty()) {
        Some(text) => Ok(Reply::text(text).write(&call.answer())?),
        None => Ok(Status::NONE),
    }
}

impl Context {
    /// Offers a slash command. It is called with what stands behind its name, and may answer with a text
    /// for the user.
    ///
    /// ```
    /// use hermes_plugin_api::prelude::*;
    ///
    /// fn register(ctx: &mut Context) -> Result<(), Error> {
    ///     ctx.command(Command::new("fence").description("Says what is fenced in.").args_hint("[task]"), |args| {
    ///         Ok(Some(format!("fenced in: {}", if args.is_empty() { "everything" } else { args })))
    ///     });
    ///     Ok(())
    /// }
    /// ```
    pub fn command<F>(&mut self, command: Command, run: F)
    where
        F: Fn(&str) -> Result<Option<String>, Error> + Send + Sync + 'static,
    {
        let handler = thunk::handler(self.host(), move |call| {
            say(run(CommandExecute::view(call).raw_args())?, call)
        });
        let (name, description) = (&command.name, command.describe());
        self.offer(Typed::InSession, name, &description, handler);
    }

    /// Offers a slash command whose answer takes its time. An agent waits for it, at most 30 seconds where
    /// a user waits with it.
    pub fn command_async<F, Fut>(&mut self, command: Command, run: F)
    where
        F: Fn(String) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Option<String>, Error>> + Send + 'static,
    {
        let host = self.host();
        let handler = thunk::handler(host, move |call| {
            let args = CommandExecute::view(call).raw_args().to_owned();
            let future = asynchronous::place(host, run(args));
            let judgement: thunk::Judgement = Box::pin(async move {
                let said = future.await??;
                let answered: thunk::Answered = Box::new(move |call| say(said, call));
                Ok(answered)
            });
            thunk::pend(host, call, judgement)
        });
        let (name, description) = (&command.name, command.describe());
        self.offer(Typed::InSession, name, &description, handler);
    }

    /// Offers a sub-command of the terminal program, `hermes <name> …`. It is called with the words behind
    /// its name.
    ///
    /// ```
    /// use hermes_plugin_api::prelude::*;
    ///
    /// fn register(ctx: &mut Context) -> Result<(), Error> {
    ///     ctx.cli_command(CliCommand::new("fence").help("hermes fence [list|clear]"), |argv| match argv {
    ///         [word] if word == "list" => Ok(CliOutput::text("nothing is fenced in")),
    ///         _ => Ok(CliOutput::text("usage: hermes fence list").code(2)),
    ///     });
    ///     Ok(())
    /// }
    /// ```
    pub fn cli_command<F>(&mut self, command: CliCommand, run: F)
    where
        F: Fn(&[String]) -> Result<CliOutput, Error> + Send + Sync + 'static,
    {
        let handler = thunk::handler(self.host(), move |call| {
            let argv = match CliExecute::view(call).argv().to_json() {
                Json::Array(words) => words,
                _ => Vec::new(),
            };
            let argv: Vec<String> = argv
                .iter()
                .map(|word| word.as_str().unwrap_or_default().to_owned())
                .collect();
            Ok(run(&argv)?.write(&call.answer())?)
        });
        let (name, description) = (&command.name, command.describe());
        self.offer(Typed::InTerminal, name, &description, handler);
    }

    fn offer(&self, typed: Typed, name: &str, description: &str, handler: Handler) {
        let offered = match self.host() {
            Some(host) => host.offer_command(typed, description, handler),
            None => {
                crate::abi::drop_handler(handler);
                Err(ServiceCode::UNSUPPORTED)
            }
        };
        match offered {
            // The host has said what is wrong with it.
            Ok(()) | Err(ServiceCode::INVALID) => {}
            Err(ServiceCode::UNSUPPORTED) => {
                tracing::warn!("this host takes no commands of plugins; `{name}` is not offered");
            }
            Err(code) => {
                tracing::warn!(
                    "the host did not take the command `{name}` (code {})",
                    code.0
                );
            }
        }
    }
}
