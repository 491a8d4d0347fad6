/* hello.c: a guard, a greeting and a tool. The least a plugin in C can be and still be useful. */
#include "hermes_plugin.h"

#include <stdlib.h>

/* One instance. A host may have several of them in one process, so nothing here is global. */
typedef struct hello {
    hermes_host host;   /* The way back to the host; good on any thread. */
    char config[1024];  /* plugins.entries.hello-c.config of config.yaml, as JSON. */
    hermes_str refusal; /* Its member "refusal", or ours: a JSON text. */
} hello;

/* pre_tool_call: called from any thread, several at once. It only reads, so it needs no lock. */
static hermes_status guard(void *state, const hermes_call *call) {
    const hello *self = (const hello *)state;
    hermes_tree args;
    hermes_str command;
    if (!hermes_event_tree(call, HERMES_PRE_TOOL_CALL_ARGS, &args) || !hermes_tree_str(args, "command", &command)
        || !hermes_str_contains(command, "rm -rf /")) {
        return HERMES_STATUS_NONE; /* No objection. */
    }
    return hermes_answered(call, hermes_answer_str(call, HERMES_PRE_TOOL_CALL_ANSWER_ACTION, "block")
        | hermes_answer_json(call, HERMES_PRE_TOOL_CALL_ANSWER_MESSAGE, self->refusal));
}

static hermes_status greet(void *state, const hermes_call *call) {
    const hello *self = (const hello *)state;
    const hermes_value *id = hermes_event_field(call, HERMES_ON_SESSION_START_SESSION_ID);
    hermes_log_field session = hermes_log_value("session", id);
    hermes_log_fields(self->host, HERMES_LEVEL_INFO, "hello", &session, 1);
    return HERMES_STATUS_NONE;
}

/* The tool: answers {"hello": name}. What the model passes is checked like any other input. */
static hermes_status say_hello(void *state, const hermes_call *call) {
    hermes_tree args;
    hermes_str name;
    (void)state;
    if (!hermes_event_tree(call, HERMES_TOOL_EXECUTE_ARGS, &args) || !hermes_tree_str(args, "name", &name)) {
        return hermes_fail(call, "say_hello needs a `name`");
    }
    return hermes_answered(call, hermes_answer_begin_object(call, HERMES_ANSWER_WHOLE)
        | hermes_answer_member(call, "hello", hermes_make_str(name)) | hermes_answer_end(call));
}

static hermes_status create(const hermes_create_args *args, void **state) {
    hello *self = (hello *)calloc(1, sizeof *self);
    hermes_host host = hermes_host_of(args);
    if (self == NULL) {
        return hermes_host_fail(host, "out of memory");
    }
    self->host = host;
    *state = self;
    return HERMES_STATUS_NONE;
}

/* What the model is told of the tool. */
static const char TOOL[] =
    "{\"name\":\"say_hello\",\"description\":\"Says hello.\",\"parameters\":{\"type\":\"object\","
    "\"properties\":{\"name\":{\"type\":\"string\"}},\"required\":[\"name\"]}}";

/* All or nothing: what was registered counts once this returns HERMES_STATUS_NONE. */
static hermes_status on_register(void *state, const hermes_registrar *registrar) {
    static const hermes_str terminal[] = { HERMES_STR("terminal") };
    hello *self = (hello *)state;
    hermes_buffer config = hermes_buffer_of(self->config, sizeof self->config);
    hermes_handler_spec judge = HERMES_SPEC(PRE_TOOL_CALL, guard, self);
    hermes_handler_spec start = HERMES_SPEC(ON_SESSION_START, greet, self);
    hermes_handler tool = hermes_make_handler(say_hello, NULL, self);
    if (hermes_config(self->host, &config) != HERMES_SERVICE_OK) {
        return hermes_host_fail(self->host, "the configuration is longer than 1023 bytes");
    }
    if (!hermes_json_member(hermes_buffer_str(&config), "refusal", &self->refusal)) {
        self->refusal = hermes_strz("\"refusing to delete the root file system\"");
    }
    hermes_spec_tools(&judge, terminal, 1);
    judge.priority = 50;
    if (hermes_on(registrar, &judge, NULL) != HERMES_SERVICE_OK
        || hermes_on(registrar, &start, NULL) != HERMES_SERVICE_OK) {
        return hermes_host_fail(self->host, "the host did not take a registration");
    }
    if (hermes_offer_tool(registrar, TOOL, &tool) != HERMES_SERVICE_OK) {
        return hermes_host_fail(self->host, "the host did not take the tool");
    }
    return HERMES_STATUS_NONE;
}

/* The entry point, and what the library says of itself before anybody opens it. `free` ends an instance. */
HERMES_PLUGIN(create, on_register, free,
    "name": "hello-c",
    "version": "0.1.0",
    "role": "guard",
    "hooks": ["pre_tool_call", "on_session_start"],
    "requires": { "extensions": ["hermes.tools/1"] });
