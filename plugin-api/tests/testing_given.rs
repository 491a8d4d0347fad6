//! What a plugin is given, through the host in memory: tools, config, a directory, a log.
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot set itself up has failed"
)]

use std::sync::{Arc, Mutex};

use hermes_plugin_api::{
    abi::Level,
    prelude::*,
    testing::{Host, event},
};
use serde_json::{Value, json};

fn host(register: impl FnOnce(&mut Context) -> Result<(), Error> + 'static) -> Host {
    Host::new("plugin").register(register).unwrap()
}

#[cfg(feature = "extensions")]
#[test]
fn tools_are_described_and_called() {
    use hermes_plugin_api::{extension::tools::Tool, testing::FaultKind};

    let host = host(|ctx| {
        let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}});
        ctx.tool(
            Tool::new("double", "Doubles a number.")
                .toolset("math")
                .parameters(schema),
            |args| {
                let n = args["n"]
                    .as_i64()
                    .ok_or_else(|| Error::new("`n` is not a number"))?;
                assert!(n < 100, "too large");
                Ok((2 * n).to_string())
            },
        );
        Ok(())
    });
    let tools = host.tools();
    assert_eq!(
        (&tools[0]["name"], &tools[0]["toolset"]),
        (&json!("double"), &json!("math"))
    );
    assert_eq!(host.call_tool("double", json!({"n": 21})).unwrap(), "42");
    let error = host.call_tool("double", json!({})).unwrap_err();
    assert_eq!(
        (error.kind, error.hook.as_str(), error.text.as_str()),
        (FaultKind::Error, "double", "`n` is not a number")
    );
    let panic = host.call_tool("double", json!({"n": 100})).unwrap_err();
    assert_eq!(panic.kind, FaultKind::Panic);
    assert!(panic.text.starts_with("too large at "), "{}", panic.text);
}

#[derive(serde::Deserialize, Debug)]
#[serde(default, deny_unknown_fields)]
struct Settings {
    limit: u32,
}

impl Default for Settings {
    fn default() -> Self {
        Self { limit: 3 }
    }
}

#[track_caller]
fn check_config(config: Value, expected: Result<u32, &str>) {
    let seen = Arc::new(Mutex::new(0));
    let read = Arc::clone(&seen);
    let loaded = Host::new("limiter").config(config).register(move |ctx| {
        *read.lock().unwrap() = ctx.config::<Settings>()?.limit;
        Ok(())
    });
    match (loaded, expected) {
        (Ok(_host), Ok(limit)) => assert_eq!(*seen.lock().unwrap(), limit),
        (Err(fault), Err(part)) => {
            assert_eq!(fault.hook, "register");
            assert!(
                fault.text.starts_with("`plugins.entries.limiter.config` "),
                "{fault}"
            );
            assert!(fault.text.contains(part), "{fault}");
        }
        (loaded, expected) => panic!("expected {expected:?}, found {loaded:?}"),
    }
}

#[test]
fn a_configuration_is_read_or_refused() {
    check_config(json!({}), Ok(3));
    check_config(Value::Null, Ok(3));
    check_config(json!({"limit": 7}), Ok(7));
    check_config(json!({"limit": "many"}), Err("invalid type: string"));
    check_config(json!({"limt": 7}), Err("unknown field `limt`"));
    check_config(json!([]), Err("expected keys with values, found a list"));
    check_config(json!("limit"), Err("expected keys with values, found text"));
    check_config(
        json!(7),
        Err("expected keys with values, found a single value"),
    );
}

#[test]
fn a_data_directory_exists_once_it_is_asked_for() {
    let none = Host::new("p")
        .register(|ctx| ctx.data_dir().map(|_| ()))
        .unwrap_err();
    assert_eq!(none.text, "the host has no data directory for this plugin");

    let base = std::env::temp_dir().join(format!("hermes-testing-{}", std::process::id()));
    let dir = base.join("plugin-data").join("p");
    let expected = dir.clone();
    let host = Host::new("p").data_dir(&dir).register(move |ctx| {
        let found = ctx.data_dir()?;
        assert!(found == expected && found.is_dir(), "{}", found.display());
        Ok(())
    });
    std::fs::remove_dir_all(&base).unwrap();
    drop(host.unwrap());
}

#[test]
fn logs_are_kept_up_to_the_level_that_is_wanted() {
    let register = |ctx: &mut Context| {
        tracing::warn!(target: "own", attempt = 2, ratio = 0.5, ok = true, "registering {}", "now");
        ctx.on(OnSessionStart, |_| {
            tracing::error!("e");
            tracing::info!("i");
            tracing::trace!("t");
        });
        Ok(())
    };
    let loud = Host::new("loud").register(register).unwrap();
    let quiet = Host::new("quiet")
        .log_level(Level::INFO)
        .register(register)
        .unwrap();
    for host in [&loud, &quiet] {
        host.fire("on_session_start", event::session("s")).sound();
    }
    let messages = |host: &Host| {
        host.logs()
            .iter()
            .map(|log| log.message.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(messages(&loud), ["registering now", "e", "i", "t"]);
    assert_eq!(messages(&quiet), ["registering now", "e", "i"]);
    let first = &loud.logs()[0];
    assert_eq!(
        (first.plugin.as_str(), first.level, first.target.as_str()),
        ("loud", Level::WARN, "own")
    );
    assert_eq!(
        Value::from(first.fields.clone()),
        json!({"attempt": 2, "ratio": 0.5, "ok": true})
    );
    assert_eq!(first.file, file!());
}

#[test]
fn a_mistyped_hook_is_no_silent_pass() {
    let host = host(|_| Ok(()));
    let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        host.fire("pre_tool_cal", event::empty())
    }));
    let panic = panic.unwrap_err();
    let text = panic.downcast_ref::<String>().unwrap();
    assert!(text.starts_with("no such hook: `pre_tool_cal`"), "{text}");
}
