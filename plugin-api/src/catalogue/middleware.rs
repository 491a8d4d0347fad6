//! Middleware: code around each tool call and each call of a model. Its kinds are hook points of this host.

use super::hooks;
use crate::extension::middleware::{Executed, Rewrite};

hooks! {
    /// Middleware of the kind `tool_request`: before `pre_tool_call`, on the arguments of a tool. Every handler
    /// sees the same original.
    210 ToolRequest ToolRequestView "middleware:tool_request" Host "tool_request" {
        Modify LastWins OPEN 0 since 3 "19"
        answer Rewrite;
        fields {
            /// Name of the tool.
            0 tool_name: str Event 3 "19";
            /// What the model passed.
            1 args: object Event 3 "19";
            /// The same.
            2 original_args: object Event 3 "19";
            /// Task.
            3 task_id: id Event 3 "19";
            /// Session.
            4 session_id: id Event 3 "19";
            /// The provider's id of the call.
            5 tool_call_id: id Event 3 "19";
            /// Turn.
            6 turn_id: id Event 3 "19";
            /// API request.
            7 api_request_id: id Event 3 "19";
            /// `hermes.observer.v1`.
            8 telemetry_schema_version: text Event 3 "19";
            /// `hermes.middleware.v1`.
            9 middleware_schema_version: text Event 3 "19";
        }
        answers {
            /// The arguments instead of the original ones.
            0 args: opt_object 3;
            /// Who says so, for the trace.
            1 source: text 3;
            /// Why, for the trace.
            2 reason: text 3;
            /// What the rewriting is called, for the trace.
            3 name: text 3;
        }
    }

    /// Middleware of the kind `tool_execution`: around the running of a tool. The first handler is the outermost.
    211 ToolExecution ToolExecutionView "middleware:tool_execution" Host "tool_execution" {
        Sync Wrap OPEN 0 since 3 "19"
        answer Executed;
        fields {
            /// Name of the tool.
            0 tool_name: str Event 3 "19";
            /// What it is to run with, as the middleware further out passed it on.
            1 args: object Event 3 "19";
            /// Live object: what this handler wraps, to be called once.
            2 next: next Event 3 "19";
            /// Task.
            3 task_id: id Event 3 "19";
            /// Session.
            4 session_id: id Event 3 "19";
            /// The provider's id of the call.
            5 tool_call_id: id Event 3 "19";
            /// Turn.
            6 turn_id: id Event 3 "19";
            /// API request.
            7 api_request_id: id Event 3 "19";
            /// What request middleware changed.
            8 middleware_trace: list Event 3 "19";
            /// `hermes.observer.v1`.
            9 telemetry_schema_version: text Event 3 "19";
            /// `hermes.middleware.v1`.
            10 middleware_schema_version: text Event 3 "19";
        }
        answers {
            /// The result. A handler answers with the bare result, for a tool a text.
            0 result: any 3;
        }
    }

    /// Middleware of the kind `llm_request`: before a request to a model. Every handler sees the same original.
    212 LlmRequest LlmRequestView "middleware:llm_request" Host "llm_request" {
        Modify LastWins OPEN 0 since 3 "19"
        answer Rewrite;
        fields {
            /// The request: `model`, `messages`, `tools`, …
            0 request: object Event 3 "19";
            /// The same.
            1 original_request: object Event 3 "19";
            /// Task.
            2 task_id: id Event 3 "19";
            /// Session.
            3 session_id: id Event 3 "19";
            /// Turn.
            4 turn_id: id Event 3 "19";
            /// API request.
            5 api_request_id: id Event 3 "19";
            /// `hermes.observer.v1`.
            6 telemetry_schema_version: text Event 3 "19";
            /// `hermes.middleware.v1`.
            7 middleware_schema_version: text Event 3 "19";
        }
        answers {
            /// The request instead of the original one.
            0 request: opt_object 3;
            /// Who says so, for the trace.
            1 source: text 3;
            /// Why, for the trace.
            2 reason: text 3;
            /// What the rewriting is called, for the trace.
            3 name: text 3;
        }
    }

    /// Middleware of the kind `llm_execution`: around a call of a model. The first handler is the outermost.
    213 LlmExecution LlmExecutionView "middleware:llm_execution" Host "llm_execution" {
        Sync Wrap OPEN 0 since 3 "19"
        answer Executed;
        fields {
            /// The request, as the middleware further out passed it on.
            0 request: object Event 3 "19";
            /// Live object: what this handler wraps, to be called once.
            1 next: next Event 3 "19";
            /// Task.
            2 task_id: id Event 3 "19";
            /// Session.
            3 session_id: id Event 3 "19";
            /// Turn.
            4 turn_id: id Event 3 "19";
            /// API request.
            5 api_request_id: id Event 3 "19";
            /// What request middleware changed.
            6 middleware_trace: list Event 3 "19";
            /// `hermes.observer.v1`.
            7 telemetry_schema_version: text Event 3 "19";
            /// `hermes.middleware.v1`.
            8 middleware_schema_version: text Event 3 "19";
        }
        answers {
            /// The result. A handler answers with the bare result, whatever the model's answer looks like here.
            0 result: any 3;
        }
    }
}
