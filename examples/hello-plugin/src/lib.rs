//! The smallest plugin that does something: it keeps `rm -rf /` from running, and says hello to each session.

use hermes_plugin_api::prelude::*;

fn register(ctx: &mut Context) -> Result<(), Error> {
    ctx.on(PreToolCall, |call| match call.args().str("command") {
        Some(command) if command.contains("rm -rf /") => {
            Verdict::block("refusing to delete the root file system")
        }
        _ => Verdict::pass(),
    })
    .tools(["terminal"])
    .priority(50);

    ctx.on(OnSessionStart, |event| {
        tracing::info!(session = event.session_id(), "hello")
    });
    Ok(())
}

hermes_plugin!(
    register,
    role = "guard",
    hooks = ["pre_tool_call", "on_session_start"]
);
