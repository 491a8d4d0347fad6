/* Uses every accessor once, so that each goes through the strict compilers. Nothing here is ever run. */
#include "hermes_plugin.h"

static const hermes_str TOOLS[] = { HERMES_STR("terminal"), HERMES_STR("process") };

static hermes_status poll(void *state, const hermes_call *call, const hermes_waker *waker) {
    hermes_waker kept = hermes_waker_clone(waker);
    hermes_waker_wake(&kept);
    hermes_waker_drop(&kept);
    (void)state;
    return hermes_cancelled(call) ? HERMES_STATUS_NONE : HERMES_STATUS_PENDING;
}

static void forget(void *state) {
    (void)state;
}

static hermes_status later(void *state, const hermes_call *call) {
    hermes_future future = { sizeof(hermes_future), 0, state, poll, forget };
    const hermes_call *kept = hermes_retain(call);
    hermes_release(kept);
    if (hermes_deadline(call) == 0 || hermes_pend(call, &future) != HERMES_ANSWER_OK) {
        return hermes_fail(call, "too late");
    }
    return HERMES_STATUS_PENDING;
}

static hermes_status judge(void *state, const hermes_call *call) {
    hermes_host *host = (hermes_host *)state;
    char room[64];
    hermes_buffer buffer = hermes_buffer_of(room, sizeof room);
    hermes_tree tree = { NULL, NULL };
    hermes_tree inner = { NULL, NULL };
    hermes_str text = HERMES_STR("");
    hermes_str key;
    hermes_value value;
    hermes_handle_kind kind = HERMES_HANDLE_KIND_GATEWAY;
    hermes_log_field field;
    hermes_handler handler = hermes_make_handler(later, forget, state);
    hermes_answer_code code = HERMES_ANSWER_OK;
    uint64_t cursor = 0;
    int64_t whole = 0;
    double number = 0;
    bool flag = false;

    flag = hermes_event_str(call, HERMES_PRE_TOOL_CALL_TOOL_NAME, &text) && hermes_event_id(call, 2, &text)
        && hermes_event_i64(call, 3, &whole) && hermes_event_f64(call, 4, &number)
        && hermes_event_bool(call, 5, &flag) && hermes_event_tree(call, 6, &tree)
        && hermes_event_extra(call, &tree) && !hermes_value_is_none(hermes_event_field(call, 7));
    flag = hermes_tree_get(tree, "a", &value) && hermes_tree_at(tree, 0, &value) && hermes_tree_is_array(tree)
        && hermes_tree_str(tree, "a", &text) && hermes_tree_i64(tree, "a", &whole)
        && hermes_tree_f64(tree, "a", &number) && hermes_tree_bool(tree, "a", &flag)
        && hermes_tree_tree(tree, "a", &inner) && hermes_tree_json(inner, &buffer) && hermes_tree_len(tree) > 0
        && flag;
    while (hermes_tree_next(tree, &cursor, &key, &value)) {
        code |= hermes_answer_value(call, value);
    }
    field = hermes_log_value("whole", &value);
    hermes_log(*host, HERMES_LEVEL_INFO, "text");
    hermes_log_fields(*host, HERMES_LEVEL_DEBUG, "text", &field, 1);
    code |= hermes_answer(call, 0, hermes_must_understand(hermes_make_u64(1)));
    code |= hermes_answer(call, 0, hermes_make_null()) | hermes_answer_strn(call, 0, text);
    code |= hermes_answer_str(call, 0, "text") | hermes_answer_bool(call, 0, flag);
    code |= hermes_answer_i64(call, 0, whole) | hermes_answer_f64(call, 0, number);
    code |= hermes_answer_json(call, 0, hermes_buffer_str(&buffer)) | hermes_answer_handler(call, 4, &handler);
    code |= hermes_answer_begin_object(call, HERMES_ANSWER_WHOLE) | hermes_answer_key(call, "list");
    code |= hermes_answer_begin_array(call, 0) | hermes_answer_end(call);
    code |= hermes_answer_member(call, "n", hermes_make_f64(0.5)) | hermes_answer_end(call);
    code |= hermes_answer_named(call, "more", hermes_make_str(hermes_strz("text")));
    (void)hermes_fire(*host, call, HERMES_PRE_TOOL_CALL, "{}", &buffer);
    (void)hermes_gateway_send(*host, call, "{}", &buffer);
    (void)hermes_append_to_transcript(*host, call, "{}", &buffer);
    (void)hermes_next(*host, call, NULL, &buffer);
    (void)hermes_value_handle(&value, &kind, &cursor);
    (void)hermes_value_mark(&value);
    (void)hermes_timer(*host, 1, 0, &handler, &cursor);
    (void)hermes_cancel_timer(*host, cursor);
    (void)hermes_unregister(*host, cursor);
    return hermes_answered(call, code);
}

static hermes_status create(const hermes_create_args *args, void **state) {
    static hermes_host host;
    host = hermes_host_of(args);
    *state = &host;
    return HERMES_STATUS_NONE;
}

static hermes_status on_register(void *state, const hermes_registrar *registrar) {
    hermes_host *host = (hermes_host *)state;
    char room[64];
    hermes_buffer buffer = hermes_buffer_of(room, sizeof room);
    hermes_handler_spec spec = HERMES_SPEC(PRE_TOOL_CALL, judge, state);
    hermes_handler tool = hermes_make_handler(judge, NULL, state);
    hermes_str raw;
    hermes_spec_tools(&spec, TOOLS, 2);
    spec.phase = HERMES_PHASE_GUARD;
    spec.on_failure = HERMES_ON_FAILURE_CLOSED;
    spec.flags = HERMES_HANDLER_SERIAL | HERMES_HANDLER_REENTRANT;
    if (hermes_config(*host, &buffer) != HERMES_SERVICE_OK
        || !hermes_json_member(hermes_buffer_str(&buffer), "key", &raw)
        || hermes_data_dir(*host, &buffer) != HERMES_SERVICE_OK) {
        return hermes_host_fail(*host, "no configuration");
    }
    if (hermes_on(registrar, &spec, NULL) != HERMES_SERVICE_OK
        || hermes_offer_tool(registrar, "{\"name\":\"t\"}", &tool) != HERMES_SERVICE_OK) {
        return HERMES_STATUS_ERROR;
    }
    if (hermes_offer_tool_check(registrar, "t", &tool) != HERMES_SERVICE_OK) {
        return HERMES_STATUS_ERROR;
    }
    if (hermes_offer_command(*host, "{\"name\":\"c\"}", &tool) != HERMES_SERVICE_OK
        || hermes_offer_cli_command(*host, "{\"name\":\"c\"}", &tool) != HERMES_SERVICE_OK
        || hermes_offer_skill(*host, "{\"name\":\"s\",\"path\":\"s.md\"}", &buffer) != HERMES_SERVICE_OK
        || hermes_offer_skill(*host, "{\"name\":\"s\",\"path\":\"s.md\"}", NULL) != HERMES_SERVICE_OK
        || hermes_dispatch_tool(*host, "t", hermes_strz("{}"), &buffer) != HERMES_SERVICE_OK
        || hermes_profile_name(*host, &buffer) != HERMES_SERVICE_OK
        || hermes_manifest(*host, &buffer) != HERMES_SERVICE_OK
        || hermes_complete(*host, hermes_strz("{\"messages\":[]}"), &buffer) != HERMES_SERVICE_OK
        || !hermes_inject_message(*host, hermes_strz("hello"), "user")) {
        return HERMES_STATUS_ERROR;
    }
    return HERMES_STATUS_NONE;
}

static void set_level(hermes_level level) {
    (void)level;
}

static const hermes_log_fns LOG = { sizeof(hermes_log_fns), 0, set_level };

static const void *get_extension(hermes_str name) {
    return hermes_str_eq(name, HERMES_LOG_EXTENSION) ? &LOG : NULL;
}

HERMES_PLUGIN_WITH_EXTENSIONS(create, on_register, forget, get_extension,
    "name": "accessors",
    "version": "1.0.0");
