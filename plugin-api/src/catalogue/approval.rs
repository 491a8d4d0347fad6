//! Approval prompts, seen from outside.

use super::hooks;

hooks! {
    /// A person is about to be asked about a flagged command.
    15 PreApprovalRequest PreApprovalRequestView "pre_approval_request" Hermes "approval_requested" {
        Observe Ignore OPEN 0 since 1 "S 13 19"
        answer ();
        fields {
            /// The command.
            0 command: str Event 1 "S 13 19";
            /// Reasons, joined with `; `.
            1 description: str Event 1 "S 13 19";
            /// First rule that matched.
            2 pattern_key: str Event 1 "S 13 19";
            /// All rules that matched.
            3 pattern_keys: list Event 1 "S 13 19";
            /// Session key, `default` when there is none.
            4 session_key: str Event 1 "S 13 19";
            /// `cli`, `gateway` or `smart`.
            5 surface: str Event 1 "S 13 19";
            /// Turn.
            6 turn_id: id Event 1 "19";
            /// Tool call.
            7 tool_call_id: id Event 1 "19";
            /// `hermes.observer.v1`.
            8 telemetry_schema_version: text Event 1 "19";
        }
        answers {}
    }

    /// The person answered, or did not.
    16 PostApprovalResponse PostApprovalResponseView "post_approval_response" Hermes "approval_resolved" {
        Observe Ignore OPEN 0 since 1 "S 13 19"
        answer ();
        fields {
            /// The command.
            0 command: str Event 1 "S 13 19";
            /// Reasons, joined with `; `.
            1 description: str Event 1 "S 13 19";
            /// First rule that matched.
            2 pattern_key: str Event 1 "S 13 19";
            /// All rules that matched.
            3 pattern_keys: list Event 1 "S 13 19";
            /// Session key.
            4 session_key: str Event 1 "S 13 19";
            /// `cli`, `gateway` or `smart`.
            5 surface: str Event 1 "S 13 19";
            /// `once`, `session`, `always`, `deny`, `timeout`, `smart_approve` or `smart_deny`.
            6 choice: str Event 1 "S 13 19";
            /// `aux_llm` for smart decisions.
            7 decided_by: text Event 1 "19";
            /// Turn.
            8 turn_id: id Event 1 "19";
            /// Tool call.
            9 tool_call_id: id Event 1 "19";
            /// `hermes.observer.v1`.
            10 telemetry_schema_version: text Event 1 "19";
        }
        answers {}
    }
}
