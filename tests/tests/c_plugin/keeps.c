/* Keeps a number with each call, and shows what came back as a tool. */
#include "hermes_plugin.h"

static hermes_host host;
static uint32_t numbers[4] = { 10, 11, 12, 13 };
static uint32_t used;
static uint32_t came_back;
static uint32_t drops;
static uint32_t codes;

static void dropped(void *number) {
    drops += *(uint32_t *)number;
}

static hermes_status before(void *state, const hermes_call *call) {
    (void)state;
    codes = codes * 10 + hermes_attach(host, call, &numbers[used++], dropped);
    return HERMES_STATUS_NONE;
}

static hermes_status after(void *state, const hermes_call *call) {
    uint32_t *number = (uint32_t *)hermes_take(host, call);
    (void)state;
    if (number != NULL) {
        came_back += *number;
    }
    return HERMES_STATUS_NONE;
}

static hermes_status show(void *state, const hermes_call *call) {
    const hermes_call_slots *slots =
        (const hermes_call_slots *)hermes_extension(host, HERMES_CALLS_EXTENSION);
    hermes_answer_code code = hermes_answer_begin_array(call, HERMES_ANSWER_WHOLE);
    (void)state;
    codes = codes * 10 + hermes_attach(host, call, &numbers[3], dropped);
    codes = codes * 10 + slots->attach(host.instance, call, NULL);
    codes = codes * 10 + slots->take(host.instance, call, NULL);
    code |= hermes_answer_value(call, hermes_make_u64(codes));
    code |= hermes_answer_value(call, hermes_make_u64(came_back));
    code |= hermes_answer_value(call, hermes_make_u64(drops));
    return hermes_answered(call, code | hermes_answer_end(call));
}

static hermes_status create(const hermes_create_args *args, void **state) {
    (void)state;
    host = hermes_host_of(args);
    return HERMES_STATUS_NONE;
}

static hermes_status on_register(void *state, const hermes_registrar *registrar) {
    hermes_handler_spec pre = HERMES_SPEC(PRE_TOOL_CALL, before, state);
    hermes_handler_spec post = HERMES_SPEC(POST_TOOL_CALL, after, state);
    hermes_handler tool = hermes_make_handler(show, NULL, state);
    if (hermes_on(registrar, &pre, NULL) != HERMES_SERVICE_OK ||
        hermes_on(registrar, &post, NULL) != HERMES_SERVICE_OK ||
        hermes_offer_tool(registrar, "{\"name\":\"kept\"}", &tool) != HERMES_SERVICE_OK) {
        return HERMES_STATUS_ERROR;
    }
    return HERMES_STATUS_NONE;
}

HERMES_PLUGIN(create, on_register, NULL, "name": "keeps", "version": "1.0.0",
    "requires": { "extensions": ["hermes.calls/1"] });
