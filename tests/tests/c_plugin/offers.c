/* Offers a command, a sub-command, a skill and a tool, and asks its agent for things. */
#include "hermes_plugin.h"
#include <stdio.h>

static hermes_host host;

/* The codes of what was offered in register, one digit each. */
static char offered[16];
static char why[128];

static hermes_status roll(void *state, const hermes_call *call) {
    (void)state;
    return hermes_answered(call, hermes_answer_str(call, HERMES_ANSWER_WHOLE, "{\"rolled\":4}"));
}

/* "tool NAME", "inject TEXT", "profile", "manifest", "ask JSON", "offered"; else nothing. */
static hermes_status act(void *state, const hermes_call *call) {
    static char room[1024];
    hermes_buffer buffer = hermes_buffer_of(room, sizeof room);
    hermes_service_code code;
    hermes_str line = HERMES_STR("");
    char word[512];
    (void)state;
    if (!hermes_event_str(call, HERMES_COMMAND_EXECUTE_RAW_ARGS, &line) || line.len >= sizeof word) {
        return hermes_fail(call, "there is no line");
    }
    memcpy(word, line.ptr, line.len);
    word[line.len] = '\0';
    if (strncmp(word, "tool ", 5) == 0) {
        code = hermes_dispatch_tool(host, word + 5, hermes_strz("{\"sides\":6}"), &buffer);
    } else if (strncmp(word, "inject ", 7) == 0) {
        bool taken = hermes_inject_message(host, hermes_strz(word + 7), "c");
        return hermes_answered(call, hermes_answer_str(call, HERMES_ANSWER_WHOLE, taken ? "taken" : "not taken"));
    } else if (strcmp(word, "profile") == 0) {
        code = hermes_profile_name(host, &buffer);
    } else if (strcmp(word, "manifest") == 0) {
        code = hermes_manifest(host, &buffer);
    } else if (strncmp(word, "ask ", 4) == 0) {
        code = hermes_complete(host, hermes_strz(word + 4), &buffer);
    } else if (strcmp(word, "offered") == 0) {
        snprintf(room, sizeof room, "%s %s", offered, why);
        return hermes_answered(call, hermes_answer_str(call, HERMES_ANSWER_WHOLE, room));
    } else if (strcmp(word, "small") == 0) {
        buffer = hermes_buffer_of(room, 4);
        code = hermes_dispatch_tool(host, "c_dice", hermes_strz("{}"), &buffer);
    } else {
        return HERMES_STATUS_NONE;
    }
    if (code != HERMES_SERVICE_OK) {
        char message[600];
        snprintf(message, sizeof message, "code %u: %.500s", (unsigned)code, room);
        return hermes_fail(call, message);
    }
    return hermes_answered(call, hermes_answer_strn(call, HERMES_ANSWER_WHOLE, hermes_buffer_str(&buffer)));
}

static hermes_status count(void *state, const hermes_call *call) {
    hermes_tree argv = { NULL, NULL };
    (void)state;
    (void)hermes_event_tree(call, HERMES_CLI_EXECUTE_ARGV, &argv);
    return hermes_answered(call, hermes_answer_str(call, HERMES_CLI_EXECUTE_ANSWER_TEXT, "counted")
        | hermes_answer_i64(call, HERMES_CLI_EXECUTE_ANSWER_CODE, (int64_t)hermes_tree_len(argv)));
}

static hermes_status usable(void *state, const hermes_call *call) {
    (void)state;
    return hermes_answered(call, hermes_answer_bool(call, HERMES_ANSWER_WHOLE, false));
}

static hermes_status create(const hermes_create_args *args, void **state) {
    (void)state;
    host = hermes_host_of(args);
    return HERMES_STATUS_NONE;
}

static void note(hermes_service_code code) {
    size_t len = strlen(offered);
    offered[len] = (char)('0' + (char)code);
}

static hermes_status on_register(void *state, const hermes_registrar *registrar) {
    hermes_handler tool = hermes_make_handler(roll, NULL, state);
    hermes_handler command = hermes_make_handler(act, NULL, state);
    hermes_handler words = hermes_make_handler(count, NULL, state);
    hermes_handler check = hermes_make_handler(usable, NULL, state);
    hermes_handler none = hermes_make_handler(NULL, NULL, state);
    hermes_buffer buffer = hermes_buffer_of(why, sizeof why);
    note(hermes_offer_tool(registrar, "{\"name\":\"c_dice\",\"description\":\"Rolls a die.\"}", &tool));
    note(hermes_offer_tool_check(registrar, "c_dice", &check));
    note(hermes_offer_command(host, "{\"name\":\"/Do It\",\"args_hint\":\"LINE\"}", &command));
    note(hermes_offer_command(host, "{\"name\":\"help\"}", &command));
    note(hermes_offer_command(host, "{\"name\":\"empty\"}", &none));
    note(hermes_offer_cli_command(host, "{\"name\":\"count\"}", &words));
    note(hermes_offer_skill(host, "{\"name\":\"c-skill\",\"path\":\"plugin.yaml\"}", NULL));
    note(hermes_offer_skill(host, "{\"name\":\"c skill\",\"path\":\"plugin.yaml\"}", &buffer));
    return HERMES_STATUS_NONE;
}

HERMES_PLUGIN(create, on_register, NULL,
    "name": "offers-c",
    "version": "1.0.0",
    "requires": { "abi_minor": 0, "extensions": ["hermes.commands/1", "hermes.skills/1", "hermes.agent/1"] });
