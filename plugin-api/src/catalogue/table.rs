//! What the table says of a hook.

use crate::abi::{CallRef, Datum, OnFailure, TreeKind};

/// Whose names and rules a hook follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Dialect {
    /// Hermes Agent.
    Hermes,
    /// OpenClaw.
    OpenClaw,
    /// This host's own callbacks: timers, tools.
    Host,
}

/// How the handlers of an event are called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// They watch; their answers are ignored.
    Observe,
    /// They may change or refuse the event.
    Modify,
    /// The first that takes the event ends the matter.
    Claim,
    /// Each must let the event pass, and an unreadable answer refuses it.
    Gate,
    /// They work on the caller's thread and may not wait.
    Sync,
    /// The first acceptable text replaces the original.
    Transform,
}

/// How the answers become one outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Merge {
    /// There is no answer.
    Ignore,
    /// `block` beats `approve` beats `modify`; the first valid one of a kind gives its text.
    Directive,
    /// All contexts, joined by a blank line.
    Context,
    /// The first text replaces the original, even an empty one.
    ReplaceAny,
    /// The first text that is not empty replaces the original.
    ReplaceNonEmpty,
    /// The first recognised action wins: skip, rewrite, allow.
    Flow,
    /// The first valid request to go on wins.
    Continue,
    /// OpenClaw's tool decision: block is final, parameters are merged, the first approval counts.
    ToolDecision,
    /// OpenClaw's outgoing message: cancel is final, the last content counts.
    Outbound,
    /// The handler's own text: the answer of a callback.
    Reply,
    /// Every handler sees the same original, and the last valid answer replaces it.
    LastWins,
    /// Each handler wraps those after it, and the host's own doing at the end.
    Wrap,
    /// The handler's own yes or no.
    Truth,
    /// The handler's own text, and the exit code of the program that prints it.
    Output,
}

/// Which argument of OpenClaw's handlers a field belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The event.
    Event,
    /// The context.
    Ctx,
}

/// What a field may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FieldType {
    /// Text that is always there.
    Str,
    /// An id; `""` in JSON when there is none.
    Id,
    /// Text or null.
    Text,
    /// A whole number.
    Int,
    /// A whole number or null.
    OptInt,
    /// A number.
    Float,
    /// A number or null.
    OptFloat,
    /// True or false.
    Bool,
    /// True, false or null.
    OptBool,
    /// An object.
    Object,
    /// An object or null.
    OptObject,
    /// An array.
    List,
    /// Whatever JSON can hold.
    Any,
    /// A handler that the host calls later.
    Callback,
}

impl FieldType {
    /// Whether a value is of this type; absent always is.
    #[must_use]
    pub fn admits(self, datum: &Datum<'_>) -> bool {
        let nullable = !matches!(
            self,
            Self::Str | Self::Int | Self::Float | Self::Bool | Self::Object | Self::List
        );
        match datum {
            Datum::Absent => true,
            Datum::Null => nullable,
            Datum::Str(_) | Datum::Marked(..) => {
                matches!(self, Self::Str | Self::Id | Self::Text | Self::Any)
            }
            Datum::I64(_) | Datum::U64(_) => {
                matches!(
                    self,
                    Self::Int | Self::OptInt | Self::Float | Self::OptFloat | Self::Any
                )
            }
            Datum::F64(_) => matches!(self, Self::Float | Self::OptFloat | Self::Any),
            Datum::Bool(_) => matches!(self, Self::Bool | Self::OptBool | Self::Any),
            Datum::Tree(tree) if tree.kind() == TreeKind::ARRAY => {
                matches!(self, Self::List | Self::Any)
            }
            Datum::Tree(_) => matches!(self, Self::Object | Self::OptObject | Self::Any),
            _ => matches!(self, Self::Any),
        }
    }

    /// The name used in `docs/hooks.md`, the C header and `catalogue.lock`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Str => "str",
            Self::Id => "id",
            Self::Text => "str|null",
            Self::Int => "int",
            Self::OptInt => "int|null",
            Self::Float => "num",
            Self::OptFloat => "num|null",
            Self::Bool => "bool",
            Self::OptBool => "bool|null",
            Self::Object => "obj",
            Self::OptObject => "obj|null",
            Self::List => "arr",
            Self::Any => "any",
            Self::Callback => "callback",
        }
    }
}

/// One field of an event, or of an answer.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Its place in the record; never changes.
    pub number: u32,
    /// Its name in JSON.
    pub name: &'static str,
    /// What it may hold.
    pub ty: FieldType,
    /// Event or context.
    pub part: Part,
    /// The catalogue revision that added it.
    pub since: u32,
    /// Which versions of the peer define it.
    pub source: &'static str,
    /// The field that holds the same value under another name.
    pub alias: Option<&'static str>,
    /// What it means.
    pub docs: &'static str,
}

/// One entry of the table.
#[derive(Clone, Copy, Debug)]
pub struct Hook {
    /// Never changes, never reused.
    pub number: u32,
    /// The name a plugin registers.
    pub name: &'static str,
    /// Whose name it is.
    pub dialect: Dialect,
    /// The host's own name of the moment; names that share it share one chain.
    pub canonical: &'static str,
    /// How handlers are called.
    pub kind: Kind,
    /// How answers are merged.
    pub merge: Merge,
    /// What happens when a handler faults and nobody said otherwise.
    pub on_failure: OnFailure,
    /// Default budget in milliseconds, 0 for none.
    pub budget_ms: u64,
    /// The catalogue revision that added it.
    pub since: u32,
    /// Which versions of the peer fire it.
    pub source: &'static str,
    /// What its moment is.
    pub docs: &'static str,
    /// What an event carries; `fields[i].number == i`.
    pub fields: &'static [Field],
    /// What an answer may carry; `answers[i].number == i`.
    pub answers: &'static [Field],
}

impl Hook {
    /// The field of this name.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&'static Field> {
        self.fields.iter().find(|field| field.name == name)
    }

    /// The answer field of this name.
    #[must_use]
    pub fn answer(&self, name: &str) -> Option<&'static Field> {
        self.answers.iter().find(|field| field.name == name)
    }

    /// The field that holds the tool's name, for hooks that have a tool.
    #[must_use]
    pub fn tool_field(&self) -> Option<u32> {
        let field = self.fields.first()?;
        matches!(field.name, "tool_name" | "toolName").then_some(field.number)
    }

    /// Whether it is a kind of middleware.
    #[must_use]
    pub const fn is_middleware(&self) -> bool {
        matches!(self.merge, Merge::LastWins | Merge::Wrap)
    }

    /// The field whose text a handler may replace, for hooks that transform one.
    #[must_use]
    pub fn text_field(&self) -> Option<&'static Field> {
        if self.kind != Kind::Transform {
            return None;
        }
        ["result", "output", "response_text"]
            .into_iter()
            .find_map(|name| self.field(name))
    }

    /// Whether an answer can change what happens.
    #[must_use]
    pub const fn decides(&self) -> bool {
        !matches!(self.merge, Merge::Ignore)
    }
}

/// A hook as a type: what `ctx.on` is told, and what ties a handler's argument and answer to it.
pub trait HookPoint: Copy + Send + Sync + 'static {
    /// The typed view of an event.
    type View<'a>: Copy;
    /// The typed answer.
    type Answer: crate::answers::Answer;
    /// The table entry.
    const HOOK: &'static Hook;

    /// Reads a call as an event of this hook.
    fn view(call: CallRef<'_>) -> Self::View<'_>;
}

/// An event as a host makes it, typed: see [`payload`](crate::catalogue::payload).
pub trait Payload {
    /// Its hook.
    type Point: HookPoint;

    /// The event as it crosses the boundary. Nothing is copied.
    fn record(&self) -> crate::abi::host::Record<'_>;
}
