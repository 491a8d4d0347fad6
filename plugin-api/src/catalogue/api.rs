//! Requests to the model, one event per attempt.

use super::hooks;

hooks! {
    /// Before each HTTP attempt to the model, retries included.
    17 PreApiRequest PreApiRequestView "pre_api_request" Hermes "model_call_started" {
        Observe Ignore OPEN 0 since 1 "13 19"
        answer ();
        fields {
            /// Task.
            0 task_id: id Event 1 "13 19";
            /// Session.
            1 session_id: id Event 1 "13 19";
            /// Platform.
            2 platform: id Event 1 "13 19";
            /// Model.
            3 model: str Event 1 "13 19";
            /// Provider.
            4 provider: text Event 1 "13 19";
            /// Address of the provider.
            5 base_url: text Event 1 "13 19";
            /// `chat_completions`, `anthropic_messages`, `codex_responses`, …
            6 api_mode: text Event 1 "13 19";
            /// Which call of the turn, from 1.
            7 api_call_count: int Event 1 "13 19";
            /// How many messages are sent.
            8 message_count: int Event 1 "13 19";
            /// How many tools are offered.
            9 tool_count: int Event 1 "13 19";
            /// Estimate of the input, in tokens.
            10 approx_input_tokens: int Event 1 "13 19";
            /// Size of the request, in characters.
            11 request_char_count: int Event 1 "13 19";
            /// Limit of the answer, in tokens.
            12 max_tokens: opt_int Event 1 "13 19";
            /// Turn.
            13 turn_id: id Event 1 "19";
            /// This request.
            14 api_request_id: id Event 1 "19";
            /// Seconds since the epoch.
            15 started_at: opt_float Event 1 "19";
            /// What the user sent.
            16 user_message: any Event 1 "19";
            /// The messages so far.
            17 conversation_history: list Event 1 "19";
            /// The messages as they are sent.
            18 request_messages: list Event 1 "19";
            /// What request middleware did.
            19 middleware_trace: list Event 1 "19";
            /// `method` and `body`, sanitised and bounded.
            20 request: opt_object Event 1 "19";
            /// `hermes.observer.v1`.
            21 telemetry_schema_version: text Event 1 "19";
        }
        answers {}
    }

    /// After each HTTP attempt that gave an answer.
    18 PostApiRequest PostApiRequestView "post_api_request" Hermes "model_call_ended" {
        Observe Ignore OPEN 0 since 1 "13 19"
        answer ();
        fields {
            /// Task.
            0 task_id: id Event 1 "13 19";
            /// Session.
            1 session_id: id Event 1 "13 19";
            /// Platform.
            2 platform: id Event 1 "13 19";
            /// Model.
            3 model: str Event 1 "13 19";
            /// Provider.
            4 provider: text Event 1 "13 19";
            /// Address of the provider.
            5 base_url: text Event 1 "13 19";
            /// As in `pre_api_request`.
            6 api_mode: text Event 1 "13 19";
            /// Which call of the turn, from 1.
            7 api_call_count: int Event 1 "13 19";
            /// How many messages were sent.
            8 message_count: int Event 1 "13 19";
            /// Seconds it took.
            9 api_duration: float Event 1 "13 19";
            /// Why the model stopped.
            10 finish_reason: text Event 1 "13 19";
            /// Model that answered.
            11 response_model: text Event 1 "13 19";
            /// `input_tokens`, `output_tokens`, `cache_read_tokens`, `cache_write_tokens`,
            /// `reasoning_tokens`, `request_count`, `prompt_tokens`, `total_tokens`.
            12 usage: opt_object Event 1 "13 19";
            /// Length of the answer, in characters.
            13 assistant_content_chars: int Event 1 "13 19";
            /// How many tool calls the answer asks for.
            14 assistant_tool_call_count: int Event 1 "13 19";
            /// Turn.
            15 turn_id: id Event 1 "19";
            /// This request.
            16 api_request_id: id Event 1 "19";
            /// Seconds since the epoch.
            17 started_at: opt_float Event 1 "19";
            /// Seconds since the epoch.
            18 ended_at: opt_float Event 1 "19";
            /// The answer, sanitised and bounded.
            19 response: opt_object Event 1 "19";
            /// The assistant's message.
            20 assistant_message: any Event 1 "19";
            /// What request middleware did.
            21 middleware_trace: list Event 1 "19";
            /// `hermes.observer.v1`.
            22 telemetry_schema_version: text Event 1 "19";
        }
        answers {}
    }

    /// After each HTTP attempt that failed or gave an unusable answer.
    19 ApiRequestError ApiRequestErrorView "api_request_error" Hermes "model_call_failed" {
        Observe Ignore OPEN 0 since 1 "19"
        answer ();
        fields {
            /// Task.
            0 task_id: id Event 1 "19";
            /// Turn.
            1 turn_id: id Event 1 "19";
            /// This request.
            2 api_request_id: id Event 1 "19";
            /// Session.
            3 session_id: id Event 1 "19";
            /// Platform.
            4 platform: id Event 1 "19";
            /// Model.
            5 model: str Event 1 "19";
            /// Provider.
            6 provider: text Event 1 "19";
            /// Address of the provider.
            7 base_url: text Event 1 "19";
            /// As in `pre_api_request`.
            8 api_mode: text Event 1 "19";
            /// Which call of the turn, from 1.
            9 api_call_count: int Event 1 "19";
            /// Seconds it took.
            10 api_duration: float Event 1 "19";
            /// Seconds since the epoch.
            11 started_at: opt_float Event 1 "19";
            /// Seconds since the epoch.
            12 ended_at: opt_float Event 1 "19";
            /// HTTP status.
            13 status_code: opt_int Event 1 "19";
            /// How often it was tried again.
            14 retry_count: opt_int Event 1 "19";
            /// How often it may be tried again.
            15 max_retries: opt_int Event 1 "19";
            /// Whether trying again makes sense.
            16 retryable: opt_bool Event 1 "19";
            /// What the host makes of it.
            17 reason: text Event 1 "19";
            /// `type` and `message`.
            18 error: opt_object Event 1 "19";
            /// The request, sanitised and bounded.
            19 request: opt_object Event 1 "19";
            /// `hermes.observer.v1`.
            20 telemetry_schema_version: text Event 1 "19";
        }
        answers {}
    }
}
