//! What the table says of a hook, and the macro that turns an entry into types.

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
        let nullable = !matches!(self, Self::Str | Self::Int | Self::Float | Self::Bool | Self::Object | Self::List);
        match datum {
            Datum::Absent => true,
            Datum::Null => nullable,
            Datum::Str(_) | Datum::Marked(..) => matches!(self, Self::Str | Self::Id | Self::Text | Self::Any),
            Datum::I64(_) | Datum::U64(_) => {
                matches!(self, Self::Int | Self::OptInt | Self::Float | Self::OptFloat | Self::Any)
            }
            Datum::F64(_) => matches!(self, Self::Float | Self::OptFloat | Self::Any),
            Datum::Bool(_) => matches!(self, Self::Bool | Self::OptBool | Self::Any),
            Datum::Tree(tree) if tree.kind() == TreeKind::ARRAY => matches!(self, Self::List | Self::Any),
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

/// Reads a field as the Rust type of its keyword.
macro_rules! accessor {
    ($(#[$meta:meta])* str $name:ident $number:literal) => {
        $(#[$meta])* #[must_use]
        pub fn $name(&self) -> &'a str { self.0.field($number).as_str().unwrap_or_default() }
    };
    ($(#[$meta:meta])* id $name:ident $number:literal) => {
        $(#[$meta])* #[must_use]
        pub fn $name(&self) -> Option<&'a str> { self.0.field($number).as_id() }
    };
    ($(#[$meta:meta])* text $name:ident $number:literal) => {
        $(#[$meta])* #[must_use]
        pub fn $name(&self) -> Option<&'a str> { self.0.field($number).as_str() }
    };
    ($(#[$meta:meta])* int $name:ident $number:literal) => {
        $(#[$meta])* #[must_use]
        pub fn $name(&self) -> i64 { self.0.field($number).as_i64().unwrap_or_default() }
    };
    ($(#[$meta:meta])* opt_int $name:ident $number:literal) => {
        $(#[$meta])* #[must_use]
        pub fn $name(&self) -> Option<i64> { self.0.field($number).as_i64() }
    };
    ($(#[$meta:meta])* float $name:ident $number:literal) => {
        $(#[$meta])* #[must_use]
        pub fn $name(&self) -> f64 { self.0.field($number).as_f64().unwrap_or_default() }
    };
    ($(#[$meta:meta])* opt_float $name:ident $number:literal) => {
        $(#[$meta])* #[must_use]
        pub fn $name(&self) -> Option<f64> { self.0.field($number).as_f64() }
    };
    ($(#[$meta:meta])* bool $name:ident $number:literal) => {
        $(#[$meta])* #[must_use]
        pub fn $name(&self) -> bool { self.0.field($number).as_bool().unwrap_or_default() }
    };
    ($(#[$meta:meta])* opt_bool $name:ident $number:literal) => {
        $(#[$meta])* #[must_use]
        pub fn $name(&self) -> Option<bool> { self.0.field($number).as_bool() }
    };
    ($(#[$meta:meta])* object $name:ident $number:literal) => {
        $(#[$meta])* #[must_use]
        pub fn $name(&self) -> $crate::abi::TreeRef<'a> {
            self.0.field($number).as_tree().unwrap_or($crate::abi::TreeRef::EMPTY)
        }
    };
    ($(#[$meta:meta])* opt_object $name:ident $number:literal) => {
        $(#[$meta])* #[must_use]
        pub fn $name(&self) -> Option<$crate::abi::TreeRef<'a>> { self.0.field($number).as_tree() }
    };
    ($(#[$meta:meta])* list $name:ident $number:literal) => {
        $(#[$meta])* #[must_use]
        pub fn $name(&self) -> $crate::abi::TreeRef<'a> {
            self.0.field($number).as_tree().unwrap_or($crate::abi::TreeRef::EMPTY)
        }
    };
    ($(#[$meta:meta])* any $name:ident $number:literal) => {
        $(#[$meta])* #[must_use]
        pub fn $name(&self) -> $crate::abi::Datum<'a> { self.0.field($number) }
    };
}
pub(crate) use accessor;

/// Takes a field as the Rust type of its keyword.
macro_rules! setter {
    ($(#[$meta:meta])* str $name:ident $number:literal) => {
        $(#[$meta])*
        pub fn $name(mut self, value: &'a str) -> Self { self.fields[$number] = value.into(); self }
    };
    ($(#[$meta:meta])* id $name:ident $number:literal) => {
        $(#[$meta])*
        pub fn $name(mut self, value: impl Into<Option<&'a str>>) -> Self {
            self.fields[$number] = value.into().map_or($crate::abi::host::Lent::ABSENT, Into::into);
            self
        }
    };
    ($(#[$meta:meta])* text $name:ident $number:literal) => {
        $crate::catalogue::table::setter! { @optional $(#[$meta])* (&'a str) $name $number }
    };
    ($(#[$meta:meta])* int $name:ident $number:literal) => {
        $(#[$meta])*
        pub fn $name(mut self, value: i64) -> Self { self.fields[$number] = value.into(); self }
    };
    ($(#[$meta:meta])* opt_int $name:ident $number:literal) => {
        $crate::catalogue::table::setter! { @optional $(#[$meta])* (i64) $name $number }
    };
    ($(#[$meta:meta])* float $name:ident $number:literal) => {
        $(#[$meta])*
        pub fn $name(mut self, value: f64) -> Self { self.fields[$number] = value.into(); self }
    };
    ($(#[$meta:meta])* opt_float $name:ident $number:literal) => {
        $crate::catalogue::table::setter! { @optional $(#[$meta])* (f64) $name $number }
    };
    ($(#[$meta:meta])* bool $name:ident $number:literal) => {
        $(#[$meta])*
        pub fn $name(mut self, value: bool) -> Self { self.fields[$number] = value.into(); self }
    };
    ($(#[$meta:meta])* opt_bool $name:ident $number:literal) => {
        $crate::catalogue::table::setter! { @optional $(#[$meta])* (bool) $name $number }
    };
    (@optional $(#[$meta:meta])* ($ty:ty) $name:ident $number:literal) => {
        $(#[$meta])*
        pub fn $name(mut self, value: impl Into<Option<$ty>>) -> Self {
            self.fields[$number] = value.into().map_or($crate::abi::host::Lent::NULL, Into::into);
            self
        }
    };
    ($(#[$meta:meta])* any $name:ident $number:literal) => {
        $(#[$meta])*
        pub fn $name(mut self, value: impl Into<$crate::abi::host::Lent<'a>>) -> Self {
            self.fields[$number] = value.into();
            self
        }
    };
    ($(#[$meta:meta])* $structure:ident $name:ident $number:literal) => {
        $(#[$meta])*
        pub fn $name(mut self, value: &'a serde_json::Value) -> Self { self.fields[$number] = value.into(); self }
    };
}
pub(crate) use setter;

/// The table's word for a keyword.
macro_rules! field_type {
    (str) => { $crate::catalogue::FieldType::Str };
    (id) => { $crate::catalogue::FieldType::Id };
    (text) => { $crate::catalogue::FieldType::Text };
    (int) => { $crate::catalogue::FieldType::Int };
    (opt_int) => { $crate::catalogue::FieldType::OptInt };
    (float) => { $crate::catalogue::FieldType::Float };
    (opt_float) => { $crate::catalogue::FieldType::OptFloat };
    (bool) => { $crate::catalogue::FieldType::Bool };
    (opt_bool) => { $crate::catalogue::FieldType::OptBool };
    (object) => { $crate::catalogue::FieldType::Object };
    (opt_object) => { $crate::catalogue::FieldType::OptObject };
    (list) => { $crate::catalogue::FieldType::List };
    (any) => { $crate::catalogue::FieldType::Any };
    (callback) => { $crate::catalogue::FieldType::Callback };
}
pub(crate) use field_type;

/// The JSON name of a field: its own, or the one given.
macro_rules! json_name {
    ($name:ident) => { stringify!($name) };
    ($name:ident $json:literal) => { $json };
}
pub(crate) use json_name;

/// `None`, or the alias given.
macro_rules! alias {
    () => { None };
    ($alias:literal) => { Some($alias) };
}
pub(crate) use alias;

/// Turns table entries into hook points, views and the family's slice.
macro_rules! hooks {
    ($(
        $(#[doc = $doc:literal])+
        $number:literal $point:ident $view:ident $name:literal $dialect:ident $canonical:literal {
            $kind:ident $merge:ident $on_failure:ident $budget:literal since $since:literal $source:literal
            answer $answer:ty;
            fields { $(
                $(#[doc = $fdoc:literal])+
                $fnumber:literal $fname:ident $(as $fjson:literal)? : $fty:ident $fpart:ident $fsince:literal $fsource:literal $(alias $falias:literal)?;
            )* }
            answers { $(
                $(#[doc = $adoc:literal])+
                $anumber:literal $aname:ident $(as $ajson:literal)? : $aty:ident $asince:literal;
            )* }
        }
    )+) => {
        $(
            $(#[doc = $doc])+
            #[derive(Clone, Copy, Debug)]
            pub struct $point;

            #[doc = concat!("An event of `", $name, "`.")]
            #[derive(Clone, Copy, Debug)]
            pub struct $view<'a>($crate::abi::CallRef<'a>);

            impl<'a> $view<'a> {
                $( $crate::catalogue::table::accessor!($(#[doc = $fdoc])+ $fty $fname $fnumber); )*
            }

            impl<'a> std::ops::Deref for $view<'a> {
                type Target = $crate::abi::CallRef<'a>;
                fn deref(&self) -> &Self::Target { &self.0 }
            }

            impl $crate::catalogue::HookPoint for $point {
                type View<'a> = $view<'a>;
                type Answer = $answer;
                const HOOK: &'static $crate::catalogue::Hook = &$crate::catalogue::Hook {
                    number: $number,
                    name: $name,
                    dialect: $crate::catalogue::Dialect::$dialect,
                    canonical: $canonical,
                    kind: $crate::catalogue::Kind::$kind,
                    merge: $crate::catalogue::Merge::$merge,
                    on_failure: $crate::abi::OnFailure::$on_failure,
                    budget_ms: $budget,
                    since: $since,
                    source: $source,
                    docs: concat!($($doc, "\n"),+),
                    fields: &[$( $crate::catalogue::Field {
                        number: $fnumber,
                        name: $crate::catalogue::table::json_name!($fname $($fjson)?),
                        ty: $crate::catalogue::table::field_type!($fty),
                        part: $crate::catalogue::Part::$fpart,
                        since: $fsince,
                        source: $fsource,
                        alias: $crate::catalogue::table::alias!($($falias)?),
                        docs: concat!($($fdoc, "\n"),+),
                    } ),*],
                    answers: &[$( $crate::catalogue::Field {
                        number: $anumber,
                        name: $crate::catalogue::table::json_name!($aname $($ajson)?),
                        ty: $crate::catalogue::table::field_type!($aty),
                        part: $crate::catalogue::Part::Event,
                        since: $asince,
                        source: "",
                        alias: None,
                        docs: concat!($($adoc, "\n"),+),
                    } ),*],
                };
                fn view(call: $crate::abi::CallRef<'_>) -> $view<'_> { $view(call) }
            }
        )+

        /// The events of this family as a host makes them.
        pub(super) mod payloads {
            $(
                #[doc = concat!("An event of `", $name, "`, borrowing what it carries. A field that is not set is absent.")]
                #[derive(Clone, Copy, Debug)]
                #[must_use]
                pub struct $point<'a> {
                    fields: [$crate::abi::host::Lent<'a>; <super::$point as $crate::catalogue::HookPoint>::HOOK.fields.len()],
                    extra: Option<&'a serde_json::Map<String, serde_json::Value>>,
                }

                impl<'a> $point<'a> {
                    /// An event without fields.
                    pub const fn new() -> Self {
                        const COUNT: usize = <super::$point as $crate::catalogue::HookPoint>::HOOK.fields.len();
                        Self { fields: [$crate::abi::host::Lent::ABSENT; COUNT], extra: None }
                    }

                    $( $crate::catalogue::table::setter!($(#[doc = $fdoc])+ $fty $fname $fnumber); )*

                    /// What the catalogue has no field for.
                    pub const fn extra(mut self, extra: &'a serde_json::Map<String, serde_json::Value>) -> Self {
                        self.extra = Some(extra);
                        self
                    }
                }

                impl Default for $point<'_> {
                    fn default() -> Self { Self::new() }
                }

                impl<'a> $crate::catalogue::Payload for $point<'a> {
                    type Point = super::$point;
                    fn record(&self) -> $crate::abi::host::Record<'_> {
                        let hook = <super::$point as $crate::catalogue::HookPoint>::HOOK;
                        $crate::abi::host::Record::lend(hook, &self.fields, self.extra)
                    }
                }
            )+
        }

        pub(super) const FAMILY: &[&$crate::catalogue::Hook] =
            &[$( <$point as $crate::catalogue::HookPoint>::HOOK ),+];
    };
}
pub(crate) use hooks;
