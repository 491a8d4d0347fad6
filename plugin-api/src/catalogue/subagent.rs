//! Children of a delegated task.

use super::hooks;

hooks! {
    /// Once per child, after all children of the call are done, in task order.
    12 SubagentStop SubagentStopView "subagent_stop" Hermes "subagent_ended" {
        Observe Ignore OPEN 0 since 1 "S 13 19"
        answer ();
        fields {
            /// Session of the parent.
            0 parent_session_id: text Event 1 "S 13 19";
            /// `leaf` or `orchestrator`.
            1 child_role: text Event 1 "S 13 19";
            /// The child's final answer; null on error or timeout.
            2 child_summary: text Event 1 "S 13 19";
            /// `completed`, `failed`, `interrupted`, `error` or `timeout`.
            3 child_status: str Event 1 "S 13 19";
            /// How long it ran, in milliseconds; 0 for abandoned children.
            4 duration_ms: int Event 1 "S 13 19";
            /// Turn of the parent.
            5 parent_turn_id: id Event 1 "19";
            /// Session of the child.
            6 child_session_id: text Event 1 "19";
            /// `hermes.observer.v1`.
            7 telemetry_schema_version: text Event 1 "19";
        }
        answers {}
    }

    /// A child was built and is about to run.
    13 SubagentStart SubagentStartView "subagent_start" Hermes "subagent_spawned" {
        Observe Ignore OPEN 0 since 1 "19"
        answer ();
        fields {
            /// Session of the parent.
            0 parent_session_id: text Event 1 "19";
            /// Turn of the parent.
            1 parent_turn_id: id Event 1 "19";
            /// The parent, when it is a child itself.
            2 parent_subagent_id: text Event 1 "19";
            /// Session of the child.
            3 child_session_id: text Event 1 "19";
            /// The child.
            4 child_subagent_id: id Event 1 "19";
            /// `leaf` or `orchestrator`.
            5 child_role: text Event 1 "19";
            /// What it is to do.
            6 child_goal: text Event 1 "19";
            /// `hermes.observer.v1`.
            7 telemetry_schema_version: text Event 1 "19";
        }
        answers {}
    }
}
