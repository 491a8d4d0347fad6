//! Messages that leave.

use super::hooks;
use crate::answers::SendDecision;

hooks! {
    /// Each outbound payload, right before the channel's adapter. A rewritten content is what the
    /// next handler sees; `cancel` is final.
    101 MessageSending MessageSendingView "message_sending" OpenClaw "message_sending" {
        Modify Outbound OPEN 0 since 2 "seed 5.12 9.6"
        answer SendDecision;
        fields {
            /// Where it goes.
            0 to: str Event 2 "seed";
            /// What is sent.
            1 content: str Event 2 "seed";
            /// What it replies to.
            2 reply_to_id as "replyToId": any Event 2 "seed";
            /// Thread.
            3 thread_id as "threadId": any Event 2 "seed";
            /// `channel`, `accountId`, `mediaUrls`, …
            4 metadata: opt_object Event 2 "seed";
            /// Channel.
            5 channel_id as "channelId": str Ctx 2 "seed";
            /// Account.
            6 account_id as "accountId": id Ctx 2 "5.12";
            /// Conversation.
            7 conversation_id as "conversationId": id Ctx 2 "5.12";
            /// Session key.
            8 session_key as "sessionKey": id Ctx 2 "seed";
            /// Agent run.
            9 run_id as "runId": id Ctx 2 "seed";
            /// Message.
            10 message_id as "messageId": id Ctx 2 "seed";
            /// Sender.
            11 sender_id as "senderId": id Ctx 2 "seed";
            /// Trace.
            12 trace: opt_object Ctx 2 "seed";
            /// How deep the call is nested.
            13 call_depth as "callDepth": opt_float Ctx 2 "seed";
        }
        answers {
            /// The content to send instead.
            0 content: text 2;
            /// Only `true` cancels.
            1 cancel: opt_bool 2;
            /// Why.
            2 cancel_reason as "cancelReason": text 2;
            /// What is said about it elsewhere.
            3 metadata: opt_object 2;
        }
    }
}
