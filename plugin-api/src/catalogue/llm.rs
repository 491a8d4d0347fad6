//! A turn: what the model is told, what it said.

use super::hooks;
use crate::answers::{ContextPiece, Continue, Replacement};

hooks! {
    /// Once per user turn, before the model loop. Every context is appended to this turn's user
    /// message, never to the system prompt, and is not stored.
    5 PreLlmCall PreLlmCallView "pre_llm_call" Hermes "before_prompt_build" {
        Modify Context OPEN 0 since 1 "S 13 19"
        answer ContextPiece;
        fields {
            /// Session.
            0 session_id: id Event 1 "S 13 19";
            /// What the user sent: text, or a list of content parts.
            1 user_message: any Event 1 "S 13 19";
            /// The messages so far, this one included.
            2 conversation_history: list Event 1 "S 13 19";
            /// Whether there was no history.
            3 is_first_turn: bool Event 1 "S 13 19";
            /// Model.
            4 model: str Event 1 "S 13 19";
            /// Platform, e.g. `cli`.
            5 platform: id Event 1 "S 13 19";
            /// Gateway user.
            6 sender_id: id Event 1 "13 19";
            /// Task.
            7 task_id: id Event 1 "19";
            /// Turn.
            8 turn_id: id Event 1 "19";
            /// `hermes.observer.v1`.
            9 telemetry_schema_version: text Event 1 "19";
        }
        answers {
            /// Text to append.
            0 context: any 1;
        }
    }

    /// Once per turn, after `transform_llm_output`, if there is an answer and nobody interrupted.
    6 PostLlmCall PostLlmCallView "post_llm_call" Hermes "agent_end" {
        Observe Ignore OPEN 0 since 1 "S 13 19"
        answer ();
        fields {
            /// Session.
            0 session_id: id Event 1 "S 13 19";
            /// What the user sent.
            1 user_message: any Event 1 "S 13 19";
            /// What is delivered.
            2 assistant_response: str Event 1 "S 13 19";
            /// The messages after the turn, with the untransformed answer.
            3 conversation_history: list Event 1 "S 13 19";
            /// Model.
            4 model: str Event 1 "S 13 19";
            /// Platform.
            5 platform: id Event 1 "S 13 19";
            /// Task.
            6 task_id: id Event 1 "19";
            /// Turn.
            7 turn_id: id Event 1 "19";
            /// `hermes.observer.v1`.
            8 telemetry_schema_version: text Event 1 "19";
        }
        answers {}
    }

    /// Once per turn, before delivery. The first text that is not empty replaces the answer.
    7 TransformLlmOutput TransformLlmOutputView "transform_llm_output" Hermes "assistant_text_transform" {
        Transform ReplaceNonEmpty OPEN 0 since 1 "S 13 19"
        answer Replacement;
        fields {
            /// What the model said.
            0 response_text: str Event 1 "S 13 19";
            /// Session.
            1 session_id: id Event 1 "S 13 19";
            /// Model.
            2 model: str Event 1 "S 13 19";
            /// Platform.
            3 platform: id Event 1 "S 13 19";
            /// `hermes.observer.v1`.
            4 telemetry_schema_version: text Event 1 "19";
        }
        answers {
            /// The text to use instead. A handler answers with bare text.
            0 text: text 1;
        }
    }

    /// The agent edited files and is about to finish. A handler may ask it to go on, at most
    /// `agent.max_verify_nudges` times a turn.
    20 PreVerify PreVerifyView "pre_verify" Hermes "before_agent_finalize" {
        Modify Continue OPEN 0 since 1 "19"
        answer Continue;
        fields {
            /// Session.
            0 session_id: id Event 1 "19";
            /// Platform.
            1 platform: id Event 1 "19";
            /// Model.
            2 model: str Event 1 "19";
            /// Whether the session is a coding one.
            3 coding: bool Event 1 "19";
            /// How often it was asked in this turn, from 0.
            4 attempt: int Event 1 "19";
            /// What it is about to say.
            5 final_response: str Event 1 "19";
            /// Files it changed, sorted.
            6 changed_paths: list Event 1 "19";
            /// `hermes.observer.v1`.
            7 telemetry_schema_version: text Event 1 "19";
        }
        answers {
            /// `continue` or `block`.
            0 action: text 1;
            /// What the agent is told.
            1 message: text 1;
            /// The same in the neighbour's shape.
            2 decision: text 1;
            /// The same in the neighbour's shape.
            3 reason: text 1;
        }
    }
}
