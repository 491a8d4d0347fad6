//! The plugin that the benchmark calls: it looks at nothing and says nothing, so that what is measured is the way there.

use hermes_plugin_api::prelude::*;

fn register(ctx: &mut Context) -> Result<(), Error> {
    ctx.on(PreToolCall, |_| Verdict::pass()).tools(["terminal"]);
    Ok(())
}

hermes_plugin!(
    register,
    name = "bench-pass-000",
    role = "guard",
    hooks = ["pre_tool_call"]
);
