/* Registers in every way there is, and shows the codes as a tool. */
#include "hermes_plugin.h"

static uint32_t codes[32];
static uint32_t count;
static uint32_t drops;
static hermes_registrar kept;

static void note(hermes_service_code code) {
    codes[count++] = code;
}

static void dropped(void *state) {
    (void)state;
    drops++;
}

static hermes_status silent(void *state, const hermes_call *call) {
    (void)state;
    (void)call;
    return HERMES_STATUS_NONE;
}

static hermes_status block(void *state, const hermes_call *call) {
    (void)state;
    return hermes_answered(call, hermes_answer_str(call, HERMES_PRE_TOOL_CALL_ANSWER_ACTION, "block")
        | hermes_answer_str(call, HERMES_PRE_TOOL_CALL_ANSWER_MESSAGE, call->cookie == 77 ? "cookie" : "none"));
}

static hermes_status show(void *state, const hermes_call *call) {
    hermes_handler_spec late = HERMES_SPEC(PRE_TOOL_CALL, silent, state);
    hermes_answer_code code = hermes_answer_begin_array(call, HERMES_ANSWER_WHOLE);
    uint32_t at;
    for (at = 0; at < count; at++) {
        code |= hermes_answer_value(call, hermes_make_u64(codes[at]));
    }
    code |= hermes_answer_value(call, hermes_make_u64(hermes_on(&kept, &late, NULL)));
    code |= hermes_answer_value(call, hermes_make_u64(drops));
    return hermes_answered(call, code | hermes_answer_end(call));
}

static hermes_status create(const hermes_create_args *args, void **state) {
    (void)args;
    (void)state;
    return HERMES_STATUS_NONE;
}

static hermes_status on_register(void *state, const hermes_registrar *registrar) {
    static const hermes_str names[] = { HERMES_STR("terminal"), HERMES_STR("\xff") };
    struct { hermes_handler_spec known; uint64_t newer[4]; } longer;
    hermes_handler_spec spec = HERMES_SPEC(POST_TOOL_CALL, silent, state);
    hermes_handler tool = hermes_make_handler(show, dropped, state);
    double zero = 0;
    kept = *registrar;
    spec.handler.drop = dropped;

    spec.size = (uint32_t)HERMES_HANDLER_SPEC_SIZE_1_0;
    note(hermes_on(registrar, &spec, NULL));            /* 0: a registration of ABI 1.0 */
    memset(&longer, 0xff, sizeof longer);
    longer.known = HERMES_SPEC(PRE_TOOL_CALL, block, state);
    longer.known.cookie = 77;
    longer.known.size = (uint32_t)sizeof longer;
    note(hermes_on(registrar, &longer.known, NULL));    /* 0: one of a later ABI */
    spec.size = (uint32_t)HERMES_HANDLER_SPEC_SIZE_1_0 - 1;
    note(hermes_on(registrar, &spec, NULL));            /* 3: shorter than any */
    spec.size = 0;
    note(hermes_on(registrar, &spec, NULL));            /* 3 */
    spec.size = (uint32_t)sizeof spec;
    note(hermes_on(registrar, NULL, NULL));             /* 3 */
    spec.handler.call = NULL;
    note(hermes_on(registrar, &spec, NULL));            /* 3: no function */
    spec.handler.call = silent;
    spec.priority = zero / zero;
    note(hermes_on(registrar, &spec, NULL));            /* 3: not a number */
    spec.priority = 0;
    spec.name = names[1];
    note(hermes_on(registrar, &spec, NULL));            /* 3: not UTF-8 */
    spec.name = hermes_strz("");
    note(hermes_on(registrar, &spec, NULL));            /* 3 */
    spec.name = hermes_strz(HERMES_POST_TOOL_CALL);
    hermes_spec_tools(&spec, names, 2);
    note(hermes_on(registrar, &spec, NULL));            /* 3: a tool that is not UTF-8 */
    spec.tools_count = 1;
    spec.tools_stride = 0;
    note(hermes_on(registrar, &spec, NULL));            /* 3: no stride */
    spec.tools_stride = (uint32_t)sizeof(hermes_str);
    spec.name = hermes_strz(HERMES_ON_SESSION_START);
    note(hermes_on(registrar, &spec, NULL));            /* 3: a hook without a tool */
    note(registrar->on(registrar->instance + 1, &spec, NULL)); /* 1: somebody else's handle */
    note(hermes_offer_tool(registrar, "{", &tool));     /* 3 */
    note(hermes_offer_tool(registrar, "{}", &tool));    /* 3: no name */
    note(hermes_offer_tool(registrar, "{\"name\":\"\xff\"}", &tool)); /* 3: not UTF-8 */
    note(hermes_offer_tool(registrar, "{\"name\":\"a\"}", NULL));     /* 3 */
    tool.call = NULL;
    note(hermes_offer_tool(registrar, "{\"name\":\"a\"}", &tool));    /* 3: no function */
    tool.call = show;
    note(hermes_offer_tool(registrar, "{\"name\":\"codes\"}", &tool)); /* 0 */
    return HERMES_STATUS_NONE;
}

HERMES_PLUGIN(create, on_register, NULL, "name": "registers", "version": "1.0.0");
