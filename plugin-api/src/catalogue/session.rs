//! The life of a session.

use super::hooks;

hooks! {
    /// First turn of a brand-new session, before the model loop.
    8 OnSessionStart OnSessionStartView "on_session_start" Hermes "session_start" {
        Observe Ignore OPEN 0 since 1 "S 13 19"
        answer ();
        fields {
            /// Session.
            0 session_id: id Event 1 "S 13 19";
            /// Model.
            1 model: text Event 1 "S 13 19";
            /// Platform.
            2 platform: id Event 1 "S 13 19";
            /// `hermes.observer.v1`.
            3 telemetry_schema_version: text Event 1 "19";
        }
        answers {}
    }

    /// Once at the end of every *turn*, whatever its outcome, despite the name.
    9 OnSessionEnd OnSessionEndView "on_session_end" Hermes "agent_end" {
        Observe Ignore OPEN 0 since 1 "S 13 19"
        answer ();
        fields {
            /// Session.
            0 session_id: id Event 1 "S 13 19";
            /// Model; null when the process ends in mid-turn.
            1 model: text Event 1 "S 13 19";
            /// Platform.
            2 platform: id Event 1 "S 13 19";
            /// Whether there is a final answer.
            3 completed: bool Event 1 "S 13 19";
            /// Whether somebody interrupted.
            4 interrupted: bool Event 1 "S 13 19";
            /// Task.
            5 task_id: id Event 1 "19";
            /// Turn.
            6 turn_id: id Event 1 "19";
            /// `shutdown` or `keyboard_interrupt`, when the process ends.
            7 reason: text Event 1 "19";
            /// Model request, for interrupted one-shot runs.
            8 api_request_id: id Event 1 "19";
            /// `hermes.observer.v1`.
            9 telemetry_schema_version: text Event 1 "19";
        }
        answers {}
    }

    /// A session's identity is about to be dropped.
    10 OnSessionFinalize OnSessionFinalizeView "on_session_finalize" Hermes "session_end" {
        Observe Ignore OPEN 0 since 1 "S 13 19"
        answer ();
        fields {
            /// Session; null when there was no agent.
            0 session_id: text Event 1 "S 13 19";
            /// Platform, or `gateway` on shutdown.
            1 platform: id Event 1 "S 13 19";
            /// `shutdown`, `session_expired`, `new_session` or `session_boundary`.
            2 reason: text Event 1 "19";
            /// The session that ends.
            3 old_session_id: id Event 1 "19";
            /// The session that follows.
            4 new_session_id: id Event 1 "19";
            /// `hermes.observer.v1`.
            5 telemetry_schema_version: text Event 1 "19";
        }
        answers {}
    }

    /// A fresh session id exists.
    11 OnSessionReset OnSessionResetView "on_session_reset" Hermes "session_rotated" {
        Observe Ignore OPEN 0 since 1 "S 13 19"
        answer ();
        fields {
            /// The new session.
            0 session_id: text Event 1 "S 13 19";
            /// Platform.
            1 platform: id Event 1 "S 13 19";
            /// `new_session`.
            2 reason: text Event 1 "19";
            /// The session that ended.
            3 old_session_id: id Event 1 "19";
            /// The new session.
            4 new_session_id: id Event 1 "19";
            /// `hermes.observer.v1`.
            5 telemetry_schema_version: text Event 1 "19";
        }
        answers {}
    }
}
