/* Uses live objects in C, well and badly: what the message's text says, or the tool's name. */
#include "hermes_plugin.h"
#include <pthread.h>
#include <stdio.h>

static hermes_host HOST;
/* What an earlier call was lent. */
static const hermes_call *KEPT;
static uint64_t KEPT_NUMBER;

static const char MESSAGE[] = "{\"platform\":\"telegram\",\"chat_id\":\"c1\",\"text\":\"hello\"}";
static const char ENTRY[] = "{\"session_key\":\"s1\",\"role\":\"user\",\"content\":\"hello\"}";

static hermes_status told(const hermes_call *call, hermes_service_code code, const hermes_buffer *buffer) {
    char reason[300];
    hermes_str text = hermes_buffer_str(buffer);
    snprintf(reason, sizeof reason, "code %u %.*s", (unsigned)code, (int)text.len, text.ptr);
    return hermes_answered(call, hermes_answer_str(call, HERMES_PRE_GATEWAY_DISPATCH_ANSWER_ACTION, "skip")
        | hermes_answer_str(call, HERMES_PRE_GATEWAY_DISPATCH_ANSWER_REASON, reason));
}

static const hermes_gateway_fns *gateway(void) {
    return (const hermes_gateway_fns *)HOST.services->get_extension(
        HOST.instance, hermes_strz(HERMES_GATEWAY_EXTENSION));
}

static hermes_service_code raw_send(
    uint64_t instance, const hermes_call *call, hermes_handle_kind kind, uint64_t number, hermes_buffer *buffer) {
    hermes_sink sink = hermes_buffer_sink(buffer);
    return gateway()->send(instance, call, kind, number, hermes_strz(MESSAGE), &sink);
}

typedef struct elsewhere {
    const hermes_call *call;
    hermes_buffer *buffer;
    hermes_service_code code;
} elsewhere;

static void *send_elsewhere(void *raw) {
    elsewhere *work = (elsewhere *)raw;
    work->code = hermes_gateway_send(HOST, work->call, MESSAGE, work->buffer);
    return NULL;
}

static hermes_status judge(void *state, const hermes_call *call) {
    char room[200];
    hermes_buffer buffer = hermes_buffer_of(room, sizeof room);
    hermes_handle_kind kind = 0;
    uint64_t number = 0;
    hermes_tree event;
    hermes_str way;
    (void)state;
    if (!hermes_event_tree(call, HERMES_PRE_GATEWAY_DISPATCH_EVENT, &event) || !hermes_tree_str(event, "text", &way)) {
        return HERMES_STATUS_NONE;
    }
    (void)hermes_value_handle(hermes_event_field(call, HERMES_PRE_GATEWAY_DISPATCH_GATEWAY), &kind, &number);
    if (hermes_str_eq(way, "send")) {
        return told(call, hermes_gateway_send(HOST, call, MESSAGE, &buffer), &buffer);
    }
    if (hermes_str_eq(way, "append")) {
        return told(call, hermes_append_to_transcript(HOST, call, ENTRY, &buffer), &buffer);
    }
    if (hermes_str_eq(way, "no-message")) {
        return told(call, hermes_gateway_send(HOST, call, "{\"platform\":\"telegram\"}", &buffer), &buffer);
    }
    if (hermes_str_eq(way, "not-utf8")) {
        return told(call, hermes_gateway_send(HOST, call, "\xff", &buffer), &buffer);
    }
    if (hermes_str_eq(way, "small-buffer")) {
        buffer = hermes_buffer_of(room, 4);
        return told(call, hermes_gateway_send(HOST, call, MESSAGE, &buffer), &buffer);
    }
    if (hermes_str_eq(way, "no-sink")) {
        return told(call, gateway()->send(HOST.instance, call, kind, number, hermes_strz(MESSAGE), NULL), &buffer);
    }
    if (hermes_str_eq(way, "other-number")) {
        return told(call, raw_send(HOST.instance, call, kind, number + 1, &buffer), &buffer);
    }
    if (hermes_str_eq(way, "other-kind")) {
        return told(call, raw_send(HOST.instance, call, HERMES_HANDLE_KIND_SESSION_STORE, number, &buffer), &buffer);
    }
    if (hermes_str_eq(way, "other-instance")) {
        return told(call, raw_send(HOST.instance + 1, call, kind, number, &buffer), &buffer);
    }
    if (hermes_str_eq(way, "no-call")) {
        return told(call, raw_send(HOST.instance, NULL, kind, number, &buffer), &buffer);
    }
    if (hermes_str_eq(way, "retained")) {
        const hermes_call *kept = hermes_retain(call);
        hermes_service_code code = hermes_gateway_send(HOST, kept, MESSAGE, &buffer);
        hermes_release(kept);
        return told(call, code, &buffer);
    }
    if (hermes_str_eq(way, "thread")) {
        elsewhere work;
        pthread_t thread;
        work.call = call;
        work.buffer = &buffer;
        work.code = 99;
        if (pthread_create(&thread, NULL, send_elsewhere, &work) != 0 || pthread_join(thread, NULL) != 0) {
            return hermes_fail(call, "no thread");
        }
        return told(call, work.code, &buffer);
    }
    if (hermes_str_eq(way, "keep")) {
        KEPT = call;
        KEPT_NUMBER = number;
        return told(call, HERMES_SERVICE_OK, &buffer);
    }
    if (hermes_str_eq(way, "late-number")) {
        return told(call, raw_send(HOST.instance, call, HERMES_HANDLE_KIND_GATEWAY, KEPT_NUMBER, &buffer), &buffer);
    }
    return HERMES_STATUS_NONE;
}

/* Another hook: nothing is lent with its events. */
static hermes_status after(void *state, const hermes_call *call) {
    char room[200];
    hermes_buffer buffer = hermes_buffer_of(room, sizeof room);
    hermes_service_code own = raw_send(HOST.instance, call, HERMES_HANDLE_KIND_GATEWAY, KEPT_NUMBER, &buffer);
    hermes_service_code kept = raw_send(HOST.instance, KEPT, HERMES_HANDLE_KIND_GATEWAY, KEPT_NUMBER, &buffer);
    hermes_service_code next = hermes_next(HOST, call, NULL, &buffer);
    char codes[64];
    (void)state;
    snprintf(codes, sizeof codes, "[%u,%u,%u]", (unsigned)own, (unsigned)kept, (unsigned)next);
    return hermes_answered(call, hermes_answer_json(call, HERMES_ANSWER_WHOLE, hermes_strz(codes)));
}

/* Middleware: the tool's name says what is passed on. */
static hermes_status around(void *state, const hermes_call *call) {
    char room[200];
    hermes_buffer buffer = hermes_buffer_of(room, sizeof room);
    hermes_service_code code;
    hermes_str tool;
    (void)state;
    if (!hermes_event_str(call, HERMES_MIDDLEWARE_TOOL_EXECUTION_TOOL_NAME, &tool)) {
        return HERMES_STATUS_NONE;
    }
    if (hermes_str_eq(tool, "no-object")) {
        code = hermes_next(HOST, call, "[1]", &buffer);
        if (code != HERMES_SERVICE_INVALID) {
            return hermes_fail(call, "it takes anything");
        }
        buffer = hermes_buffer_of(room, sizeof room);
    }
    code = hermes_next(HOST, call, hermes_str_eq(tool, "replace") ? "{\"n\":2}" : NULL, &buffer);
    if (code != HERMES_SERVICE_OK) {
        return hermes_fail(call, room);
    }
    return hermes_answered(call, hermes_answer_json(call, HERMES_ANSWER_WHOLE, hermes_buffer_str(&buffer)));
}

static hermes_status create(const hermes_create_args *args, void **state) {
    (void)state;
    HOST = hermes_host_of(args);
    return HERMES_STATUS_NONE;
}

static hermes_status on_register(void *state, const hermes_registrar *registrar) {
    hermes_handler_spec judging = HERMES_SPEC(PRE_GATEWAY_DISPATCH, judge, state);
    hermes_handler_spec wrapping = HERMES_SPEC(MIDDLEWARE_TOOL_EXECUTION, around, state);
    hermes_handler_spec later = hermes_spec("live.after", 0, after, state);
    bool registered = hermes_on(registrar, &judging, NULL) == HERMES_SERVICE_OK
        && hermes_on(registrar, &wrapping, NULL) == HERMES_SERVICE_OK
        && hermes_on(registrar, &later, NULL) == HERMES_SERVICE_OK;
    return registered ? HERMES_STATUS_NONE : HERMES_STATUS_ERROR;
}

HERMES_PLUGIN(create, on_register, NULL, "name": "live", "version": "1.0.0");
