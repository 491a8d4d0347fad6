//! Every struct of the boundary, with the place of each member as the compiler lays it out.

/// One struct.
#[derive(Debug)]
pub(crate) struct Struct {
    pub(crate) name: &'static str,
    pub(crate) size: usize,
    pub(crate) align: usize,
    /// In the order of their offsets.
    pub(crate) members: Vec<Member>,
}

/// One member of a struct.
#[derive(Debug)]
pub(crate) struct Member {
    pub(crate) name: &'static str,
    pub(crate) offset: usize,
    pub(crate) size: usize,
}

/// Hands the list to another macro: a struct after those it holds by value, members in order.
///
/// That the list is complete is proved twice: against the source, and against `abi_stable`'s layouts.
macro_rules! with_structs {
    ($callback:ident) => {
        $callback! {
            Str { ptr, len }
            Sink { size, reserved, state, write }
            Value { tag, flags, mark, a, b }
            TreeFns { size, flags, kind, len, get, at, next, to_json }
            Event { size, count, fields, extra }
            Failure { size, kind, text, file, line, reserved }
            Handler { size, reserved, state, call, drop }
            HandlerSpec {
                size, flags, name, handler, cookie, field_count, on_failure, priority, budget_ms,
                tools, tools_count, tools_stride, phase, reserved
            }
            Future { size, flags, state, poll, drop }
            Waker { size, reserved, data, fns }
            WakerFns { size, reserved, clone, wake, drop }
            CallFns {
                size, abi_minor, set, set_named, set_whole, begin_object, begin_array, key, value, end,
                set_json, set_handler, deadline, cancelled, retain, release, pend, fail
            }
            Call { size, flags, cookie, event, parent, fns }
            LogField { name, value }
            LogRecord {
                size, level, target, message, file, line, fields_count, fields, fields_stride, reserved
            }
            Registrar { size, abi_minor, instance, on, config, data_dir, get_extension }
            Services {
                size, abi_major, abi_minor, catalogue, log, log_level, fail, config, data_dir, timer,
                cancel_timer, unregister, get_extension, fire
            }
            CreateArgs { size, flags, instance, services }
            Header {
                magic, header_size, abi_major, abi_minor, catalogue, pointer_width, value_size,
                root_size, reserved, flags
            }
            Root { header, create, register, destroy, get_extension, metadata }
            LogFns { size, reserved, set_level }
            JsonTools { size, reserved, register, check }
            CommandFns { size, reserved, slash, cli }
            SkillFns { size, reserved, offer }
            AgentFns {
                size, reserved, manifest, profile_name, dispatch_tool, inject_message, complete
            }
            GatewayFns { size, reserved, send, append_to_transcript }
            MiddlewareFns { size, reserved, next }
            CallSlots { size, reserved, attach, take }
        }
    };
}

macro_rules! described {
    ($( $name:ident { $($member:ident),+ $(,)? } )+) => {
        vec![$( Struct {
            name: stringify!($name),
            size: size_of::<hermes_plugin_api::abi::$name>(),
            align: align_of::<hermes_plugin_api::abi::$name>(),
            members: vec![$( Member {
                name: stringify!($member),
                offset: std::mem::offset_of!(hermes_plugin_api::abi::$name, $member),
                size: size_of_member(|whole: &hermes_plugin_api::abi::$name| &whole.$member),
            } ),+],
        } ),+]
    };
}

/// Every struct of the boundary.
pub(crate) fn all() -> Vec<Struct> {
    with_structs!(described)
}

fn size_of_member<Whole, Part>(_get: impl Fn(&Whole) -> &Part) -> usize {
    size_of::<Part>()
}
