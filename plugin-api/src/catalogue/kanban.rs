//! Transitions of kanban tasks, after they are committed.

use super::hooks;

hooks! {
    /// A task was claimed.
    21 KanbanTaskClaimed KanbanTaskClaimedView "kanban_task_claimed" Hermes "kanban_task_claimed" {
        Observe Ignore OPEN 0 since 1 "19"
        answer ();
        fields {
            /// Task.
            0 task_id: id Event 1 "19";
            /// Profile.
            1 profile_name: text Event 1 "19";
            /// Board.
            2 board: text Event 1 "19";
            /// Who has it.
            3 assignee: text Event 1 "19";
            /// Run.
            4 run_id: any Event 1 "19";
            /// `hermes.observer.v1`.
            5 telemetry_schema_version: text Event 1 "19";
        }
        answers {}
    }

    /// A task was completed.
    22 KanbanTaskCompleted KanbanTaskCompletedView "kanban_task_completed" Hermes "kanban_task_completed" {
        Observe Ignore OPEN 0 since 1 "19"
        answer ();
        fields {
            /// Task.
            0 task_id: id Event 1 "19";
            /// Profile.
            1 profile_name: text Event 1 "19";
            /// Board.
            2 board: text Event 1 "19";
            /// Who has it.
            3 assignee: text Event 1 "19";
            /// Run.
            4 run_id: any Event 1 "19";
            /// What was done.
            5 summary: text Event 1 "19";
            /// `hermes.observer.v1`.
            6 telemetry_schema_version: text Event 1 "19";
        }
        answers {}
    }

    /// A task was blocked.
    23 KanbanTaskBlocked KanbanTaskBlockedView "kanban_task_blocked" Hermes "kanban_task_blocked" {
        Observe Ignore OPEN 0 since 1 "19"
        answer ();
        fields {
            /// Task.
            0 task_id: id Event 1 "19";
            /// Profile.
            1 profile_name: text Event 1 "19";
            /// Board.
            2 board: text Event 1 "19";
            /// Who has it.
            3 assignee: text Event 1 "19";
            /// Run.
            4 run_id: any Event 1 "19";
            /// Why.
            5 reason: text Event 1 "19";
            /// `hermes.observer.v1`.
            6 telemetry_schema_version: text Event 1 "19";
        }
        answers {}
    }
}
