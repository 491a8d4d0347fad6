/* The least plugin: what the macro needs, and nothing else. */
#include "hermes_plugin.h"

static hermes_status create(const hermes_create_args *args, void **state) {
    (void)args;
    (void)state;
    return HERMES_STATUS_NONE;
}

static hermes_status on_register(void *state, const hermes_registrar *registrar) {
    (void)state;
    (void)registrar;
    return HERMES_STATUS_NONE;
}

HERMES_PLUGIN(create, on_register, NULL,
    "name": "least",
    "version": "1.0.0",
    "hooks": [],
    "requires": { "abi_minor": 0 });
