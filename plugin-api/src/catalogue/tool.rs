//! Tool calls: before, after, and what the model sees of the result.

use super::hooks;
use crate::answers::{Replacement, ToolDecision, Verdict};

hooks! {
    /// Once per tool call, before the tool runs. A block keeps it from running and gives the model
    /// the message as an error; `approve` asks a person; `modify` changes arguments.
    /// Every handler is called, also after a block.
    1 PreToolCall PreToolCallView "pre_tool_call" Hermes "before_tool_call" {
        Modify Directive OPEN 0 since 1 "S 13 19"
        answer Verdict;
        fields {
            /// Name of the tool about to run.
            0 tool_name: str Event 1 "S 13 19";
            /// What the model passed; empty when it was not an object.
            1 args: object Event 1 "S 13 19";
            /// Task or session isolation id.
            2 task_id: id Event 1 "S 13 19";
            /// Session.
            3 session_id: id Event 1 "13 19";
            /// The provider's id of this call.
            4 tool_call_id: id Event 1 "13 19";
            /// Turn: `<session>:<task>:<8 hex>`.
            5 turn_id: id Event 1 "19";
            /// Model request that asked for the call: `<turn_id>:api:<n>`.
            6 api_request_id: id Event 1 "19";
            /// What request middleware did, usually nothing.
            7 middleware_trace: list Event 1 "19";
            /// `hermes.observer.v1`.
            8 telemetry_schema_version: text Event 1 "19";
        }
        answers {
            /// `block`, `approve` or `modify`.
            0 action: text 1;
            /// Why, for the model or the person who is asked.
            1 message: text 1;
            /// Under which key an approval is remembered.
            2 rule_key: text 1;
            /// Arguments to replace, key by key.
            3 args: opt_object 1;
        }
    }

    /// Once per tool call, after it returned, failed, or was refused. Sees the result before any
    /// transformation.
    2 PostToolCall PostToolCallView "post_tool_call" Hermes "after_tool_call" {
        Observe Ignore OPEN 0 since 1 "S 13 19"
        answer ();
        fields {
            /// Name of the tool.
            0 tool_name: str Event 1 "S 13 19";
            /// What it was called with.
            1 args: object Event 1 "S 13 19";
            /// Task or session isolation id.
            2 task_id: id Event 1 "S 13 19";
            /// Result text, normally JSON; an object for multimodal results.
            3 result: any Event 1 "S 13 19";
            /// Wall time of the tool alone, in milliseconds.
            4 duration_ms: int Event 1 "S 13 19";
            /// Session.
            5 session_id: id Event 1 "13 19";
            /// The provider's id of this call.
            6 tool_call_id: id Event 1 "13 19";
            /// Turn.
            7 turn_id: id Event 1 "19";
            /// Model request that asked for the call.
            8 api_request_id: id Event 1 "19";
            /// `ok`, `error`, `blocked`, `cancelled` or `timeout`.
            9 status: text Event 1 "19";
            /// `tool_error`, `plugin_block`, `guardrail_block`, `tool_scope_block`,
            /// `keyboard_interrupt`, `tool_timeout` or `thread_missing_result`.
            10 error_type: text Event 1 "19";
            /// What went wrong.
            11 error_message: text Event 1 "19";
            /// What request middleware did.
            12 middleware_trace: list Event 1 "19";
            /// `hermes.observer.v1`.
            13 telemetry_schema_version: text Event 1 "19";
        }
        answers {}
    }

    /// Right after `post_tool_call`, before the result enters the conversation. The first text
    /// replaces it, an empty one too; later handlers still see the original.
    3 TransformToolResult TransformToolResultView "transform_tool_result" Hermes "tool_result_transform" {
        Transform ReplaceAny OPEN 0 since 1 "S 13 19"
        answer Replacement;
        fields {
            /// Name of the tool.
            0 tool_name: str Event 1 "S 13 19";
            /// What it was called with.
            1 args: object Event 1 "13 19" alias "arguments";
            /// The same under the name of the published page.
            2 arguments: object Event 1 "S" alias "args";
            /// Result text.
            3 result: str Event 1 "S 13 19";
            /// Task or session isolation id.
            4 task_id: id Event 1 "S 13 19";
            /// Session.
            5 session_id: id Event 1 "13 19";
            /// The provider's id of this call.
            6 tool_call_id: id Event 1 "13 19";
            /// Wall time of the tool alone, in milliseconds.
            7 duration_ms: int Event 1 "13 19";
            /// Turn.
            8 turn_id: id Event 1 "19";
            /// Model request that asked for the call.
            9 api_request_id: id Event 1 "19";
            /// `ok`, `error`, `cancelled` or `timeout`.
            10 status: text Event 1 "19";
            /// As in `post_tool_call`.
            11 error_type: text Event 1 "19";
            /// As in `post_tool_call`.
            12 error_message: text Event 1 "19";
            /// `hermes.observer.v1`.
            13 telemetry_schema_version: text Event 1 "19";
        }
        answers {
            /// The text to use instead. A handler answers with bare text.
            0 text: text 1;
        }
    }

    /// After a foreground terminal command, before its output is truncated, stripped of ANSI codes
    /// and redacted. The first text replaces the output, an empty one too.
    4 TransformTerminalOutput TransformTerminalOutputView "transform_terminal_output" Hermes "terminal_output_transform" {
        Transform ReplaceAny OPEN 0 since 1 "S 13 19"
        answer Replacement;
        fields {
            /// The command.
            0 command: str Event 1 "S 13 19";
            /// What it printed, both streams.
            1 output: str Event 1 "S 13 19";
            /// Exit code, under the name of the published page.
            2 exit_code: int Event 1 "S" alias "returncode";
            /// Exit code.
            3 returncode: int Event 1 "13 19" alias "exit_code";
            /// Where it ran.
            4 cwd: text Event 1 "S";
            /// Terminal environment.
            5 task_id: id Event 1 "S 13 19";
            /// `local`, `docker`, …
            6 env_type: text Event 1 "13 19";
            /// `hermes.observer.v1`.
            7 telemetry_schema_version: text Event 1 "19";
        }
        answers {
            /// The text to use instead. A handler answers with bare text.
            0 text: text 1;
        }
    }

    /// OpenClaw's moment before a tool executes. A block is final; parameters are merged over the
    /// call's own; an approval asks a person. A handler that fails blocks the call.
    100 BeforeToolCall BeforeToolCallView "before_tool_call" OpenClaw "before_tool_call" {
        Modify ToolDecision CLOSED 0 since 1 "seed 5.12 9.6"
        answer ToolDecision;
        fields {
            /// Name of the tool.
            0 tool_name as "toolName": str Event 1 "seed";
            /// What it is called with.
            1 params: object Event 1 "seed";
            /// Agent run.
            2 run_id as "runId": id Event 1 "seed";
            /// The provider's id of this call.
            3 tool_call_id as "toolCallId": id Event 1 "seed";
            /// Paths the host believes the call touches.
            4 derived_paths as "derivedPaths": list Event 1 "seed";
            /// `code_mode_exec`.
            5 tool_kind as "toolKind": text Event 1 "9.6";
            /// `javascript` or `typescript`.
            6 tool_input_kind as "toolInputKind": text Event 1 "9.6";
            /// Agent.
            7 agent_id as "agentId": id Ctx 1 "seed";
            /// Session key.
            8 session_key as "sessionKey": id Ctx 1 "seed";
            /// Session.
            9 session_id as "sessionId": id Ctx 1 "seed";
            /// Channel.
            10 channel_id as "channelId": id Ctx 1 "seed";
            /// Trace: `traceId`, `spanId`, `parentSpanId`, `traceFlags`.
            11 trace: opt_object Ctx 1 "seed";
            /// Cron job, on runs that a cron job started.
            12 job_id as "jobId": id Ctx 1 "seed";
            /// Who asked: `channel`, `accountId`, `senderId`, `senderIsOwner`, `roleIds`.
            13 requester: opt_object Ctx 1 "9.6";
        }
        answers {
            /// Parameters to set, shallowly over the call's own.
            0 params: opt_object 1;
            /// Only `true` blocks.
            1 block: opt_bool 1;
            /// Why.
            2 block_reason as "blockReason": text 1;
            /// Ask a person: `title`, `description`, `severity`, `timeoutMs`, `timeoutBehavior`,
            /// `allowedDecisions`.
            3 require_approval as "requireApproval": opt_object 1;
            /// Called once with the decision.
            4 on_resolution as "onResolution": callback 1;
        }
    }
}
