//! What a plugin keeps with a tool call, from `pre_tool_call` to `post_tool_call`.

use std::any::Any;

use crate::{
    abi::ServiceCode,
    catalogue::{PostToolCallView, PreToolCallView},
};

macro_rules! attaching {
    ($($view:ident)+) => { $(
        impl $view<'_> {
            /// Keeps a value with this tool call until it is taken; there is one place for each plugin and
            /// call, and what was in it is dropped.
            ///
            /// A value that nobody takes is dropped when the turn ends, when 4,096 newer calls came, or when
            /// the plugin ends. Only for the call whose handler runs on this thread.
            ///
            /// ```
            /// use std::time::Instant;
            /// use hermes_plugin_api::{prelude::*, testing::{Host, event}};
            ///
            /// fn register(ctx: &mut Context) -> Result<(), Error> {
            ///     ctx.on(PreToolCall, |call| {
            ///         // Without an id, the call will have no time.
            ///         let _ = call.attach(Instant::now());
            ///         Verdict::pass()
            ///     });
            ///     ctx.on(PostToolCall, |call| {
            ///         if let Some(started) = call.take_attached::<Instant>() {
            ///             tracing::info!("{} took {:?}", call.tool_name(), started.elapsed());
            ///         }
            ///     });
            ///     Ok(())
            /// }
            ///
            /// let host = Host::new("timer").register(register)?;
            /// for hook in ["pre_tool_call", "post_tool_call"] {
            ///     host.fire(hook, event::tool("terminal").call_id("call_1")).sound();
            /// }
            /// assert!(host.logs()[0].message.starts_with("terminal took"));
            /// # Ok::<(), hermes_plugin_api::testing::Fault>(())
            /// ```
            ///
            /// # Errors
            /// UNSUPPORTED when the call has no id, its turn is over, or the host keeps nothing with calls. The
            /// value is then dropped.
            pub fn attach(&self, value: impl Any + Send) -> Result<(), ServiceCode> {
                self.attach_value(Box::new(value))
            }

            /// Takes what this plugin attached to this tool call. `None` when there is nothing, or it is of
            /// another type, and then it stays.
            #[must_use]
            pub fn take_attached<T: Any>(&self) -> Option<T> {
                match self.take_value()?.downcast() {
                    Ok(value) => Some(*value),
                    Err(other) => {
                        // It was there a moment ago, so it can be put back.
                        let _ = self.attach_value(other);
                        None
                    }
                }
            }
        }
    )+ };
}

attaching! { PreToolCallView PostToolCallView }
