//! Turns table entries into hook points, views, payloads, and the entries themselves.

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
    ($(#[$meta:meta])* gateway $name:ident $number:literal) => {
        $(#[$meta])* #[must_use]
        pub fn $name(&self) -> $crate::extension::gateway::Gateway<'a> {
            $crate::extension::gateway::Gateway::of(self.0, $number)
        }
    };
    ($(#[$meta:meta])* session_store $name:ident $number:literal) => {
        $(#[$meta])* #[must_use]
        pub fn $name(&self) -> $crate::extension::gateway::SessionStore<'a> {
            $crate::extension::gateway::SessionStore::of(self.0, $number)
        }
    };
    ($(#[$meta:meta])* next $name:ident $number:literal) => {
        $(#[$meta])*
        ///
        /// # Errors
        /// See [`Next::call`]($crate::extension::middleware::Next::call).
        pub fn $name(
            &self,
            payload: Option<&serde_json::Map<String, serde_json::Value>>,
        ) -> Result<serde_json::Value, $crate::extension::LiveError> {
            $crate::extension::middleware::Next::of(self.0, $number).call(payload)
        }
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
        $crate::catalogue::macros::setter! { @optional $(#[$meta])* (&'a str) $name $number }
    };
    ($(#[$meta:meta])* int $name:ident $number:literal) => {
        $(#[$meta])*
        pub fn $name(mut self, value: i64) -> Self { self.fields[$number] = value.into(); self }
    };
    ($(#[$meta:meta])* opt_int $name:ident $number:literal) => {
        $crate::catalogue::macros::setter! { @optional $(#[$meta])* (i64) $name $number }
    };
    ($(#[$meta:meta])* float $name:ident $number:literal) => {
        $(#[$meta])*
        pub fn $name(mut self, value: f64) -> Self { self.fields[$number] = value.into(); self }
    };
    ($(#[$meta:meta])* opt_float $name:ident $number:literal) => {
        $crate::catalogue::macros::setter! { @optional $(#[$meta])* (f64) $name $number }
    };
    ($(#[$meta:meta])* bool $name:ident $number:literal) => {
        $(#[$meta])*
        pub fn $name(mut self, value: bool) -> Self { self.fields[$number] = value.into(); self }
    };
    ($(#[$meta:meta])* opt_bool $name:ident $number:literal) => {
        $crate::catalogue::macros::setter! { @optional $(#[$meta])* (bool) $name $number }
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
    ($(#[$meta:meta])* gateway $name:ident $number:literal) => {
        $crate::catalogue::macros::setter! { $(#[$meta])* any $name $number }
    };
    ($(#[$meta:meta])* session_store $name:ident $number:literal) => {
        $crate::catalogue::macros::setter! { $(#[$meta])* any $name $number }
    };
    ($(#[$meta:meta])* next $name:ident $number:literal) => {
        $crate::catalogue::macros::setter! { $(#[$meta])* any $name $number }
    };
    ($(#[$meta:meta])* $structure:ident $name:ident $number:literal) => {
        $(#[$meta])*
        pub fn $name(mut self, value: &'a serde_json::Value) -> Self { self.fields[$number] = value.into(); self }
    };
}
pub(crate) use setter;

/// The table's word for a keyword.
macro_rules! field_type {
    (str) => {
        $crate::catalogue::FieldType::Str
    };
    (id) => {
        $crate::catalogue::FieldType::Id
    };
    (text) => {
        $crate::catalogue::FieldType::Text
    };
    (int) => {
        $crate::catalogue::FieldType::Int
    };
    (opt_int) => {
        $crate::catalogue::FieldType::OptInt
    };
    (float) => {
        $crate::catalogue::FieldType::Float
    };
    (opt_float) => {
        $crate::catalogue::FieldType::OptFloat
    };
    (bool) => {
        $crate::catalogue::FieldType::Bool
    };
    (opt_bool) => {
        $crate::catalogue::FieldType::OptBool
    };
    (object) => {
        $crate::catalogue::FieldType::Object
    };
    (opt_object) => {
        $crate::catalogue::FieldType::OptObject
    };
    (list) => {
        $crate::catalogue::FieldType::List
    };
    (any) => {
        $crate::catalogue::FieldType::Any
    };
    (callback) => {
        $crate::catalogue::FieldType::Callback
    };
    (gateway) => {
        $crate::catalogue::FieldType::Any
    };
    (session_store) => {
        $crate::catalogue::FieldType::Any
    };
    (next) => {
        $crate::catalogue::FieldType::Any
    };
}
pub(crate) use field_type;

/// The JSON name of a field: its own, or the one given.
macro_rules! json_name {
    ($name:ident) => {
        stringify!($name)
    };
    ($name:ident $json:literal) => {
        $json
    };
}
pub(crate) use json_name;

/// `None`, or the alias given.
macro_rules! alias {
    () => {
        None
    };
    ($alias:literal) => {
        Some($alias)
    };
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
                $( $crate::catalogue::macros::accessor!($(#[doc = $fdoc])+ $fty $fname $fnumber); )*

                /// Whether the host filled this field in, e.g. `session_id`: the agent did not say it.
                #[must_use]
                pub fn is_inferred(&self, field: &str) -> bool {
                    let field = <$point as $crate::catalogue::HookPoint>::HOOK.field(field);
                    field.is_some_and(|field| self.0.is_field_inferred(field.number))
                }
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
                        name: $crate::catalogue::macros::json_name!($fname $($fjson)?),
                        ty: $crate::catalogue::macros::field_type!($fty),
                        part: $crate::catalogue::Part::$fpart,
                        since: $fsince,
                        source: $fsource,
                        alias: $crate::catalogue::macros::alias!($($falias)?),
                        docs: concat!($($fdoc, "\n"),+),
                    } ),*],
                    answers: &[$( $crate::catalogue::Field {
                        number: $anumber,
                        name: $crate::catalogue::macros::json_name!($aname $($ajson)?),
                        ty: $crate::catalogue::macros::field_type!($aty),
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

                    $( $crate::catalogue::macros::setter!($(#[doc = $fdoc])+ $fty $fname $fnumber); )*

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
