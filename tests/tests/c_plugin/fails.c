/* How create and register end is put in by the test. */
#include "hermes_plugin.h"

static hermes_status create(const hermes_create_args *args, void **state) {
    (void)state;
    return CREATE;
}

static hermes_status on_register(void *state, const hermes_registrar *registrar) {
    (void)state;
    (void)registrar;
    return REGISTER;
}

HERMES_PLUGIN(create, on_register, NULL, "name": "fails", "version": "1.0.0");
