//! Drops direct messages of strangers without a word.
//!
//! **Hook**: `pre_gateway_dispatch`, which comes before authorisation and pairing: whoever is skipped here gets
//! no reply, no pairing code, and no sign that anybody is there.
//!
//! **Why**: a bot whose name is found by chance should not answer chance. It is a guard: when it cannot judge a
//! message, the message is dropped. Groups are left to the gateway's own rules.
//!
//! **Switch on**: `hermes plugins install … --enable`, and say who may write. Without `allowed` the plugin does
//! not load: a list that nobody wrote down would lock everybody out, or nobody.
//!
//! ```yaml
//! plugins:
//!   entries:
//!     silent-refusal:
//!       config:
//!         allowed:
//!           telegram: ["1201", "1202"]     # ids of users, as texts
//!           discord: ["*"]                 # everybody from there
//! ```

use std::collections::{BTreeMap, BTreeSet};

use hermes_plugin_api::prelude::*;
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Config {
    allowed: Option<BTreeMap<String, BTreeSet<String>>>,
}

type Allowed = BTreeMap<String, BTreeSet<String>>;

fn judge(message: PreGatewayDispatchView<'_>, allowed: &Allowed) -> Flow {
    let source = message.event().tree("source").unwrap_or(TreeRef::EMPTY);
    // Where it does not say what kind of chat it is, it is taken for the one that is guarded.
    if source.str("chat_type").is_some_and(|kind| kind != "dm") {
        return Flow::Pass;
    }
    let platform = source.str("platform").unwrap_or_default();
    let known = allowed.get(platform).is_some_and(|ids| {
        let named = ["user_id", "user_id_alt"]
            .into_iter()
            .filter_map(|name| source.get(name).as_id())
            .any(|id| ids.contains(id));
        named || ids.contains("*")
    });
    if known {
        // Not `allow`: that would end the matter for handlers after this one.
        return Flow::Pass;
    }
    Flow::Skip {
        reason: Some(format!("a direct message of a stranger on `{platform}`")),
    }
}

fn register(ctx: &mut Context) -> Result<(), Error> {
    let Config { allowed } = ctx.config()?;
    let allowed = allowed.ok_or_else(|| {
        Error::new(
            "nobody said who may write: list the ids of users by platform in \
             `plugins.entries.silent-refusal.config.allowed`, e.g. `telegram: [\"1201\"]`",
        )
    })?;
    ctx.on(PreGatewayDispatch, move |message| judge(message, &allowed));
    Ok(())
}

hermes_plugin!(
    register,
    name = "silent-refusal",
    description = "Drops direct messages of strangers without a reply.",
    role = "guard",
    hooks = ["pre_gateway_dispatch"]
);
