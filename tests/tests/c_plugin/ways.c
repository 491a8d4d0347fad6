/* A handler that does what the tool's name says. */
#include "hermes_plugin.h"
#include <stdio.h>
#include <stdlib.h>

static hermes_status told(const hermes_call *call, hermes_answer_code code) {
    char message[32];
    snprintf(message, sizeof message, "code %u", (unsigned)code);
    return hermes_answered(call, hermes_answer_str(call, HERMES_PRE_TOOL_CALL_ANSWER_ACTION, "block")
        | hermes_answer_str(call, HERMES_PRE_TOOL_CALL_ANSWER_MESSAGE, message));
}

static hermes_status poll(void *state, const hermes_call *call, const hermes_waker *waker) {
    int *polls = (int *)state;
    hermes_waker kept = hermes_waker_clone(waker);
    hermes_waker_wake(&kept);
    hermes_waker_drop(&kept);
    if (++*polls < 3) {
        return HERMES_STATUS_PENDING;
    }
    return hermes_cancelled(call) ? HERMES_STATUS_NONE : told(call, 300);
}

static hermes_status judge(void *state, const hermes_call *call) {
    const hermes_call_fns *fns = call->fns;
    hermes_str way = HERMES_STR("");
    hermes_value value;
    (void)state;
    if (!hermes_event_str(call, HERMES_PRE_TOOL_CALL_TOOL_NAME, &way)) {
        return hermes_fail(call, "there is no tool");
    }
    if (hermes_str_eq(way, "block")) return told(call, HERMES_ANSWER_OK);
    if (hermes_str_eq(way, "unknown-status")) return 999;
    if (hermes_str_eq(way, "largest-status")) return UINT32_MAX;
    if (hermes_str_eq(way, "answered-without-answer")) return HERMES_STATUS_ANSWERED;
    if (hermes_str_eq(way, "pending-without-future")) return HERMES_STATUS_PENDING;
    if (hermes_str_eq(way, "error-without-words")) return HERMES_STATUS_ERROR;
    if (hermes_str_eq(way, "error")) return hermes_fail(call, "said so");
    if (hermes_str_eq(way, "error-not-utf8")) return hermes_fail(call, "said \xff so");
    if (hermes_str_eq(way, "panicked-with-an-error")) {
        (void)hermes_fail(call, "said so");
        return HERMES_STATUS_PANICKED;
    }
    if (hermes_str_eq(way, "answer-not-taken")) {
        return hermes_answered(call, hermes_answer_i64(call, HERMES_PRE_TOOL_CALL_ANSWER_ACTION, 1));
    }
    if (hermes_str_eq(way, "not-utf8")) {
        return told(call, hermes_answer_strn(call, HERMES_PRE_TOOL_CALL_ANSWER_MESSAGE, hermes_strn("\xff\xfe", 2)));
    }
    if (hermes_str_eq(way, "name-not-utf8")) {
        return told(call, hermes_answer_named(call, "\xff", hermes_make_null()));
    }
    if (hermes_str_eq(way, "wrong-type")) {
        return told(call, hermes_answer_i64(call, HERMES_PRE_TOOL_CALL_ANSWER_ACTION, 1));
    }
    if (hermes_str_eq(way, "unknown-tag")) {
        value = hermes_make_null();
        value.tag = 77;
        return told(call, hermes_answer(call, HERMES_PRE_TOOL_CALL_ANSWER_ACTION, value));
    }
    if (hermes_str_eq(way, "null-value")) return told(call, fns->set(call, 0, NULL));
    if (hermes_str_eq(way, "null-handler")) return told(call, hermes_answer_handler(call, 0, NULL));
    if (hermes_str_eq(way, "null-future")) return told(call, fns->pend(call, NULL));
    if (hermes_str_eq(way, "null-failure")) return told(call, fns->fail(call, NULL));
    if (hermes_str_eq(way, "future-without-poll")) {
        hermes_future none = { sizeof none, 0, NULL, NULL, NULL };
        return told(call, hermes_pend(call, &none));
    }
    if (hermes_str_eq(way, "unknown-field")) return told(call, hermes_answer_str(call, 31, "x"));
    if (hermes_str_eq(way, "bad-json")) return told(call, hermes_answer_json(call, 0, hermes_strz("{")));
    if (hermes_str_eq(way, "json-not-utf8")) return told(call, hermes_answer_json(call, 0, hermes_strz("\"\xff\"")));
    if (hermes_str_eq(way, "json-of-wrong-type")) return told(call, hermes_answer_json(call, 0, hermes_strz("[]")));
    if (hermes_str_eq(way, "closed-too-often")) return told(call, hermes_answer_end(call));
    if (hermes_str_eq(way, "key-outside")) return told(call, hermes_answer_key(call, "a"));
    if (hermes_str_eq(way, "too-deep")) {
        hermes_answer_code code = HERMES_ANSWER_OK;
        int depth;
        for (depth = 0; depth < 100 && code == HERMES_ANSWER_OK; depth++) {
            code = hermes_answer_begin_array(call, HERMES_ANSWER_WHOLE);
        }
        for (; depth > 1; depth--) {
            (void)hermes_answer_end(call);
        }
        (void)hermes_answer_json(call, HERMES_ANSWER_WHOLE, hermes_strz("{\"action\":\"block\",\"message\":\"too deep\"}"));
        return code == HERMES_ANSWER_DEPTH ? HERMES_STATUS_ANSWERED : 998;
    }
    if (hermes_str_eq(way, "too-big")) {
        size_t len = (size_t)17 << 20;
        char *text = (char *)calloc(1, len);
        hermes_answer_code code;
        if (text == NULL) return 997;
        memset(text, 'x', len);
        code = hermes_answer_strn(call, HERMES_PRE_TOOL_CALL_ANSWER_MESSAGE, hermes_strn(text, len));
        free(text);
        return told(call, code);
    }
    if (hermes_str_eq(way, "must-understand")) {
        (void)hermes_answer(call, 31, hermes_must_understand(hermes_make_bool(true)));
        return told(call, 0);
    }
    if (hermes_str_eq(way, "left-open")) {
        (void)hermes_answer_begin_object(call, HERMES_PRE_TOOL_CALL_ANSWER_ARGS);
        return HERMES_STATUS_ANSWERED;
    }
    if (hermes_str_eq(way, "set-but-nothing-said")) {
        (void)told(call, 0);
        return HERMES_STATUS_NONE;
    }
    if (hermes_str_eq(way, "retained")) {
        const hermes_call *kept = hermes_retain(call);
        hermes_status status = told(kept, hermes_cancelled(kept) ? 301 : 302);
        hermes_release(kept);
        return status == HERMES_STATUS_ANSWERED ? told(call, 303) : status;
    }
    if (hermes_str_eq(way, "pending")) {
        hermes_future future = { sizeof future, 0, calloc(1, sizeof(int)), poll, free };
        hermes_answer_code code = hermes_pend(call, &future);
        return code == HERMES_ANSWER_OK ? HERMES_STATUS_PENDING : told(call, code);
    }
    if (hermes_str_eq(way, "short-table")) {
        hermes_call_fns older = *fns;
        hermes_call copy = *call;
        older.size = (uint32_t)offsetof(hermes_call_fns, set_json);
        copy.fns = &older;
        return told(call, hermes_answer_json(&copy, 0, hermes_strz("\"block\"")));
    }
    if (hermes_str_eq(way, "reads")) {
        hermes_tree args, inner;
        hermes_str text, key;
        int64_t whole;
        double number;
        bool flag;
        uint64_t cursor = 0, seen = 0;
        if (!hermes_event_tree(call, HERMES_PRE_TOOL_CALL_ARGS, &args) || hermes_tree_is_array(args)) return told(call, 401);
        if (hermes_tree_len(args) != 7) return told(call, 402);
        if (!hermes_tree_str(args, "text", &text) || !hermes_str_eq(text, "abc")) return told(call, 403);
        if (!hermes_tree_i64(args, "whole", &whole) || whole != -5) return told(call, 404);
        if (!hermes_tree_i64(args, "round", &whole) || whole != 2) return told(call, 405);
        if (hermes_tree_i64(args, "huge", &whole)) return told(call, 406);
        if (!hermes_tree_f64(args, "huge", &number) || number < 1.8e19) return told(call, 407);
        if (!hermes_tree_bool(args, "flag", &flag) || !flag) return told(call, 408);
        if (!hermes_tree_tree(args, "list", &inner) || !hermes_tree_is_array(inner)) return told(call, 409);
        if (!hermes_tree_at(inner, 1, &value) || !hermes_value_is_none(&value)) return told(call, 410);
        if (hermes_tree_at(inner, 2, &value) || hermes_tree_get(args, "none", &value)) return told(call, 411);
        if (hermes_tree_str(args, "whole", &text) || hermes_tree_bool(args, "text", &flag)) return told(call, 412);
        while (hermes_tree_next(args, &cursor, &key, &value)) seen += key.len;
        if (seen != 4 + 5 + 5 + 4 + 4 + 4 + 5) return told(call, 413);
        if (hermes_event_field(call, 9999) != NULL || hermes_event_id(call, HERMES_PRE_TOOL_CALL_TASK_ID, &text)) return told(call, 414);
        if (!hermes_event_extra(call, &inner) || !hermes_tree_str(inner, "more", &text)) return told(call, 415);
        {
            char room[8];
            hermes_buffer small = hermes_buffer_of(room, sizeof room);
            if (hermes_tree_json(inner, &small) || small.len <= sizeof room || strlen(room) != 7) return told(call, 416);
        }
        return told(call, HERMES_ANSWER_OK);
    }
    if (hermes_str_eq(way, "marks")) {
        hermes_tree args;
        hermes_str text = HERMES_STR("");
        double number = 0;
        if (!hermes_event_tree(call, HERMES_PRE_TOOL_CALL_ARGS, &args)) return told(call, 501);
        if (!hermes_tree_get(args, "f", &value) || hermes_value_mark(&value) != HERMES_MARK_FLOAT) return told(call, 502);
        if (!hermes_value_f64(&value, &number) || number > -1e300 || !hermes_value_str(&value, &text)) return told(call, 503);
        if (!hermes_str_eq(text, "-inf")) return told(call, 504);
        if (!hermes_tree_get(args, "n", &value) || !hermes_value_f64(&value, &number)) return told(call, 505);
        if (number == number) return told(call, 506);
        if (!hermes_tree_get(args, "i", &value) || hermes_value_mark(&value) != HERMES_MARK_INT) return told(call, 507);
        if (!hermes_value_str(&value, &text) || text.len != 30 || hermes_value_f64(&value, &number)) return told(call, 508);
        if (!hermes_tree_get(args, "b", &value) || hermes_value_mark(&value) != HERMES_MARK_BYTES_HEX) return told(call, 509);
        if (!hermes_tree_get(args, "s", &value) || hermes_value_mark(&value) != HERMES_MARK_LOSSY) return told(call, 510);
        if (!hermes_value_str(&value, &text) || !hermes_str_eq(text, "half \xef\xbf\xbd")) return told(call, 511);
        if (!hermes_tree_get(args, "p", &value) || hermes_value_mark(&value) != HERMES_MARK_PATH) return told(call, 512);
        if (!hermes_value_str(&value, &text) || !hermes_str_eq(text, "/x")) return told(call, 513);
        if (!hermes_tree_get(args, "o", &value) || hermes_value_mark(&value) != HERMES_MARK_OPAQUE) return told(call, 514);
        if (hermes_value_str(&value, &text) || hermes_value_id(&value, &text)) return told(call, 515);
        if (!hermes_tree_get(args, "t", &value) || hermes_value_mark(&value) != HERMES_MARK_NONE) return told(call, 516);
        return told(call, HERMES_ANSWER_OK);
    }
    return HERMES_STATUS_NONE;
}

static hermes_status create(const hermes_create_args *args, void **state) {
    (void)args;
    (void)state;
    return HERMES_STATUS_NONE;
}

static hermes_status on_register(void *state, const hermes_registrar *registrar) {
    hermes_handler_spec spec = HERMES_SPEC(PRE_TOOL_CALL, judge, state);
    return hermes_on(registrar, &spec, NULL) == HERMES_SERVICE_OK ? HERMES_STATUS_NONE : HERMES_STATUS_ERROR;
}

HERMES_PLUGIN(create, on_register, NULL, "name": "ways", "version": "1.0.0", "hooks": ["pre_tool_call"]);
