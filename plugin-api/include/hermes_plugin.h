/*
 * hermes_plugin.h: everything a hermes plugin in C11 or C++17 needs. No library to link.
 *
 * GENERATED from plugin-api/src/abi and plugin-api/src/catalogue. Do not edit; renew it with
 *     UPDATE_GENERATED=1 cargo test -p hermes-plugin-api --test generated
 *
 * A plugin is a shared library with one HERMES_PLUGIN(...) at its end; examples/hello-c shows a whole
 * one. Build it with
 *     cc -std=c11 -O2 -fPIC -fvisibility=hidden -shared -o libhello_c.so hello.c
 * docs/hooks.md says what each hook point carries and what an answer to it does.
 *
 * Names that end in an underscore are not for you.
 *
 *
 * WHO CALLS, AND WHO OWNS
 *
 * Each function pointer below has a note in brackets: [who: thread; what is lent or changes owner].
 *
 *   host calls        you write it. It must not throw, longjmp, or end the thread: build C++ with
 *                     -fno-exceptions, or catch everything inside.
 *   you call          the host wrote it. It never unwinds, and answers GONE instead of crashing when its
 *                     instance or call is over.
 *
 *   load-thread       only the one thread that loads plugins, while create, register or destroy runs.
 *   calling-thread    only the thread that entered your handler, until the handler returns. With a call
 *                     that hermes_retain gave: any thread, several at once, until hermes_release.
 *   any-thread        any thread, but never two at once for the same object.
 *   any-thread, concurrent
 *                     any thread, several at once, and again from inside itself. A handler that is
 *                     registered as HERMES_HANDLER_SERIAL is called one at a time.
 *   while the call lives
 *                     as long as the call through which you reached it: until the handler returns, or
 *                     until release.
 *
 *   lent: x           x, and all it points to, is good until the function returns. Copy what you keep.
 *   taken on OK: x    if the function answers OK, x is the other side's, which drops it exactly once;
 *                     otherwise it stays yours.
 *   kept by the plugin: x
 *                     x is yours from here on.
 *   borrowed from the tree: x
 *                     x points into the tree and lives as long as it does.
 *   static: x         x lives as long as the process.
 *
 * Structs begin with their size and grow at their end: the other side may be older and its struct
 * shorter. Look before you use a member that is not in every version: HERMES_HAS(type, table, member).
 * The inline functions below do. Unknown numbers are lawful everywhere: treat them as "something else".
 */
#ifndef HERMES_PLUGIN_H
#define HERMES_PLUGIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#define HERMES_ASSERT_(condition, text) static_assert(condition, text)
#define HERMES_ALIGNOF_(type) alignof(type)
#else
#define HERMES_ASSERT_(condition, text) _Static_assert(condition, text)
#define HERMES_ALIGNOF_(type) _Alignof(type)
#endif

/* ---- versions ---------------------------------------------------------------------------------- */

#define HERMES_ABI_MAJOR 1u
#define HERMES_ABI_MINOR 1u
#define HERMES_ABI_TEXT "1.1"
#define HERMES_CATALOGUE_REVISION 3u
#define HERMES_CATALOGUE_TEXT "3"
#define HERMES_METADATA_FORMAT_TEXT "1"
#define HERMES_SDK_TEXT "0.1.0"

/* ---- sets of numbers --------------------------------------------------------------------------- */

/* What an answer function returns. Unknown codes mean "not taken". */
typedef uint32_t hermes_answer_code;
#define HERMES_ANSWER_OK 0u /* Taken; the host made its copy. */
#define HERMES_ANSWER_GONE 1u /* The call is over, or was cancelled: nobody wants the answer any more. */
#define HERMES_ANSWER_TYPE 2u /* The hook's answer field is of another type. */
#define HERMES_ANSWER_UTF8 3u /* The text is not UTF-8, or the JSON is not JSON. */
#define HERMES_ANSWER_TOO_BIG 4u /* The answers of this call are larger than the host takes (16 MiB unless configured). */
#define HERMES_ANSWER_DEPTH 5u /* Nested deeper than 64, or closed more often than opened. */
#define HERMES_ANSWER_UNKNOWN_FIELD 6u /* The hook has no such answer field. */
#define HERMES_ANSWER_UNSUPPORTED 7u /* The host is older than the function, or not able to do this. */
#define HERMES_ANSWER_WHOLE 0xFFFFFFFFu /* The field number that means "the whole answer". */

/* Bits of a hermes_call. Unknown bits are ignored. */
typedef uint32_t hermes_call_flags;
#define HERMES_CALL_NONE 0u /* Nothing special. */
#define HERMES_CALL_AFTER_TERMINAL 1u /* A higher handler ended the matter: this one only watches, its answer is ignored. */
#define HERMES_CALL_RETAINED 2u /* The call is a retained one. */

/* How a handler ended. Anything else is an error fault. */
typedef uint32_t hermes_status;
#define HERMES_STATUS_NONE 0u /* Nothing to say. Whatever was set is discarded. */
#define HERMES_STATUS_ANSWERED 1u /* An answer was set. */
#define HERMES_STATUS_ERROR 2u /* It failed; text and place were handed over with fail. */
#define HERMES_STATUS_PANICKED 3u /* It panicked; text and place were handed over with fail. */
#define HERMES_STATUS_PENDING 4u /* The answer comes later; a future was handed over with pend. */

/* What sort of failure is reported. */
typedef uint32_t hermes_failure_kind;
#define HERMES_FAILURE_ERROR 1u /* The plugin returned an error. */
#define HERMES_FAILURE_PANIC 2u /* The plugin panicked. */

/* What a host does when this handler faults. */
typedef uint32_t hermes_on_failure;
#define HERMES_ON_FAILURE_DEFAULT 0u /* What the catalogue says of the hook. */
#define HERMES_ON_FAILURE_OPEN 1u /* The event goes on as if the handler had said nothing. */
#define HERMES_ON_FAILURE_CLOSED 2u /* The event is refused. */

/* Where in the chain a handler stands before its priority counts. */
typedef uint32_t hermes_phase;
#define HERMES_PHASE_DEFAULT 0u /* Guards last, everybody else first. */
#define HERMES_PHASE_FIRST 1u /* With those that may still change the event. */
#define HERMES_PHASE_GUARD 2u /* With the guards, which see the event as it will be. */

/* Bits of a registration. Unknown bits are ignored. */
typedef uint32_t hermes_handler_flags;
#define HERMES_HANDLER_NONE 0u /* Nothing special. */
#define HERMES_HANDLER_OBSERVE_AFTER_TERMINAL 1u /* Called even after a higher handler ended the matter; its answer is then ignored. */
#define HERMES_HANDLER_REENTRANT 2u /* May be entered again from inside itself. */
#define HERMES_HANDLER_SERIAL 4u /* Wants to be called one at a time. */
#define HERMES_HANDLER_CHAIN 8u /* Wants to see the value as changed by the handlers before it, where the hook allows both. */

/* What sort of live object a value with a handle stands for. Unknown kinds are lawful. */
typedef uint64_t hermes_handle_kind;
#define HERMES_HANDLE_KIND_GATEWAY UINT64_C(1) /* The gateway, which sends messages. */
#define HERMES_HANDLE_KIND_SESSION_STORE UINT64_C(2) /* The session store, which keeps transcripts. */
#define HERMES_HANDLE_KIND_NEXT UINT64_C(3) /* What a middleware wraps: the middleware after it, and at the end the tool or the model. */

/* Bits of a hermes_header. Unknown low bits may be ignored, an unknown high bit refuses the plugin. */
typedef uint64_t hermes_root_flags;
#define HERMES_ROOT_NONE UINT64_C(0) /* Nothing special. */
#define HERMES_ROOT_NO_PANIC UINT64_C(1) /* The library has no panics to catch: it is written in C, or is no_std. */
#define HERMES_ROOT_MUST_KNOW UINT64_C(0xFFFFFFFF00000000) /* The bits that a host must know to load the plugin. */

/* Bits of hermes_create_args. Unknown bits are ignored. */
typedef uint32_t hermes_create_flags;
#define HERMES_CREATE_NONE 0u /* The plugin is a library of its own. */
#define HERMES_CREATE_LINKED 1u /* The plugin is linked into the host: its log is already the host's. */

/* What a service returns. Unknown codes mean "not done". */
typedef uint32_t hermes_service_code;
#define HERMES_SERVICE_OK 0u /* Done. */
#define HERMES_SERVICE_GONE 1u /* The instance is over, or there is no host. */
#define HERMES_SERVICE_CLOSED 2u /* Registering is over: register has returned. */
#define HERMES_SERVICE_INVALID 3u /* An argument is not what the function takes; the host's log says which. */
#define HERMES_SERVICE_UNSUPPORTED 4u /* This host cannot do it. */
#define HERMES_SERVICE_FAILED 5u /* It was tried and failed; the host's log says why. */

/* How loud a log record is. */
typedef uint32_t hermes_level;
#define HERMES_LEVEL_OFF 0u /* Nothing is wanted. */
#define HERMES_LEVEL_ERROR 1u /* Something failed. */
#define HERMES_LEVEL_WARN 2u /* Something is odd. */
#define HERMES_LEVEL_INFO 3u /* Something happened. */
#define HERMES_LEVEL_DEBUG 4u /* For the author. */
#define HERMES_LEVEL_TRACE 5u /* For the author, in a loop. */

/* How a look-up in a tree ended. */
typedef uint32_t hermes_lookup;
#define HERMES_LOOKUP_FOUND 0u /* The caller's hermes_value was written. */
#define HERMES_LOOKUP_ABSENT 1u /* No such key or index, or the end of the iteration. */
#define HERMES_LOOKUP_ERROR 2u /* The host could not look; nothing was written. */
#define HERMES_LOOKUP_GONE 3u /* The call this tree belongs to is over. */

/* What a tree is. Unknown kinds are read as an empty object. */
typedef uint32_t hermes_tree_kind;
#define HERMES_TREE_OBJECT 1u /* Keys with values. */
#define HERMES_TREE_ARRAY 2u /* Values in order. */

/* Bits that qualify the functions of a tree. */
typedef uint32_t hermes_tree_flags;
#define HERMES_TREE_FLAG_NONE 0u /* Any thread may ask, several at once. */
#define HERMES_TREE_FLAG_AFFINE 1u /* Only the thread of the call may ask. A retained call never shows such a tree: the host makes an owned copy first. */

/* What a hermes_value holds. Unknown tags are lawful: a reader passes them on or treats them as
 * absent. */
typedef uint16_t hermes_tag;
#define HERMES_TAG_ABSENT 0u /* No such field in this event. */
#define HERMES_TAG_NULL 1u /* JSON's null. */
#define HERMES_TAG_BOOL 2u /* a is 0 or 1. */
#define HERMES_TAG_I64 3u /* a is the two's complement of a signed number. */
#define HERMES_TAG_U64 4u /* a is an unsigned number above INT64_MAX, or one that is unsigned by nature. */
#define HERMES_TAG_F64 5u /* a holds the bits of a double. */
#define HERMES_TAG_STR 6u /* Borrowed UTF-8: a is the address, b the length in bytes. */
#define HERMES_TAG_BYTES 7u /* Borrowed bytes: a is the address, b the length. */
#define HERMES_TAG_TREE 8u /* An object or array that stays with the host: a is its handle, b the address of its functions. */
#define HERMES_TAG_HANDLE 9u /* A live object of the host: a is its kind, b its number. */

/* Bits that qualify a hermes_value. */
typedef uint16_t hermes_value_flags;
#define HERMES_VALUE_NONE 0u /* Nothing to say. */
#define HERMES_VALUE_MARKED 1u /* The text stands for something that JSON or UTF-8 cannot hold; mark says what. */
#define HERMES_VALUE_MUST_UNDERSTAND 2u /* In an answer: a host that does not know this field must treat the answer as a fault. */
#define HERMES_VALUE_INFERRED 4u /* In an event: the agent did not say it, the host knows it from earlier events. */

/* What a marked text stands for. Unknown marks are read as plain text. */
typedef uint32_t hermes_mark;
#define HERMES_MARK_NONE 0u /* Nothing: the text is the value. */
#define HERMES_MARK_FLOAT 1u /* nan, inf or -inf; {"$float":"nan"} in JSON. */
#define HERMES_MARK_INT 2u /* The digits of a whole number wider than 64 bits; {"$int":"..."} in JSON. */
#define HERMES_MARK_BYTES_HEX 3u /* Bytes in hexadecimal; {"$bytes_hex":"..."} in JSON. */
#define HERMES_MARK_LOSSY 4u /* Text whose lone surrogates were replaced by U+FFFD; {"$surrogates":"...","text":"..."} in JSON, where the first has them as escapes, and every backslash twice. */
#define HERMES_MARK_PATH 5u /* A path of the host's system; {"$path":"..."} in JSON. */
#define HERMES_MARK_OPAQUE 6u /* A live object that is not JSON: the text is the name of its type, and nothing that it says; {"$opaque":"..."} in JSON. */

/* ---- structs ----------------------------------------------------------------------------------- */

typedef struct hermes_str hermes_str;
typedef struct hermes_sink hermes_sink;
typedef struct hermes_value hermes_value;
typedef struct hermes_tree_fns hermes_tree_fns;
typedef struct hermes_event hermes_event;
typedef struct hermes_failure hermes_failure;
typedef struct hermes_handler hermes_handler;
typedef struct hermes_handler_spec hermes_handler_spec;
typedef struct hermes_future hermes_future;
typedef struct hermes_waker hermes_waker;
typedef struct hermes_waker_fns hermes_waker_fns;
typedef struct hermes_call_fns hermes_call_fns;
typedef struct hermes_call hermes_call;
typedef struct hermes_log_field hermes_log_field;
typedef struct hermes_log_record hermes_log_record;
typedef struct hermes_registrar hermes_registrar;
typedef struct hermes_services hermes_services;
typedef struct hermes_create_args hermes_create_args;
typedef struct hermes_header hermes_header;
typedef struct hermes_root hermes_root;
typedef struct hermes_log_fns hermes_log_fns;
typedef struct hermes_json_tools hermes_json_tools;
typedef struct hermes_command_fns hermes_command_fns;
typedef struct hermes_skill_fns hermes_skill_fns;
typedef struct hermes_agent_fns hermes_agent_fns;
typedef struct hermes_gateway_fns hermes_gateway_fns;
typedef struct hermes_middleware_fns hermes_middleware_fns;
typedef struct hermes_call_slots hermes_call_slots;

/* Borrowed UTF-8 text: a pointer and a length in bytes, not terminated. It is valid for the call
 * that hands it over, unless the function says otherwise. A null pointer with length zero is the
 * empty text. */
struct hermes_str {
    /* First byte, or null when len is zero. */
    const char *ptr;
    /* Length in bytes. */
    size_t len;
};

/* Where the other side writes text whose length it does not know beforehand. write may be called
 * any number of times, on the calling thread, until the function that was handed the sink returns.
 * It answers 0, or anything else to ask the writer to stop. */
struct hermes_sink {
    /* sizeof(hermes_sink) of whoever made it. */
    uint32_t size;
    /* Zero. */
    uint32_t reserved;
    /* Handed back to write. */
    void *state;
    /* Takes one piece of UTF-8 text. [host calls: calling-thread, until the function that was given
     * the sink returns; lent: piece] */
    uint32_t (*write)(void *state, hermes_str piece);
};

/* One tagged value. Always passed by pointer, and never larger or smaller than 24 bytes. */
struct hermes_value {
    /* What it holds. */
    hermes_tag tag;
    /* How it is to be read. */
    hermes_value_flags flags;
    /* What the text stands for, when the MARKED flag is set; else zero. */
    hermes_mark mark;
    /* A number, an address, or a handle. */
    uint64_t a;
    /* A length, an address, or a number. */
    uint64_t b;
};

/* How a host lets a structure be asked. Only hosts implement it. Every function is [any-thread,
 * concurrent] unless HERMES_TREE_FLAG_AFFINE is set, and never unwinds. What it writes borrows from
 * the tree and lives as long as the tree does. */
struct hermes_tree_fns {
    /* sizeof(hermes_tree_fns) of the host. */
    uint32_t size;
    /* Who may ask. */
    hermes_tree_flags flags;
    /* Object or array. [you call: any-thread, concurrent, while the call lives] */
    hermes_tree_kind (*kind)(const void *tree);
    /* How many keys or elements. [you call: any-thread, concurrent, while the call lives] */
    hermes_lookup (*len)(const void *tree, uint64_t *len);
    /* The value of a key. [you call: any-thread, concurrent, while the call lives; lent: key;
     * borrowed from the tree: *value] */
    hermes_lookup (*get)(const void *tree, hermes_str key, hermes_value *value);
    /* The element at an index. [you call: any-thread, concurrent, while the call lives; borrowed
     * from the tree: *value] */
    hermes_lookup (*at)(const void *tree, uint64_t index, hermes_value *value);
    /* The next key (empty for arrays) and value; cursor starts at zero and belongs to the host.
     * [you call: any-thread, concurrent, while the call lives; borrowed from the tree: *key,
     * *value] */
    hermes_lookup (*next)(const void *tree, uint64_t *cursor, hermes_str *key, hermes_value *value);
    /* The whole as JSON text. [you call: any-thread, concurrent, while the call lives; lent: sink] */
    hermes_lookup (*to_json)(const void *tree, const hermes_sink *sink);
};

/* The fields of one event, in the order of the catalogue's numbers. Immutable, and shared by every
 * handler of one name in one dispatch. A host sends no more fields than the newest plugin in the
 * chain knows; a reader treats a number beyond count as absent. */
struct hermes_event {
    /* sizeof(hermes_event) of the host. */
    uint32_t size;
    /* How many values fields points to. */
    uint32_t count;
    /* The values, indexed by field number. hermes_value never changes its size, so there is no
     * stride. */
    const hermes_value *fields;
    /* A tree of everything the catalogue does not know, or the whole payload of an unknown hook;
     * absent when there is nothing. */
    hermes_value extra;
};

/* Text and place of a failure, lent for the call that reports it. */
struct hermes_failure {
    /* sizeof(hermes_failure) of the plugin. */
    uint32_t size;
    /* Error or panic. */
    hermes_failure_kind kind;
    /* What happened, UTF-8. */
    hermes_str text;
    /* Source file, or empty. */
    hermes_str file;
    /* Line, from 1; 0 when unknown. */
    uint32_t line;
    /* Zero. */
    uint32_t reserved;
};

/* The erased hook trait object. The host owns it from the moment it is handed over and calls drop
 * exactly once, before the plugin's destroy. call is [any-thread, concurrent] unless it was
 * registered as serial. Neither function may unwind. */
struct hermes_handler {
    /* sizeof(hermes_handler) of the plugin. */
    uint32_t size;
    /* Zero. */
    uint32_t reserved;
    /* Handed back to both functions. */
    void *state;
    /* Judges one event. [host calls: any-thread, concurrent; lent: call] */
    hermes_status (*call)(void *state, const hermes_call *call);
    /* Frees state; null when there is nothing to free. [host calls: any-thread; once, the last call
     * with this state] */
    void (*drop)(void *state);
};

/* One registration, handed over whole. A field of value zero means "not said". */
struct hermes_handler_spec {
    /* sizeof(hermes_handler_spec) of the plugin. */
    uint32_t size;
    /* How it wants to be called. */
    hermes_handler_flags flags;
    /* The hook's name, in its dialect. */
    hermes_str name;
    /* The handler. It belongs to the host once the function returned OK. */
    hermes_handler handler;
    /* Comes back in every hermes_call. */
    uint64_t cookie;
    /* How many fields of the hook the plugin was built to know. */
    uint32_t field_count;
    /* What to do when it faults. */
    hermes_on_failure on_failure;
    /* Higher first; NaN is refused. */
    double priority;
    /* Longest time a call may take, in milliseconds; 0 for none. */
    uint64_t budget_ms;
    /* Names of the tools it wants to see; null for all. Only for hooks that have a tool. */
    const hermes_str *tools;
    /* How many names. */
    uint32_t tools_count;
    /* Bytes from one name to the next. */
    uint32_t tools_stride;
    /* Where it stands before priority counts. Since ABI 1.1. */
    hermes_phase phase;
    /* Zero. Since ABI 1.1. */
    uint32_t reserved;
};

/* What a plugin hands over with pend when its answer is not ready. The host calls poll on one of
 * its own threads, never twice at once, perhaps each time on another one, until it returns
 * something else than HERMES_STATUS_PENDING; then, or when the call is cancelled, it calls drop
 * exactly once. The call passed to poll is a retained one. */
struct hermes_future {
    /* sizeof(hermes_future) of the plugin. */
    uint32_t size;
    /* Zero. */
    uint32_t flags;
    /* Handed back to both functions. */
    void *state;
    /* Makes progress. Must not unwind. The waker is lent for the call; clone it to keep it. [host
     * calls: any-thread; lent: call, waker] */
    hermes_status (*poll)(void *state, const hermes_call *call, const hermes_waker *waker);
    /* Frees state. Must not unwind. [host calls: any-thread; once, the last call with this state] */
    void (*drop)(void *state);
};

/* How a plugin asks the host to poll again. */
struct hermes_waker {
    /* sizeof(hermes_waker) of the host. */
    uint32_t size;
    /* Zero. */
    uint32_t reserved;
    /* Handed to the functions. */
    const void *data;
    /* What can be done with data; lives as long as the process. */
    const hermes_waker_fns *fns;
};

/* The functions of a hermes_waker; all are [any-thread] and never unwind. */
struct hermes_waker_fns {
    /* sizeof(hermes_waker_fns) of the host. */
    uint32_t size;
    /* Zero. */
    uint32_t reserved;
    /* Makes owned data out of borrowed or owned data. [you call: any-thread, concurrent; kept by
     * the plugin: the result, until drop] */
    const void *(*clone)(const void *data);
    /* Asks for a poll; leaves data as it is. [you call: any-thread, concurrent; lent: data] */
    void (*wake)(const void *data);
    /* Frees owned data. [you call: any-thread, concurrent; the last call with this data] */
    void (*drop)(const void *data);
};

/* The functions of a hermes_call. None of them unwinds. With the call the handler was given:
 * [calling-thread, until the handler returns]. With a retained call: [any-thread, concurrent, until
 * release]. */
struct hermes_call_fns {
    /* sizeof(hermes_call_fns) of the host. */
    uint32_t size;
    /* The host's ABI minor. */
    uint32_t abi_minor;
    /* Sets an answer field by number. [you call: calling-thread, until the handler returns; lent:
     * value] */
    hermes_answer_code (*set)(const hermes_call *call, uint32_t field, const hermes_value *value);
    /* Sets an answer member by name. [you call: calling-thread, until the handler returns; lent:
     * key, value] */
    hermes_answer_code (*set_named)(const hermes_call *call, hermes_str key, const hermes_value *value);
    /* Makes the answer be this value. [you call: calling-thread, until the handler returns; lent:
     * value] */
    hermes_answer_code (*set_whole)(const hermes_call *call, const hermes_value *value);
    /* Opens an object in a field, in the whole answer, or in what is open. [you call:
     * calling-thread, until the handler returns] */
    hermes_answer_code (*begin_object)(const hermes_call *call, uint32_t field);
    /* Opens an array, likewise. [you call: calling-thread, until the handler returns] */
    hermes_answer_code (*begin_array)(const hermes_call *call, uint32_t field);
    /* Names the next member of the open object. [you call: calling-thread, until the handler
     * returns; lent: key] */
    hermes_answer_code (*key)(const hermes_call *call, hermes_str key);
    /* Adds a value to what is open. [you call: calling-thread, until the handler returns; lent:
     * value] */
    hermes_answer_code (*value)(const hermes_call *call, const hermes_value *value);
    /* Closes what was opened last. [you call: calling-thread, until the handler returns] */
    hermes_answer_code (*end)(const hermes_call *call);
    /* Sets a field, or the whole answer, from JSON text. [you call: calling-thread, until the
     * handler returns; lent: json] */
    hermes_answer_code (*set_json)(const hermes_call *call, uint32_t field, hermes_str json);
    /* Hands over a handler; unless it answers OK the handler stays the plugin's. [you call:
     * calling-thread, until the handler returns; taken on OK: handler] */
    hermes_answer_code (*set_handler)(const hermes_call *call, uint32_t field, const hermes_handler *handler);
    /* Nanoseconds left of the budget, 0 when it is used up, UINT64_MAX when there is none. [you
     * call: calling-thread, until the handler returns] */
    uint64_t (*deadline)(const hermes_call *call);
    /* 1 when nobody waits for the answer any more, else 0. [you call: calling-thread, until the
     * handler returns] */
    uint32_t (*cancelled)(const hermes_call *call);
    /* A call that stays valid until release, or null when this one is gone. [you call:
     * calling-thread, until the handler returns; kept by the plugin: the result, until release] */
    const hermes_call *(*retain)(const hermes_call *call);
    /* Gives a retained call back. [you call: any-thread, concurrent; the last use of this retained
     * call] */
    void (*release)(const hermes_call *call);
    /* Hands over the future of a handler that then returns PENDING. Unless it answers OK the future
     * stays the plugin's. [you call: calling-thread, until the handler returns; taken on OK:
     * future] */
    hermes_answer_code (*pend)(const hermes_call *call, const hermes_future *future);
    /* Hands over text and place of a failure; the handler then returns ERROR or PANICKED. [you
     * call: calling-thread, until the handler returns; lent: failure] */
    hermes_answer_code (*fail)(const hermes_call *call, const hermes_failure *failure);
};

/* One handler's view of one event, owned by the host. It and everything reachable from it is valid
 * on the calling thread until the handler returns. What retain gives is valid on any thread until
 * release. */
struct hermes_call {
    /* sizeof(hermes_call) of the host. */
    uint32_t size;
    /* How it is called. */
    hermes_call_flags flags;
    /* The cookie of the registration. */
    uint64_t cookie;
    /* The event. */
    const hermes_event *event;
    /* The call from inside which this event was fired, or null. */
    const hermes_call *parent;
    /* What can be done with it. */
    const hermes_call_fns *fns;
};

/* One named value of a log record. */
struct hermes_log_field {
    /* Its name. */
    hermes_str name;
    /* Its value: a number, a boolean or text. */
    hermes_value value;
};

/* One record for the host's log, lent for the call. */
struct hermes_log_record {
    /* sizeof(hermes_log_record) of the plugin. */
    uint32_t size;
    /* How loud. */
    hermes_level level;
    /* Where in the plugin it comes from, e.g. a module path. */
    hermes_str target;
    /* The text. */
    hermes_str message;
    /* Source file, or empty. */
    hermes_str file;
    /* Line, from 1; 0 when unknown. */
    uint32_t line;
    /* How many fields. */
    uint32_t fields_count;
    /* The fields. */
    const hermes_log_field *fields;
    /* Bytes from one field to the next. */
    uint32_t fields_stride;
    /* Zero. */
    uint32_t reserved;
};

/* What register is handed. Each function is [load-thread] and answers CLOSED once it returned. */
struct hermes_registrar {
    /* sizeof(hermes_registrar) of the host. */
    uint32_t size;
    /* The host's ABI minor. */
    uint32_t abi_minor;
    /* The instance that registers. */
    uint64_t instance;
    /* Stages one registration; nothing is live before register returned without error. [you call:
     * load-thread; lent: spec; taken on OK: spec->handler] */
    hermes_service_code (*on)(uint64_t instance, const hermes_handler_spec *spec, uint64_t *id);
    /* Writes the plugin's configuration as JSON text. [you call: load-thread; lent: sink] */
    hermes_service_code (*config)(uint64_t instance, const hermes_sink *sink);
    /* Writes the path of the directory the plugin may keep files in, which exists. [you call:
     * load-thread; lent: sink] */
    hermes_service_code (*data_dir)(uint64_t instance, const hermes_sink *sink);
    /* The host's half of an extension interface, or null. [you call: load-thread; lent: name;
     * static: the result] */
    const void *(*get_extension)(uint64_t instance, hermes_str name);
};

/* What a host does for an instance for as long as it lives. The table is static. Its first argument
 * is an instance handle with a generation, never a pointer, so that a plugin thread that outlives
 * its instance is answered GONE. All [any-thread, concurrent]; none unwinds. */
struct hermes_services {
    /* sizeof(hermes_services) of the host. */
    uint32_t size;
    /* The host's ABI major. */
    uint32_t abi_major;
    /* The host's ABI minor. */
    uint32_t abi_minor;
    /* The host's catalogue revision. */
    uint32_t catalogue;
    /* Puts a record into the host's log. [you call: any-thread, concurrent; lent: record] */
    hermes_service_code (*log)(uint64_t instance, const hermes_log_record *record);
    /* The loudest level the host wants to hear. [you call: any-thread, concurrent] */
    hermes_level (*log_level)(uint64_t instance);
    /* Reports why create, register, destroy or a drop failed. [you call: any-thread, concurrent;
     * lent: failure] */
    hermes_service_code (*fail)(uint64_t instance, const hermes_failure *failure);
    /* Writes the plugin's configuration as JSON text. [you call: any-thread, concurrent; lent:
     * sink] */
    hermes_service_code (*config)(uint64_t instance, const hermes_sink *sink);
    /* Writes the path of the plugin's data directory. [you call: any-thread, concurrent; lent:
     * sink] */
    hermes_service_code (*data_dir)(uint64_t instance, const hermes_sink *sink);
    /* Calls handler with a timer event after delay_ms, then every period_ms unless that is 0.
     * Unless it answers OK the handler stays the plugin's. [you call: any-thread, concurrent; taken
     * on OK: handler] */
    hermes_service_code (*timer)(uint64_t instance, uint64_t delay_ms, uint64_t period_ms, const hermes_handler *handler, uint64_t *id);
    /* Ends a timer; its handler is dropped once no call is inside it. [you call: any-thread,
     * concurrent] */
    hermes_service_code (*cancel_timer)(uint64_t instance, uint64_t id);
    /* Takes one registration out of the chain. [you call: any-thread, concurrent] */
    hermes_service_code (*unregister)(uint64_t instance, uint64_t id);
    /* The host's half of an extension interface, or null. [you call: any-thread, concurrent; lent:
     * name; static: the result] */
    const void *(*get_extension)(uint64_t instance, hermes_str name);
    /* Fires an event from inside parent (or from nowhere, when null) and writes the outcome as
     * JSON. Since ABI 1.1. [you call: any-thread, concurrent; lent: parent, name, payload_json,
     * outcome] */
    hermes_service_code (*fire)(uint64_t instance, const hermes_call *parent, hermes_str name, hermes_str payload_json, const hermes_sink *outcome);
};

/* What create is handed. The services live as long as the process. */
struct hermes_create_args {
    /* sizeof(hermes_create_args) of the host. */
    uint32_t size;
    /* What is special about this instance. */
    hermes_create_flags flags;
    /* The handle of the instance that is being made. */
    uint64_t instance;
    /* The host's services. */
    const hermes_services *services;
};

/* The frozen, pointer-free beginning of a hermes_root, readable from the file. */
struct hermes_header {
    /* HERMES_MAGIC. */
    uint8_t magic[16];
    /* sizeof(hermes_header). */
    uint32_t header_size;
    /* HERMES_ABI_MAJOR of the plugin. */
    uint32_t abi_major;
    /* HERMES_ABI_MINOR of the plugin. */
    uint32_t abi_minor;
    /* Catalogue revision the plugin was built with. */
    uint32_t catalogue;
    /* Bits of a pointer. */
    uint32_t pointer_width;
    /* sizeof(hermes_value). */
    uint32_t value_size;
    /* sizeof(hermes_root) of the plugin. */
    uint32_t root_size;
    /* Zero. */
    uint32_t reserved;
    /* What is special about the plugin. */
    hermes_root_flags flags;
};

/* The entry point: a frozen header, then functions that grow at the end. create, register and
 * destroy come from one thread of the loader. None may unwind. */
struct hermes_root {
    /* Readable without loading the library. */
    hermes_header header;
    /* Makes an instance; writes its state. Once per instance. [host calls: load-thread; lent: args;
     * kept by the plugin: *state] */
    hermes_status (*create)(const hermes_create_args *args, void **state);
    /* Registers handlers. All or nothing: on error or panic the host drops what was staged. [host
     * calls: load-thread; lent: registrar] */
    hermes_status (*register_)(void *state, const hermes_registrar *registrar);
    /* Ends an instance, after all its handlers were dropped. [host calls: load-thread; the last
     * call with this state] */
    void (*destroy)(void *state);
    /* The plugin's half of an extension interface, or null; lives as long as the process.
     * [any-thread] [host calls: any-thread; lent: name; static: the result] */
    const void *(*get_extension)(hermes_str name);
    /* The metadata document, as it stands in the link section. */
    hermes_str metadata;
};

/* The interface hermes.log/1, which a plugin may export: the host tells it how loud to be. */
struct hermes_log_fns {
    /* sizeof(hermes_log_fns) of the plugin. */
    uint32_t size;
    /* Zero. */
    uint32_t reserved;
    /* Sets the loudest level that is worth a call. [any-thread], never unwinds. [host calls:
     * any-thread] */
    void (*set_level)(hermes_level level);
};

/* The host's half of hermes.tools/1 in its JSON form, for plugins that have no abi_stable. */
struct hermes_json_tools {
    /* sizeof(hermes_json_tools) of the host. */
    uint32_t size;
    /* Zero. */
    uint32_t reserved;
    /* Offers a tool: name, toolset, description and parameters (a JSON schema) as a JSON object.
     * Its handler is called with tool_execute events. Unless it answers OK the handler stays the
     * plugin's. [you call: load-thread; lent: description; taken on OK: handler] */
    hermes_service_code (*register_)(uint64_t instance, hermes_str description, const hermes_handler *handler);
    /* Says how the host can ask whether a tool of this plugin can be used just now: the handler is
     * called with tool_check events and answers a boolean. A tool without one counts as usable.
     * Unless it answers OK the handler stays the plugin's. Since ABI 1.1. [you call: load-thread;
     * lent: name; taken on OK: handler] */
    hermes_service_code (*check)(uint64_t instance, hermes_str name, const hermes_handler *handler);
};

/* The host's half of hermes.commands/1. A host that ignores a command (its name is empty, or the
 * host's own) answers INVALID, and its log says which it was; the plugin may go on. A name that is
 * given twice is the later one's. */
struct hermes_command_fns {
    /* sizeof(hermes_command_fns) of the host. */
    uint32_t size;
    /* Zero. */
    uint32_t reserved;
    /* Offers a slash command: name, description and args_hint as a JSON object. Its handler is
     * called with command_execute events. Unless it answers OK the handler stays the plugin's. [you
     * call: load-thread; lent: description; taken on OK: handler] */
    hermes_service_code (*slash)(uint64_t instance, hermes_str description, const hermes_handler *handler);
    /* Offers a sub-command of the terminal program: name, help and description as a JSON object.
     * Its handler is called with cli_execute events. Unless it answers OK the handler stays the
     * plugin's. [you call: load-thread; lent: description; taken on OK: handler] */
    hermes_service_code (*cli)(uint64_t instance, hermes_str description, const hermes_handler *handler);
};

/* The host's half of hermes.skills/1. */
struct hermes_skill_fns {
    /* sizeof(hermes_skill_fns) of the host. */
    uint32_t size;
    /* Zero. */
    uint32_t reserved;
    /* Offers a read-only skill: name, path and description as a JSON object. The name is made of
     * letters, digits, _ and -; the path exists, and is taken from the plugin's directory unless it
     * is absolute. When the host does not take it, it writes why; the sink may be null. [you call:
     * load-thread; lent: description, why] */
    hermes_service_code (*offer)(uint64_t instance, hermes_str description, const hermes_sink *why);
};

/* The host's half of hermes.agent/1. The functions may be called as long as the instance lives, and
 * answer GONE afterwards. They return when the agent has done what it was asked; the host holds no
 * lock meanwhile. */
struct hermes_agent_fns {
    /* sizeof(hermes_agent_fns) of the host. */
    uint32_t size;
    /* Zero. */
    uint32_t reserved;
    /* Writes what the host read of the plugin as a JSON object: key, name, version, description,
     * source and path, its directory. A plugin that is linked in has no source and no path. [you
     * call: any-thread, concurrent; lent: sink] */
    hermes_service_code (*manifest)(uint64_t instance, const hermes_sink *sink);
    /* Writes the name of the active profile; default when there are no profiles. [you call:
     * any-thread, concurrent; lent: sink] */
    hermes_service_code (*profile_name)(uint64_t instance, const hermes_sink *sink);
    /* Runs a tool, of a plugin or of the agent itself, and writes its result. Fires no hooks. The
     * arguments are a JSON object. A tool that fails, or that nobody has, is no failure of the
     * call: the result is then a JSON object with an error. [you call: any-thread, concurrent;
     * lent: name, args_json, result] */
    hermes_service_code (*dispatch_tool)(uint64_t instance, hermes_str name, hermes_str args_json, const hermes_sink *result);
    /* Hands the agent a message as if the user had typed it. role is user, or a word that is put
     * before the text. Writes 1 if the agent took it, else 0: during register, and where nobody
     * types. [you call: any-thread, concurrent; lent: content, role, taken] */
    hermes_service_code (*inject_message)(uint64_t instance, hermes_str content, hermes_str role, uint32_t *taken);
    /* Asks the agent's model. The request is a JSON object: messages (each with role and content),
     * and where wanted system, model, provider, max_tokens, temperature and schema, the JSON schema
     * of the answer. The reply is a JSON object: text, model, provider, usage. When it answers
     * anything but OK it writes the reason instead. [you call: any-thread, concurrent; lent:
     * request_json, reply] */
    hermes_service_code (*complete)(uint64_t instance, hermes_str request_json, const hermes_sink *reply);
};

/* The host's half of hermes.gateway/1: acts on the live objects of pre_gateway_dispatch. A live
 * object is good on the thread of the handler whose event carries it, for the instance that is
 * called, until the handler returns. Everywhere else the functions answer GONE: on other threads,
 * from later handlers, with a retained call. None of them unwinds. */
struct hermes_gateway_fns {
    /* sizeof(hermes_gateway_fns) of the host. */
    uint32_t size;
    /* Zero. */
    uint32_t reserved;
    /* Sends a message: a JSON object with platform, chat_id, text, and perhaps thread_id and
     * reply_to. Writes the receipt as JSON; when it answers FAILED or INVALID, the reason. [you
     * call: calling-thread, until the handler returns; lent: call, message, receipt] */
    hermes_service_code (*send)(uint64_t instance, const hermes_call *call, hermes_handle_kind kind, uint64_t number, hermes_str message, const hermes_sink *receipt);
    /* Appends to a session's transcript: a JSON object with session_key, role and content. Writes
     * nothing; when it answers FAILED or INVALID, the reason. [you call: calling-thread, until the
     * handler returns; lent: call, entry, reason] */
    hermes_service_code (*append_to_transcript)(uint64_t instance, const hermes_call *call, hermes_handle_kind kind, uint64_t number, hermes_str entry, const hermes_sink *reason);
};

/* The host's half of hermes.middleware/1: lets a middleware call what it wraps. Good on the thread
 * of the handler, until it returns, and once; see hermes_gateway_fns. */
struct hermes_middleware_fns {
    /* sizeof(hermes_middleware_fns) of the host. */
    uint32_t size;
    /* Zero. */
    uint32_t reserved;
    /* Calls what the event's handler wraps, with another payload (a JSON object) or, when the text
     * is empty, with its own. Writes the result as JSON; when it answers FAILED or INVALID, the
     * reason. [you call: calling-thread, until the handler returns; lent: call, payload, result] */
    hermes_service_code (*next)(uint64_t instance, const hermes_call *call, hermes_str payload, const hermes_sink *result);
};

/* The host's half of hermes.calls/1: one slot for each instance and tool call. Both functions mean
 * the call whose handler runs on this thread, and answer UNSUPPORTED when its event has no
 * tool_call_id, or its turn is over. What is attached is dropped by the host, once, unless it is
 * taken: when the turn ends, when 4,096 newer calls came, and when the instance ends. */
struct hermes_call_slots {
    /* sizeof(hermes_call_slots) of the host. */
    uint32_t size;
    /* Zero. */
    uint32_t reserved;
    /* Puts a state and its drop into the slot, whose call is null; what was there is dropped.
     * Unless it answers OK the state stays the plugin's. [you call: calling-thread, until the
     * handler returns; taken on OK: state] */
    hermes_service_code (*attach)(uint64_t instance, const hermes_call *call, const hermes_handler *state);
    /* Empties the slot: what was in it is the plugin's again. Without anything in it, state and
     * drop of what is written are null. [you call: calling-thread, until the handler returns; kept
     * by the plugin: what is written to state] */
    hermes_service_code (*take)(uint64_t instance, const hermes_call *call, hermes_handler *state);
};

/* ---- the layout is the one that Rust has -------------------------------------------------------- */

#if UINTPTR_MAX == UINT64_MAX
HERMES_ASSERT_(sizeof(hermes_str) == 16, "size of hermes_str");
HERMES_ASSERT_(HERMES_ALIGNOF_(hermes_str) == 8, "alignment of hermes_str");
HERMES_ASSERT_(offsetof(hermes_str, ptr) == 0, "offset of hermes_str.ptr");
HERMES_ASSERT_(sizeof(((hermes_str *)0)->ptr) == 8, "size of hermes_str.ptr");
HERMES_ASSERT_(offsetof(hermes_str, len) == 8, "offset of hermes_str.len");
HERMES_ASSERT_(sizeof(((hermes_str *)0)->len) == 8, "size of hermes_str.len");
HERMES_ASSERT_(sizeof(hermes_sink) == 24, "size of hermes_sink");
HERMES_ASSERT_(HERMES_ALIGNOF_(hermes_sink) == 8, "alignment of hermes_sink");
HERMES_ASSERT_(offsetof(hermes_sink, size) == 0, "offset of hermes_sink.size");
HERMES_ASSERT_(sizeof(((hermes_sink *)0)->size) == 4, "size of hermes_sink.size");
HERMES_ASSERT_(offsetof(hermes_sink, reserved) == 4, "offset of hermes_sink.reserved");
HERMES_ASSERT_(sizeof(((hermes_sink *)0)->reserved) == 4, "size of hermes_sink.reserved");
HERMES_ASSERT_(offsetof(hermes_sink, state) == 8, "offset of hermes_sink.state");
HERMES_ASSERT_(sizeof(((hermes_sink *)0)->state) == 8, "size of hermes_sink.state");
HERMES_ASSERT_(offsetof(hermes_sink, write) == 16, "offset of hermes_sink.write");
HERMES_ASSERT_(sizeof(((hermes_sink *)0)->write) == 8, "size of hermes_sink.write");
HERMES_ASSERT_(sizeof(hermes_value) == 24, "size of hermes_value");
HERMES_ASSERT_(HERMES_ALIGNOF_(hermes_value) == 8, "alignment of hermes_value");
HERMES_ASSERT_(offsetof(hermes_value, tag) == 0, "offset of hermes_value.tag");
HERMES_ASSERT_(sizeof(((hermes_value *)0)->tag) == 2, "size of hermes_value.tag");
HERMES_ASSERT_(offsetof(hermes_value, flags) == 2, "offset of hermes_value.flags");
HERMES_ASSERT_(sizeof(((hermes_value *)0)->flags) == 2, "size of hermes_value.flags");
HERMES_ASSERT_(offsetof(hermes_value, mark) == 4, "offset of hermes_value.mark");
HERMES_ASSERT_(sizeof(((hermes_value *)0)->mark) == 4, "size of hermes_value.mark");
HERMES_ASSERT_(offsetof(hermes_value, a) == 8, "offset of hermes_value.a");
HERMES_ASSERT_(sizeof(((hermes_value *)0)->a) == 8, "size of hermes_value.a");
HERMES_ASSERT_(offsetof(hermes_value, b) == 16, "offset of hermes_value.b");
HERMES_ASSERT_(sizeof(((hermes_value *)0)->b) == 8, "size of hermes_value.b");
HERMES_ASSERT_(sizeof(hermes_tree_fns) == 56, "size of hermes_tree_fns");
HERMES_ASSERT_(HERMES_ALIGNOF_(hermes_tree_fns) == 8, "alignment of hermes_tree_fns");
HERMES_ASSERT_(offsetof(hermes_tree_fns, size) == 0, "offset of hermes_tree_fns.size");
HERMES_ASSERT_(sizeof(((hermes_tree_fns *)0)->size) == 4, "size of hermes_tree_fns.size");
HERMES_ASSERT_(offsetof(hermes_tree_fns, flags) == 4, "offset of hermes_tree_fns.flags");
HERMES_ASSERT_(sizeof(((hermes_tree_fns *)0)->flags) == 4, "size of hermes_tree_fns.flags");
HERMES_ASSERT_(offsetof(hermes_tree_fns, kind) == 8, "offset of hermes_tree_fns.kind");
HERMES_ASSERT_(sizeof(((hermes_tree_fns *)0)->kind) == 8, "size of hermes_tree_fns.kind");
HERMES_ASSERT_(offsetof(hermes_tree_fns, len) == 16, "offset of hermes_tree_fns.len");
HERMES_ASSERT_(sizeof(((hermes_tree_fns *)0)->len) == 8, "size of hermes_tree_fns.len");
HERMES_ASSERT_(offsetof(hermes_tree_fns, get) == 24, "offset of hermes_tree_fns.get");
HERMES_ASSERT_(sizeof(((hermes_tree_fns *)0)->get) == 8, "size of hermes_tree_fns.get");
HERMES_ASSERT_(offsetof(hermes_tree_fns, at) == 32, "offset of hermes_tree_fns.at");
HERMES_ASSERT_(sizeof(((hermes_tree_fns *)0)->at) == 8, "size of hermes_tree_fns.at");
HERMES_ASSERT_(offsetof(hermes_tree_fns, next) == 40, "offset of hermes_tree_fns.next");
HERMES_ASSERT_(sizeof(((hermes_tree_fns *)0)->next) == 8, "size of hermes_tree_fns.next");
HERMES_ASSERT_(offsetof(hermes_tree_fns, to_json) == 48, "offset of hermes_tree_fns.to_json");
HERMES_ASSERT_(sizeof(((hermes_tree_fns *)0)->to_json) == 8, "size of hermes_tree_fns.to_json");
HERMES_ASSERT_(sizeof(hermes_event) == 40, "size of hermes_event");
HERMES_ASSERT_(HERMES_ALIGNOF_(hermes_event) == 8, "alignment of hermes_event");
HERMES_ASSERT_(offsetof(hermes_event, size) == 0, "offset of hermes_event.size");
HERMES_ASSERT_(sizeof(((hermes_event *)0)->size) == 4, "size of hermes_event.size");
HERMES_ASSERT_(offsetof(hermes_event, count) == 4, "offset of hermes_event.count");
HERMES_ASSERT_(sizeof(((hermes_event *)0)->count) == 4, "size of hermes_event.count");
HERMES_ASSERT_(offsetof(hermes_event, fields) == 8, "offset of hermes_event.fields");
HERMES_ASSERT_(sizeof(((hermes_event *)0)->fields) == 8, "size of hermes_event.fields");
HERMES_ASSERT_(offsetof(hermes_event, extra) == 16, "offset of hermes_event.extra");
HERMES_ASSERT_(sizeof(((hermes_event *)0)->extra) == 24, "size of hermes_event.extra");
HERMES_ASSERT_(sizeof(hermes_failure) == 48, "size of hermes_failure");
HERMES_ASSERT_(HERMES_ALIGNOF_(hermes_failure) == 8, "alignment of hermes_failure");
HERMES_ASSERT_(offsetof(hermes_failure, size) == 0, "offset of hermes_failure.size");
HERMES_ASSERT_(sizeof(((hermes_failure *)0)->size) == 4, "size of hermes_failure.size");
HERMES_ASSERT_(offsetof(hermes_failure, kind) == 4, "offset of hermes_failure.kind");
HERMES_ASSERT_(sizeof(((hermes_failure *)0)->kind) == 4, "size of hermes_failure.kind");
HERMES_ASSERT_(offsetof(hermes_failure, text) == 8, "offset of hermes_failure.text");
HERMES_ASSERT_(sizeof(((hermes_failure *)0)->text) == 16, "size of hermes_failure.text");
HERMES_ASSERT_(offsetof(hermes_failure, file) == 24, "offset of hermes_failure.file");
HERMES_ASSERT_(sizeof(((hermes_failure *)0)->file) == 16, "size of hermes_failure.file");
HERMES_ASSERT_(offsetof(hermes_failure, line) == 40, "offset of hermes_failure.line");
HERMES_ASSERT_(sizeof(((hermes_failure *)0)->line) == 4, "size of hermes_failure.line");
HERMES_ASSERT_(offsetof(hermes_failure, reserved) == 44, "offset of hermes_failure.reserved");
HERMES_ASSERT_(sizeof(((hermes_failure *)0)->reserved) == 4, "size of hermes_failure.reserved");
HERMES_ASSERT_(sizeof(hermes_handler) == 32, "size of hermes_handler");
HERMES_ASSERT_(HERMES_ALIGNOF_(hermes_handler) == 8, "alignment of hermes_handler");
HERMES_ASSERT_(offsetof(hermes_handler, size) == 0, "offset of hermes_handler.size");
HERMES_ASSERT_(sizeof(((hermes_handler *)0)->size) == 4, "size of hermes_handler.size");
HERMES_ASSERT_(offsetof(hermes_handler, reserved) == 4, "offset of hermes_handler.reserved");
HERMES_ASSERT_(sizeof(((hermes_handler *)0)->reserved) == 4, "size of hermes_handler.reserved");
HERMES_ASSERT_(offsetof(hermes_handler, state) == 8, "offset of hermes_handler.state");
HERMES_ASSERT_(sizeof(((hermes_handler *)0)->state) == 8, "size of hermes_handler.state");
HERMES_ASSERT_(offsetof(hermes_handler, call) == 16, "offset of hermes_handler.call");
HERMES_ASSERT_(sizeof(((hermes_handler *)0)->call) == 8, "size of hermes_handler.call");
HERMES_ASSERT_(offsetof(hermes_handler, drop) == 24, "offset of hermes_handler.drop");
HERMES_ASSERT_(sizeof(((hermes_handler *)0)->drop) == 8, "size of hermes_handler.drop");
HERMES_ASSERT_(sizeof(hermes_handler_spec) == 112, "size of hermes_handler_spec");
HERMES_ASSERT_(HERMES_ALIGNOF_(hermes_handler_spec) == 8, "alignment of hermes_handler_spec");
HERMES_ASSERT_(offsetof(hermes_handler_spec, size) == 0, "offset of hermes_handler_spec.size");
HERMES_ASSERT_(sizeof(((hermes_handler_spec *)0)->size) == 4, "size of hermes_handler_spec.size");
HERMES_ASSERT_(offsetof(hermes_handler_spec, flags) == 4, "offset of hermes_handler_spec.flags");
HERMES_ASSERT_(sizeof(((hermes_handler_spec *)0)->flags) == 4, "size of hermes_handler_spec.flags");
HERMES_ASSERT_(offsetof(hermes_handler_spec, name) == 8, "offset of hermes_handler_spec.name");
HERMES_ASSERT_(sizeof(((hermes_handler_spec *)0)->name) == 16, "size of hermes_handler_spec.name");
HERMES_ASSERT_(offsetof(hermes_handler_spec, handler) == 24, "offset of hermes_handler_spec.handler");
HERMES_ASSERT_(sizeof(((hermes_handler_spec *)0)->handler) == 32, "size of hermes_handler_spec.handler");
HERMES_ASSERT_(offsetof(hermes_handler_spec, cookie) == 56, "offset of hermes_handler_spec.cookie");
HERMES_ASSERT_(sizeof(((hermes_handler_spec *)0)->cookie) == 8, "size of hermes_handler_spec.cookie");
HERMES_ASSERT_(offsetof(hermes_handler_spec, field_count) == 64, "offset of hermes_handler_spec.field_count");
HERMES_ASSERT_(sizeof(((hermes_handler_spec *)0)->field_count) == 4, "size of hermes_handler_spec.field_count");
HERMES_ASSERT_(offsetof(hermes_handler_spec, on_failure) == 68, "offset of hermes_handler_spec.on_failure");
HERMES_ASSERT_(sizeof(((hermes_handler_spec *)0)->on_failure) == 4, "size of hermes_handler_spec.on_failure");
HERMES_ASSERT_(offsetof(hermes_handler_spec, priority) == 72, "offset of hermes_handler_spec.priority");
HERMES_ASSERT_(sizeof(((hermes_handler_spec *)0)->priority) == 8, "size of hermes_handler_spec.priority");
HERMES_ASSERT_(offsetof(hermes_handler_spec, budget_ms) == 80, "offset of hermes_handler_spec.budget_ms");
HERMES_ASSERT_(sizeof(((hermes_handler_spec *)0)->budget_ms) == 8, "size of hermes_handler_spec.budget_ms");
HERMES_ASSERT_(offsetof(hermes_handler_spec, tools) == 88, "offset of hermes_handler_spec.tools");
HERMES_ASSERT_(sizeof(((hermes_handler_spec *)0)->tools) == 8, "size of hermes_handler_spec.tools");
HERMES_ASSERT_(offsetof(hermes_handler_spec, tools_count) == 96, "offset of hermes_handler_spec.tools_count");
HERMES_ASSERT_(sizeof(((hermes_handler_spec *)0)->tools_count) == 4, "size of hermes_handler_spec.tools_count");
HERMES_ASSERT_(offsetof(hermes_handler_spec, tools_stride) == 100, "offset of hermes_handler_spec.tools_stride");
HERMES_ASSERT_(sizeof(((hermes_handler_spec *)0)->tools_stride) == 4, "size of hermes_handler_spec.tools_stride");
HERMES_ASSERT_(offsetof(hermes_handler_spec, phase) == 104, "offset of hermes_handler_spec.phase");
HERMES_ASSERT_(sizeof(((hermes_handler_spec *)0)->phase) == 4, "size of hermes_handler_spec.phase");
HERMES_ASSERT_(offsetof(hermes_handler_spec, reserved) == 108, "offset of hermes_handler_spec.reserved");
HERMES_ASSERT_(sizeof(((hermes_handler_spec *)0)->reserved) == 4, "size of hermes_handler_spec.reserved");
HERMES_ASSERT_(sizeof(hermes_future) == 32, "size of hermes_future");
HERMES_ASSERT_(HERMES_ALIGNOF_(hermes_future) == 8, "alignment of hermes_future");
HERMES_ASSERT_(offsetof(hermes_future, size) == 0, "offset of hermes_future.size");
HERMES_ASSERT_(sizeof(((hermes_future *)0)->size) == 4, "size of hermes_future.size");
HERMES_ASSERT_(offsetof(hermes_future, flags) == 4, "offset of hermes_future.flags");
HERMES_ASSERT_(sizeof(((hermes_future *)0)->flags) == 4, "size of hermes_future.flags");
HERMES_ASSERT_(offsetof(hermes_future, state) == 8, "offset of hermes_future.state");
HERMES_ASSERT_(sizeof(((hermes_future *)0)->state) == 8, "size of hermes_future.state");
HERMES_ASSERT_(offsetof(hermes_future, poll) == 16, "offset of hermes_future.poll");
HERMES_ASSERT_(sizeof(((hermes_future *)0)->poll) == 8, "size of hermes_future.poll");
HERMES_ASSERT_(offsetof(hermes_future, drop) == 24, "offset of hermes_future.drop");
HERMES_ASSERT_(sizeof(((hermes_future *)0)->drop) == 8, "size of hermes_future.drop");
HERMES_ASSERT_(sizeof(hermes_waker) == 24, "size of hermes_waker");
HERMES_ASSERT_(HERMES_ALIGNOF_(hermes_waker) == 8, "alignment of hermes_waker");
HERMES_ASSERT_(offsetof(hermes_waker, size) == 0, "offset of hermes_waker.size");
HERMES_ASSERT_(sizeof(((hermes_waker *)0)->size) == 4, "size of hermes_waker.size");
HERMES_ASSERT_(offsetof(hermes_waker, reserved) == 4, "offset of hermes_waker.reserved");
HERMES_ASSERT_(sizeof(((hermes_waker *)0)->reserved) == 4, "size of hermes_waker.reserved");
HERMES_ASSERT_(offsetof(hermes_waker, data) == 8, "offset of hermes_waker.data");
HERMES_ASSERT_(sizeof(((hermes_waker *)0)->data) == 8, "size of hermes_waker.data");
HERMES_ASSERT_(offsetof(hermes_waker, fns) == 16, "offset of hermes_waker.fns");
HERMES_ASSERT_(sizeof(((hermes_waker *)0)->fns) == 8, "size of hermes_waker.fns");
HERMES_ASSERT_(sizeof(hermes_waker_fns) == 32, "size of hermes_waker_fns");
HERMES_ASSERT_(HERMES_ALIGNOF_(hermes_waker_fns) == 8, "alignment of hermes_waker_fns");
HERMES_ASSERT_(offsetof(hermes_waker_fns, size) == 0, "offset of hermes_waker_fns.size");
HERMES_ASSERT_(sizeof(((hermes_waker_fns *)0)->size) == 4, "size of hermes_waker_fns.size");
HERMES_ASSERT_(offsetof(hermes_waker_fns, reserved) == 4, "offset of hermes_waker_fns.reserved");
HERMES_ASSERT_(sizeof(((hermes_waker_fns *)0)->reserved) == 4, "size of hermes_waker_fns.reserved");
HERMES_ASSERT_(offsetof(hermes_waker_fns, clone) == 8, "offset of hermes_waker_fns.clone");
HERMES_ASSERT_(sizeof(((hermes_waker_fns *)0)->clone) == 8, "size of hermes_waker_fns.clone");
HERMES_ASSERT_(offsetof(hermes_waker_fns, wake) == 16, "offset of hermes_waker_fns.wake");
HERMES_ASSERT_(sizeof(((hermes_waker_fns *)0)->wake) == 8, "size of hermes_waker_fns.wake");
HERMES_ASSERT_(offsetof(hermes_waker_fns, drop) == 24, "offset of hermes_waker_fns.drop");
HERMES_ASSERT_(sizeof(((hermes_waker_fns *)0)->drop) == 8, "size of hermes_waker_fns.drop");
HERMES_ASSERT_(sizeof(hermes_call_fns) == 136, "size of hermes_call_fns");
HERMES_ASSERT_(HERMES_ALIGNOF_(hermes_call_fns) == 8, "alignment of hermes_call_fns");
HERMES_ASSERT_(offsetof(hermes_call_fns, size) == 0, "offset of hermes_call_fns.size");
HERMES_ASSERT_(sizeof(((hermes_call_fns *)0)->size) == 4, "size of hermes_call_fns.size");
HERMES_ASSERT_(offsetof(hermes_call_fns, abi_minor) == 4, "offset of hermes_call_fns.abi_minor");
HERMES_ASSERT_(sizeof(((hermes_call_fns *)0)->abi_minor) == 4, "size of hermes_call_fns.abi_minor");
HERMES_ASSERT_(offsetof(hermes_call_fns, set) == 8, "offset of hermes_call_fns.set");
HERMES_ASSERT_(sizeof(((hermes_call_fns *)0)->set) == 8, "size of hermes_call_fns.set");
HERMES_ASSERT_(offsetof(hermes_call_fns, set_named) == 16, "offset of hermes_call_fns.set_named");
HERMES_ASSERT_(sizeof(((hermes_call_fns *)0)->set_named) == 8, "size of hermes_call_fns.set_named");
HERMES_ASSERT_(offsetof(hermes_call_fns, set_whole) == 24, "offset of hermes_call_fns.set_whole");
HERMES_ASSERT_(sizeof(((hermes_call_fns *)0)->set_whole) == 8, "size of hermes_call_fns.set_whole");
HERMES_ASSERT_(offsetof(hermes_call_fns, begin_object) == 32, "offset of hermes_call_fns.begin_object");
HERMES_ASSERT_(sizeof(((hermes_call_fns *)0)->begin_object) == 8, "size of hermes_call_fns.begin_object");
HERMES_ASSERT_(offsetof(hermes_call_fns, begin_array) == 40, "offset of hermes_call_fns.begin_array");
HERMES_ASSERT_(sizeof(((hermes_call_fns *)0)->begin_array) == 8, "size of hermes_call_fns.begin_array");
HERMES_ASSERT_(offsetof(hermes_call_fns, key) == 48, "offset of hermes_call_fns.key");
HERMES_ASSERT_(sizeof(((hermes_call_fns *)0)->key) == 8, "size of hermes_call_fns.key");
HERMES_ASSERT_(offsetof(hermes_call_fns, value) == 56, "offset of hermes_call_fns.value");
HERMES_ASSERT_(sizeof(((hermes_call_fns *)0)->value) == 8, "size of hermes_call_fns.value");
HERMES_ASSERT_(offsetof(hermes_call_fns, end) == 64, "offset of hermes_call_fns.end");
HERMES_ASSERT_(sizeof(((hermes_call_fns *)0)->end) == 8, "size of hermes_call_fns.end");
HERMES_ASSERT_(offsetof(hermes_call_fns, set_json) == 72, "offset of hermes_call_fns.set_json");
HERMES_ASSERT_(sizeof(((hermes_call_fns *)0)->set_json) == 8, "size of hermes_call_fns.set_json");
HERMES_ASSERT_(offsetof(hermes_call_fns, set_handler) == 80, "offset of hermes_call_fns.set_handler");
HERMES_ASSERT_(sizeof(((hermes_call_fns *)0)->set_handler) == 8, "size of hermes_call_fns.set_handler");
HERMES_ASSERT_(offsetof(hermes_call_fns, deadline) == 88, "offset of hermes_call_fns.deadline");
HERMES_ASSERT_(sizeof(((hermes_call_fns *)0)->deadline) == 8, "size of hermes_call_fns.deadline");
HERMES_ASSERT_(offsetof(hermes_call_fns, cancelled) == 96, "offset of hermes_call_fns.cancelled");
HERMES_ASSERT_(sizeof(((hermes_call_fns *)0)->cancelled) == 8, "size of hermes_call_fns.cancelled");
HERMES_ASSERT_(offsetof(hermes_call_fns, retain) == 104, "offset of hermes_call_fns.retain");
HERMES_ASSERT_(sizeof(((hermes_call_fns *)0)->retain) == 8, "size of hermes_call_fns.retain");
HERMES_ASSERT_(offsetof(hermes_call_fns, release) == 112, "offset of hermes_call_fns.release");
HERMES_ASSERT_(sizeof(((hermes_call_fns *)0)->release) == 8, "size of hermes_call_fns.release");
HERMES_ASSERT_(offsetof(hermes_call_fns, pend) == 120, "offset of hermes_call_fns.pend");
HERMES_ASSERT_(sizeof(((hermes_call_fns *)0)->pend) == 8, "size of hermes_call_fns.pend");
HERMES_ASSERT_(offsetof(hermes_call_fns, fail) == 128, "offset of hermes_call_fns.fail");
HERMES_ASSERT_(sizeof(((hermes_call_fns *)0)->fail) == 8, "size of hermes_call_fns.fail");
HERMES_ASSERT_(sizeof(hermes_call) == 40, "size of hermes_call");
HERMES_ASSERT_(HERMES_ALIGNOF_(hermes_call) == 8, "alignment of hermes_call");
HERMES_ASSERT_(offsetof(hermes_call, size) == 0, "offset of hermes_call.size");
HERMES_ASSERT_(sizeof(((hermes_call *)0)->size) == 4, "size of hermes_call.size");
HERMES_ASSERT_(offsetof(hermes_call, flags) == 4, "offset of hermes_call.flags");
HERMES_ASSERT_(sizeof(((hermes_call *)0)->flags) == 4, "size of hermes_call.flags");
HERMES_ASSERT_(offsetof(hermes_call, cookie) == 8, "offset of hermes_call.cookie");
HERMES_ASSERT_(sizeof(((hermes_call *)0)->cookie) == 8, "size of hermes_call.cookie");
HERMES_ASSERT_(offsetof(hermes_call, event) == 16, "offset of hermes_call.event");
HERMES_ASSERT_(sizeof(((hermes_call *)0)->event) == 8, "size of hermes_call.event");
HERMES_ASSERT_(offsetof(hermes_call, parent) == 24, "offset of hermes_call.parent");
HERMES_ASSERT_(sizeof(((hermes_call *)0)->parent) == 8, "size of hermes_call.parent");
HERMES_ASSERT_(offsetof(hermes_call, fns) == 32, "offset of hermes_call.fns");
HERMES_ASSERT_(sizeof(((hermes_call *)0)->fns) == 8, "size of hermes_call.fns");
HERMES_ASSERT_(sizeof(hermes_log_field) == 40, "size of hermes_log_field");
HERMES_ASSERT_(HERMES_ALIGNOF_(hermes_log_field) == 8, "alignment of hermes_log_field");
HERMES_ASSERT_(offsetof(hermes_log_field, name) == 0, "offset of hermes_log_field.name");
HERMES_ASSERT_(sizeof(((hermes_log_field *)0)->name) == 16, "size of hermes_log_field.name");
HERMES_ASSERT_(offsetof(hermes_log_field, value) == 16, "offset of hermes_log_field.value");
HERMES_ASSERT_(sizeof(((hermes_log_field *)0)->value) == 24, "size of hermes_log_field.value");
HERMES_ASSERT_(sizeof(hermes_log_record) == 80, "size of hermes_log_record");
HERMES_ASSERT_(HERMES_ALIGNOF_(hermes_log_record) == 8, "alignment of hermes_log_record");
HERMES_ASSERT_(offsetof(hermes_log_record, size) == 0, "offset of hermes_log_record.size");
HERMES_ASSERT_(sizeof(((hermes_log_record *)0)->size) == 4, "size of hermes_log_record.size");
HERMES_ASSERT_(offsetof(hermes_log_record, level) == 4, "offset of hermes_log_record.level");
HERMES_ASSERT_(sizeof(((hermes_log_record *)0)->level) == 4, "size of hermes_log_record.level");
HERMES_ASSERT_(offsetof(hermes_log_record, target) == 8, "offset of hermes_log_record.target");
HERMES_ASSERT_(sizeof(((hermes_log_record *)0)->target) == 16, "size of hermes_log_record.target");
HERMES_ASSERT_(offsetof(hermes_log_record, message) == 24, "offset of hermes_log_record.message");
HERMES_ASSERT_(sizeof(((hermes_log_record *)0)->message) == 16, "size of hermes_log_record.message");
HERMES_ASSERT_(offsetof(hermes_log_record, file) == 40, "offset of hermes_log_record.file");
HERMES_ASSERT_(sizeof(((hermes_log_record *)0)->file) == 16, "size of hermes_log_record.file");
HERMES_ASSERT_(offsetof(hermes_log_record, line) == 56, "offset of hermes_log_record.line");
HERMES_ASSERT_(sizeof(((hermes_log_record *)0)->line) == 4, "size of hermes_log_record.line");
HERMES_ASSERT_(offsetof(hermes_log_record, fields_count) == 60, "offset of hermes_log_record.fields_count");
HERMES_ASSERT_(sizeof(((hermes_log_record *)0)->fields_count) == 4, "size of hermes_log_record.fields_count");
HERMES_ASSERT_(offsetof(hermes_log_record, fields) == 64, "offset of hermes_log_record.fields");
HERMES_ASSERT_(sizeof(((hermes_log_record *)0)->fields) == 8, "size of hermes_log_record.fields");
HERMES_ASSERT_(offsetof(hermes_log_record, fields_stride) == 72, "offset of hermes_log_record.fields_stride");
HERMES_ASSERT_(sizeof(((hermes_log_record *)0)->fields_stride) == 4, "size of hermes_log_record.fields_stride");
HERMES_ASSERT_(offsetof(hermes_log_record, reserved) == 76, "offset of hermes_log_record.reserved");
HERMES_ASSERT_(sizeof(((hermes_log_record *)0)->reserved) == 4, "size of hermes_log_record.reserved");
HERMES_ASSERT_(sizeof(hermes_registrar) == 48, "size of hermes_registrar");
HERMES_ASSERT_(HERMES_ALIGNOF_(hermes_registrar) == 8, "alignment of hermes_registrar");
HERMES_ASSERT_(offsetof(hermes_registrar, size) == 0, "offset of hermes_registrar.size");
HERMES_ASSERT_(sizeof(((hermes_registrar *)0)->size) == 4, "size of hermes_registrar.size");
HERMES_ASSERT_(offsetof(hermes_registrar, abi_minor) == 4, "offset of hermes_registrar.abi_minor");
HERMES_ASSERT_(sizeof(((hermes_registrar *)0)->abi_minor) == 4, "size of hermes_registrar.abi_minor");
HERMES_ASSERT_(offsetof(hermes_registrar, instance) == 8, "offset of hermes_registrar.instance");
HERMES_ASSERT_(sizeof(((hermes_registrar *)0)->instance) == 8, "size of hermes_registrar.instance");
HERMES_ASSERT_(offsetof(hermes_registrar, on) == 16, "offset of hermes_registrar.on");
HERMES_ASSERT_(sizeof(((hermes_registrar *)0)->on) == 8, "size of hermes_registrar.on");
HERMES_ASSERT_(offsetof(hermes_registrar, config) == 24, "offset of hermes_registrar.config");
HERMES_ASSERT_(sizeof(((hermes_registrar *)0)->config) == 8, "size of hermes_registrar.config");
HERMES_ASSERT_(offsetof(hermes_registrar, data_dir) == 32, "offset of hermes_registrar.data_dir");
HERMES_ASSERT_(sizeof(((hermes_registrar *)0)->data_dir) == 8, "size of hermes_registrar.data_dir");
HERMES_ASSERT_(offsetof(hermes_registrar, get_extension) == 40, "offset of hermes_registrar.get_extension");
HERMES_ASSERT_(sizeof(((hermes_registrar *)0)->get_extension) == 8, "size of hermes_registrar.get_extension");
HERMES_ASSERT_(sizeof(hermes_services) == 96, "size of hermes_services");
HERMES_ASSERT_(HERMES_ALIGNOF_(hermes_services) == 8, "alignment of hermes_services");
HERMES_ASSERT_(offsetof(hermes_services, size) == 0, "offset of hermes_services.size");
HERMES_ASSERT_(sizeof(((hermes_services *)0)->size) == 4, "size of hermes_services.size");
HERMES_ASSERT_(offsetof(hermes_services, abi_major) == 4, "offset of hermes_services.abi_major");
HERMES_ASSERT_(sizeof(((hermes_services *)0)->abi_major) == 4, "size of hermes_services.abi_major");
HERMES_ASSERT_(offsetof(hermes_services, abi_minor) == 8, "offset of hermes_services.abi_minor");
HERMES_ASSERT_(sizeof(((hermes_services *)0)->abi_minor) == 4, "size of hermes_services.abi_minor");
HERMES_ASSERT_(offsetof(hermes_services, catalogue) == 12, "offset of hermes_services.catalogue");
HERMES_ASSERT_(sizeof(((hermes_services *)0)->catalogue) == 4, "size of hermes_services.catalogue");
HERMES_ASSERT_(offsetof(hermes_services, log) == 16, "offset of hermes_services.log");
HERMES_ASSERT_(sizeof(((hermes_services *)0)->log) == 8, "size of hermes_services.log");
HERMES_ASSERT_(offsetof(hermes_services, log_level) == 24, "offset of hermes_services.log_level");
HERMES_ASSERT_(sizeof(((hermes_services *)0)->log_level) == 8, "size of hermes_services.log_level");
HERMES_ASSERT_(offsetof(hermes_services, fail) == 32, "offset of hermes_services.fail");
HERMES_ASSERT_(sizeof(((hermes_services *)0)->fail) == 8, "size of hermes_services.fail");
HERMES_ASSERT_(offsetof(hermes_services, config) == 40, "offset of hermes_services.config");
HERMES_ASSERT_(sizeof(((hermes_services *)0)->config) == 8, "size of hermes_services.config");
HERMES_ASSERT_(offsetof(hermes_services, data_dir) == 48, "offset of hermes_services.data_dir");
HERMES_ASSERT_(sizeof(((hermes_services *)0)->data_dir) == 8, "size of hermes_services.data_dir");
HERMES_ASSERT_(offsetof(hermes_services, timer) == 56, "offset of hermes_services.timer");
HERMES_ASSERT_(sizeof(((hermes_services *)0)->timer) == 8, "size of hermes_services.timer");
HERMES_ASSERT_(offsetof(hermes_services, cancel_timer) == 64, "offset of hermes_services.cancel_timer");
HERMES_ASSERT_(sizeof(((hermes_services *)0)->cancel_timer) == 8, "size of hermes_services.cancel_timer");
HERMES_ASSERT_(offsetof(hermes_services, unregister) == 72, "offset of hermes_services.unregister");
HERMES_ASSERT_(sizeof(((hermes_services *)0)->unregister) == 8, "size of hermes_services.unregister");
HERMES_ASSERT_(offsetof(hermes_services, get_extension) == 80, "offset of hermes_services.get_extension");
HERMES_ASSERT_(sizeof(((hermes_services *)0)->get_extension) == 8, "size of hermes_services.get_extension");
HERMES_ASSERT_(offsetof(hermes_services, fire) == 88, "offset of hermes_services.fire");
HERMES_ASSERT_(sizeof(((hermes_services *)0)->fire) == 8, "size of hermes_services.fire");
HERMES_ASSERT_(sizeof(hermes_create_args) == 24, "size of hermes_create_args");
HERMES_ASSERT_(HERMES_ALIGNOF_(hermes_create_args) == 8, "alignment of hermes_create_args");
HERMES_ASSERT_(offsetof(hermes_create_args, size) == 0, "offset of hermes_create_args.size");
HERMES_ASSERT_(sizeof(((hermes_create_args *)0)->size) == 4, "size of hermes_create_args.size");
HERMES_ASSERT_(offsetof(hermes_create_args, flags) == 4, "offset of hermes_create_args.flags");
HERMES_ASSERT_(sizeof(((hermes_create_args *)0)->flags) == 4, "size of hermes_create_args.flags");
HERMES_ASSERT_(offsetof(hermes_create_args, instance) == 8, "offset of hermes_create_args.instance");
HERMES_ASSERT_(sizeof(((hermes_create_args *)0)->instance) == 8, "size of hermes_create_args.instance");
HERMES_ASSERT_(offsetof(hermes_create_args, services) == 16, "offset of hermes_create_args.services");
HERMES_ASSERT_(sizeof(((hermes_create_args *)0)->services) == 8, "size of hermes_create_args.services");
HERMES_ASSERT_(sizeof(hermes_header) == 56, "size of hermes_header");
HERMES_ASSERT_(HERMES_ALIGNOF_(hermes_header) == 8, "alignment of hermes_header");
HERMES_ASSERT_(offsetof(hermes_header, magic) == 0, "offset of hermes_header.magic");
HERMES_ASSERT_(sizeof(((hermes_header *)0)->magic) == 16, "size of hermes_header.magic");
HERMES_ASSERT_(offsetof(hermes_header, header_size) == 16, "offset of hermes_header.header_size");
HERMES_ASSERT_(sizeof(((hermes_header *)0)->header_size) == 4, "size of hermes_header.header_size");
HERMES_ASSERT_(offsetof(hermes_header, abi_major) == 20, "offset of hermes_header.abi_major");
HERMES_ASSERT_(sizeof(((hermes_header *)0)->abi_major) == 4, "size of hermes_header.abi_major");
HERMES_ASSERT_(offsetof(hermes_header, abi_minor) == 24, "offset of hermes_header.abi_minor");
HERMES_ASSERT_(sizeof(((hermes_header *)0)->abi_minor) == 4, "size of hermes_header.abi_minor");
HERMES_ASSERT_(offsetof(hermes_header, catalogue) == 28, "offset of hermes_header.catalogue");
HERMES_ASSERT_(sizeof(((hermes_header *)0)->catalogue) == 4, "size of hermes_header.catalogue");
HERMES_ASSERT_(offsetof(hermes_header, pointer_width) == 32, "offset of hermes_header.pointer_width");
HERMES_ASSERT_(sizeof(((hermes_header *)0)->pointer_width) == 4, "size of hermes_header.pointer_width");
HERMES_ASSERT_(offsetof(hermes_header, value_size) == 36, "offset of hermes_header.value_size");
HERMES_ASSERT_(sizeof(((hermes_header *)0)->value_size) == 4, "size of hermes_header.value_size");
HERMES_ASSERT_(offsetof(hermes_header, root_size) == 40, "offset of hermes_header.root_size");
HERMES_ASSERT_(sizeof(((hermes_header *)0)->root_size) == 4, "size of hermes_header.root_size");
HERMES_ASSERT_(offsetof(hermes_header, reserved) == 44, "offset of hermes_header.reserved");
HERMES_ASSERT_(sizeof(((hermes_header *)0)->reserved) == 4, "size of hermes_header.reserved");
HERMES_ASSERT_(offsetof(hermes_header, flags) == 48, "offset of hermes_header.flags");
HERMES_ASSERT_(sizeof(((hermes_header *)0)->flags) == 8, "size of hermes_header.flags");
HERMES_ASSERT_(sizeof(hermes_root) == 104, "size of hermes_root");
HERMES_ASSERT_(HERMES_ALIGNOF_(hermes_root) == 8, "alignment of hermes_root");
HERMES_ASSERT_(offsetof(hermes_root, header) == 0, "offset of hermes_root.header");
HERMES_ASSERT_(sizeof(((hermes_root *)0)->header) == 56, "size of hermes_root.header");
HERMES_ASSERT_(offsetof(hermes_root, create) == 56, "offset of hermes_root.create");
HERMES_ASSERT_(sizeof(((hermes_root *)0)->create) == 8, "size of hermes_root.create");
HERMES_ASSERT_(offsetof(hermes_root, register_) == 64, "offset of hermes_root.register_");
HERMES_ASSERT_(sizeof(((hermes_root *)0)->register_) == 8, "size of hermes_root.register_");
HERMES_ASSERT_(offsetof(hermes_root, destroy) == 72, "offset of hermes_root.destroy");
HERMES_ASSERT_(sizeof(((hermes_root *)0)->destroy) == 8, "size of hermes_root.destroy");
HERMES_ASSERT_(offsetof(hermes_root, get_extension) == 80, "offset of hermes_root.get_extension");
HERMES_ASSERT_(sizeof(((hermes_root *)0)->get_extension) == 8, "size of hermes_root.get_extension");
HERMES_ASSERT_(offsetof(hermes_root, metadata) == 88, "offset of hermes_root.metadata");
HERMES_ASSERT_(sizeof(((hermes_root *)0)->metadata) == 16, "size of hermes_root.metadata");
HERMES_ASSERT_(sizeof(hermes_log_fns) == 16, "size of hermes_log_fns");
HERMES_ASSERT_(HERMES_ALIGNOF_(hermes_log_fns) == 8, "alignment of hermes_log_fns");
HERMES_ASSERT_(offsetof(hermes_log_fns, size) == 0, "offset of hermes_log_fns.size");
HERMES_ASSERT_(sizeof(((hermes_log_fns *)0)->size) == 4, "size of hermes_log_fns.size");
HERMES_ASSERT_(offsetof(hermes_log_fns, reserved) == 4, "offset of hermes_log_fns.reserved");
HERMES_ASSERT_(sizeof(((hermes_log_fns *)0)->reserved) == 4, "size of hermes_log_fns.reserved");
HERMES_ASSERT_(offsetof(hermes_log_fns, set_level) == 8, "offset of hermes_log_fns.set_level");
HERMES_ASSERT_(sizeof(((hermes_log_fns *)0)->set_level) == 8, "size of hermes_log_fns.set_level");
HERMES_ASSERT_(sizeof(hermes_json_tools) == 24, "size of hermes_json_tools");
HERMES_ASSERT_(HERMES_ALIGNOF_(hermes_json_tools) == 8, "alignment of hermes_json_tools");
HERMES_ASSERT_(offsetof(hermes_json_tools, size) == 0, "offset of hermes_json_tools.size");
HERMES_ASSERT_(sizeof(((hermes_json_tools *)0)->size) == 4, "size of hermes_json_tools.size");
HERMES_ASSERT_(offsetof(hermes_json_tools, reserved) == 4, "offset of hermes_json_tools.reserved");
HERMES_ASSERT_(sizeof(((hermes_json_tools *)0)->reserved) == 4, "size of hermes_json_tools.reserved");
HERMES_ASSERT_(offsetof(hermes_json_tools, register_) == 8, "offset of hermes_json_tools.register_");
HERMES_ASSERT_(sizeof(((hermes_json_tools *)0)->register_) == 8, "size of hermes_json_tools.register_");
HERMES_ASSERT_(offsetof(hermes_json_tools, check) == 16, "offset of hermes_json_tools.check");
HERMES_ASSERT_(sizeof(((hermes_json_tools *)0)->check) == 8, "size of hermes_json_tools.check");
HERMES_ASSERT_(sizeof(hermes_command_fns) == 24, "size of hermes_command_fns");
HERMES_ASSERT_(HERMES_ALIGNOF_(hermes_command_fns) == 8, "alignment of hermes_command_fns");
HERMES_ASSERT_(offsetof(hermes_command_fns, size) == 0, "offset of hermes_command_fns.size");
HERMES_ASSERT_(sizeof(((hermes_command_fns *)0)->size) == 4, "size of hermes_command_fns.size");
HERMES_ASSERT_(offsetof(hermes_command_fns, reserved) == 4, "offset of hermes_command_fns.reserved");
HERMES_ASSERT_(sizeof(((hermes_command_fns *)0)->reserved) == 4, "size of hermes_command_fns.reserved");
HERMES_ASSERT_(offsetof(hermes_command_fns, slash) == 8, "offset of hermes_command_fns.slash");
HERMES_ASSERT_(sizeof(((hermes_command_fns *)0)->slash) == 8, "size of hermes_command_fns.slash");
HERMES_ASSERT_(offsetof(hermes_command_fns, cli) == 16, "offset of hermes_command_fns.cli");
HERMES_ASSERT_(sizeof(((hermes_command_fns *)0)->cli) == 8, "size of hermes_command_fns.cli");
HERMES_ASSERT_(sizeof(hermes_skill_fns) == 16, "size of hermes_skill_fns");
HERMES_ASSERT_(HERMES_ALIGNOF_(hermes_skill_fns) == 8, "alignment of hermes_skill_fns");
HERMES_ASSERT_(offsetof(hermes_skill_fns, size) == 0, "offset of hermes_skill_fns.size");
HERMES_ASSERT_(sizeof(((hermes_skill_fns *)0)->size) == 4, "size of hermes_skill_fns.size");
HERMES_ASSERT_(offsetof(hermes_skill_fns, reserved) == 4, "offset of hermes_skill_fns.reserved");
HERMES_ASSERT_(sizeof(((hermes_skill_fns *)0)->reserved) == 4, "size of hermes_skill_fns.reserved");
HERMES_ASSERT_(offsetof(hermes_skill_fns, offer) == 8, "offset of hermes_skill_fns.offer");
HERMES_ASSERT_(sizeof(((hermes_skill_fns *)0)->offer) == 8, "size of hermes_skill_fns.offer");
HERMES_ASSERT_(sizeof(hermes_agent_fns) == 48, "size of hermes_agent_fns");
HERMES_ASSERT_(HERMES_ALIGNOF_(hermes_agent_fns) == 8, "alignment of hermes_agent_fns");
HERMES_ASSERT_(offsetof(hermes_agent_fns, size) == 0, "offset of hermes_agent_fns.size");
HERMES_ASSERT_(sizeof(((hermes_agent_fns *)0)->size) == 4, "size of hermes_agent_fns.size");
HERMES_ASSERT_(offsetof(hermes_agent_fns, reserved) == 4, "offset of hermes_agent_fns.reserved");
HERMES_ASSERT_(sizeof(((hermes_agent_fns *)0)->reserved) == 4, "size of hermes_agent_fns.reserved");
HERMES_ASSERT_(offsetof(hermes_agent_fns, manifest) == 8, "offset of hermes_agent_fns.manifest");
HERMES_ASSERT_(sizeof(((hermes_agent_fns *)0)->manifest) == 8, "size of hermes_agent_fns.manifest");
HERMES_ASSERT_(offsetof(hermes_agent_fns, profile_name) == 16, "offset of hermes_agent_fns.profile_name");
HERMES_ASSERT_(sizeof(((hermes_agent_fns *)0)->profile_name) == 8, "size of hermes_agent_fns.profile_name");
HERMES_ASSERT_(offsetof(hermes_agent_fns, dispatch_tool) == 24, "offset of hermes_agent_fns.dispatch_tool");
HERMES_ASSERT_(sizeof(((hermes_agent_fns *)0)->dispatch_tool) == 8, "size of hermes_agent_fns.dispatch_tool");
HERMES_ASSERT_(offsetof(hermes_agent_fns, inject_message) == 32, "offset of hermes_agent_fns.inject_message");
HERMES_ASSERT_(sizeof(((hermes_agent_fns *)0)->inject_message) == 8, "size of hermes_agent_fns.inject_message");
HERMES_ASSERT_(offsetof(hermes_agent_fns, complete) == 40, "offset of hermes_agent_fns.complete");
HERMES_ASSERT_(sizeof(((hermes_agent_fns *)0)->complete) == 8, "size of hermes_agent_fns.complete");
HERMES_ASSERT_(sizeof(hermes_gateway_fns) == 24, "size of hermes_gateway_fns");
HERMES_ASSERT_(HERMES_ALIGNOF_(hermes_gateway_fns) == 8, "alignment of hermes_gateway_fns");
HERMES_ASSERT_(offsetof(hermes_gateway_fns, size) == 0, "offset of hermes_gateway_fns.size");
HERMES_ASSERT_(sizeof(((hermes_gateway_fns *)0)->size) == 4, "size of hermes_gateway_fns.size");
HERMES_ASSERT_(offsetof(hermes_gateway_fns, reserved) == 4, "offset of hermes_gateway_fns.reserved");
HERMES_ASSERT_(sizeof(((hermes_gateway_fns *)0)->reserved) == 4, "size of hermes_gateway_fns.reserved");
HERMES_ASSERT_(offsetof(hermes_gateway_fns, send) == 8, "offset of hermes_gateway_fns.send");
HERMES_ASSERT_(sizeof(((hermes_gateway_fns *)0)->send) == 8, "size of hermes_gateway_fns.send");
HERMES_ASSERT_(offsetof(hermes_gateway_fns, append_to_transcript) == 16, "offset of hermes_gateway_fns.append_to_transcript");
HERMES_ASSERT_(sizeof(((hermes_gateway_fns *)0)->append_to_transcript) == 8, "size of hermes_gateway_fns.append_to_transcript");
HERMES_ASSERT_(sizeof(hermes_middleware_fns) == 16, "size of hermes_middleware_fns");
HERMES_ASSERT_(HERMES_ALIGNOF_(hermes_middleware_fns) == 8, "alignment of hermes_middleware_fns");
HERMES_ASSERT_(offsetof(hermes_middleware_fns, size) == 0, "offset of hermes_middleware_fns.size");
HERMES_ASSERT_(sizeof(((hermes_middleware_fns *)0)->size) == 4, "size of hermes_middleware_fns.size");
HERMES_ASSERT_(offsetof(hermes_middleware_fns, reserved) == 4, "offset of hermes_middleware_fns.reserved");
HERMES_ASSERT_(sizeof(((hermes_middleware_fns *)0)->reserved) == 4, "size of hermes_middleware_fns.reserved");
HERMES_ASSERT_(offsetof(hermes_middleware_fns, next) == 8, "offset of hermes_middleware_fns.next");
HERMES_ASSERT_(sizeof(((hermes_middleware_fns *)0)->next) == 8, "size of hermes_middleware_fns.next");
HERMES_ASSERT_(sizeof(hermes_call_slots) == 24, "size of hermes_call_slots");
HERMES_ASSERT_(HERMES_ALIGNOF_(hermes_call_slots) == 8, "alignment of hermes_call_slots");
HERMES_ASSERT_(offsetof(hermes_call_slots, size) == 0, "offset of hermes_call_slots.size");
HERMES_ASSERT_(sizeof(((hermes_call_slots *)0)->size) == 4, "size of hermes_call_slots.size");
HERMES_ASSERT_(offsetof(hermes_call_slots, reserved) == 4, "offset of hermes_call_slots.reserved");
HERMES_ASSERT_(sizeof(((hermes_call_slots *)0)->reserved) == 4, "size of hermes_call_slots.reserved");
HERMES_ASSERT_(offsetof(hermes_call_slots, attach) == 8, "offset of hermes_call_slots.attach");
HERMES_ASSERT_(sizeof(((hermes_call_slots *)0)->attach) == 8, "size of hermes_call_slots.attach");
HERMES_ASSERT_(offsetof(hermes_call_slots, take) == 16, "offset of hermes_call_slots.take");
HERMES_ASSERT_(sizeof(((hermes_call_slots *)0)->take) == 8, "size of hermes_call_slots.take");
#endif

/* Bytes of a registration in ABI 1.0, which had no phase. */
#define HERMES_HANDLER_SPEC_SIZE_1_0 offsetof(hermes_handler_spec, phase)

/* ---- text -------------------------------------------------------------------------------------- */

/* A literal as an initialiser: static const hermes_str TOOLS[] = { HERMES_STR("terminal") }; */
#define HERMES_STR(literal) { (literal), sizeof(literal) - 1 }

/* Text of a known length. It is borrowed, not copied. */
static inline hermes_str hermes_strn(const char *ptr, size_t len) {
    hermes_str text;
    text.ptr = ptr;
    text.len = len;
    return text;
}

/* Text that ends in NUL; NULL is the empty text. */
static inline hermes_str hermes_strz(const char *text) {
    return hermes_strn(text, text != NULL ? strlen(text) : 0);
}

/* Whether the two are the same, byte for byte. */
static inline bool hermes_str_eq(hermes_str text, const char *other) {
    size_t len = strlen(other);
    return text.len == len && (len == 0 || memcmp(text.ptr, other, len) == 0);
}

/* Whether one stands in the other. */
static inline bool hermes_str_contains(hermes_str text, const char *part) {
    size_t len = strlen(part);
    size_t at;
    if (len == 0) {
        return true;
    }
    for (at = 0; at + len <= text.len; at++) {
        if (memcmp(text.ptr + at, part, len) == 0) {
            return true;
        }
    }
    return false;
}

/* ---- members that an older host may not have ----------------------------------------------------- */

/* Whether a table is there, is long enough to have the function, and has it. */
#define HERMES_HAS(type, table, member)                                            \
    ((table) != NULL                                                               \
     && (size_t)(table)->size >= offsetof(type, member) + sizeof((table)->member)  \
     && (table)->member != NULL)

/* ---- making values ----------------------------------------------------------------------------- */

static inline hermes_value hermes_make_(hermes_tag tag, uint64_t a, uint64_t b) {
    hermes_value value;
    value.tag = tag;
    value.flags = HERMES_VALUE_NONE;
    value.mark = HERMES_MARK_NONE;
    value.a = a;
    value.b = b;
    return value;
}

static inline hermes_value hermes_make_absent(void) {
    return hermes_make_(HERMES_TAG_ABSENT, 0, 0);
}

static inline hermes_value hermes_make_null(void) {
    return hermes_make_(HERMES_TAG_NULL, 0, 0);
}

static inline hermes_value hermes_make_bool(bool value) {
    return hermes_make_(HERMES_TAG_BOOL, value ? 1 : 0, 0);
}

static inline hermes_value hermes_make_i64(int64_t value) {
    return hermes_make_(HERMES_TAG_I64, (uint64_t)value, 0);
}

static inline hermes_value hermes_make_u64(uint64_t value) {
    return hermes_make_(HERMES_TAG_U64, value, 0);
}

static inline hermes_value hermes_make_f64(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return hermes_make_(HERMES_TAG_F64, bits, 0);
}

/* Borrowed UTF-8. */
static inline hermes_value hermes_make_str(hermes_str text) {
    return hermes_make_(HERMES_TAG_STR, (uint64_t)(uintptr_t)text.ptr, text.len);
}

/* In an answer: a host that does not know the field must treat the answer as a fault. */
static inline hermes_value hermes_must_understand(hermes_value value) {
    value.flags = (hermes_value_flags)(value.flags | HERMES_VALUE_MUST_UNDERSTAND);
    return value;
}

/* ---- reading values ----------------------------------------------------------------------------
 *
 * Each checks the tag, and leaves *out alone when it answers false. NULL is read as absent.
 */

/* An object or array of the host. Nothing is copied before you ask for it. */
typedef struct hermes_tree {
    const void *handle;
    const hermes_tree_fns *fns;
} hermes_tree;

/* Whether the value is missing or null. */
static inline bool hermes_value_is_none(const hermes_value *value) {
    return value == NULL || value->tag == HERMES_TAG_ABSENT || value->tag == HERMES_TAG_NULL;
}

/* What a marked text stands for; HERMES_MARK_NONE for everything else. */
static inline hermes_mark hermes_value_mark(const hermes_value *value) {
    bool marked = value != NULL && value->tag == HERMES_TAG_STR && (value->flags & HERMES_VALUE_MARKED) != 0;
    return marked ? value->mark : HERMES_MARK_NONE;
}

/* The text, also when it stands for something else (see hermes_value_mark), but not the name of an opaque
 * object's type. Not terminated. */
static inline bool hermes_value_str(const hermes_value *value, hermes_str *out) {
    if (value == NULL || value->tag != HERMES_TAG_STR || value->b > (uint64_t)(SIZE_MAX / 2)) {
        return false;
    }
    if (hermes_value_mark(value) == HERMES_MARK_OPAQUE) {
        return false;
    }
    if (value->a == 0 && value->b != 0) {
        return false;
    }
    *out = hermes_strn((const char *)(uintptr_t)value->a, (size_t)value->b);
    return true;
}

/* The text unless it is empty: hosts send "" for "no id". */
static inline bool hermes_value_id(const hermes_value *value, hermes_str *out) {
    hermes_str text;
    if (!hermes_value_str(value, &text) || text.len == 0) {
        return false;
    }
    *out = text;
    return true;
}

/* The number, if it is whole and fits. */
static inline bool hermes_value_i64(const hermes_value *value, int64_t *out) {
    double number;
    if (value == NULL) {
        return false;
    }
    switch (value->tag) {
    case HERMES_TAG_I64:
        memcpy(out, &value->a, sizeof *out);
        return true;
    case HERMES_TAG_U64:
        if (value->a > (uint64_t)INT64_MAX) {
            return false;
        }
        *out = (int64_t)value->a;
        return true;
    case HERMES_TAG_F64:
        memcpy(&number, &value->a, sizeof number);
        if (!(number > -9.0e15 && number < 9.0e15) || (double)(int64_t)number != number) {
            return false;
        }
        *out = (int64_t)number;
        return true;
    default:
        return false;
    }
}

/* The number as a double, also nan, inf and -inf, which come as marked texts. */
static inline bool hermes_value_f64(const hermes_value *value, double *out) {
    int64_t number;
    hermes_str name;
    if (hermes_value_mark(value) == HERMES_MARK_FLOAT && hermes_value_str(value, &name)) {
        uint64_t bits = hermes_str_eq(name, "nan") ? UINT64_C(0x7FF8000000000000)
            : hermes_str_eq(name, "inf") ? UINT64_C(0x7FF0000000000000)
            : hermes_str_eq(name, "-inf") ? UINT64_C(0xFFF0000000000000) : 0;
        if (bits == 0) {
            return false;
        }
        memcpy(out, &bits, sizeof *out);
        return true;
    }
    if (value != NULL && value->tag == HERMES_TAG_F64) {
        memcpy(out, &value->a, sizeof *out);
        return true;
    }
    if (value != NULL && value->tag == HERMES_TAG_U64) {
        *out = (double)value->a;
        return true;
    }
    if (!hermes_value_i64(value, &number)) {
        return false;
    }
    *out = (double)number;
    return true;
}

static inline bool hermes_value_bool(const hermes_value *value, bool *out) {
    if (value == NULL || value->tag != HERMES_TAG_BOOL) {
        return false;
    }
    *out = value->a != 0;
    return true;
}

/* The object or array. */
static inline bool hermes_value_tree(const hermes_value *value, hermes_tree *out) {
    if (value == NULL || value->tag != HERMES_TAG_TREE || value->b == 0) {
        return false;
    }
    out->handle = (const void *)(uintptr_t)value->a;
    out->fns = (const hermes_tree_fns *)(uintptr_t)value->b;
    return true;
}

/* The kind and number of a live object of the host. */
static inline bool hermes_value_handle(const hermes_value *value, hermes_handle_kind *kind, uint64_t *number) {
    if (value == NULL || value->tag != HERMES_TAG_HANDLE) {
        return false;
    }
    *kind = value->a;
    *number = value->b;
    return true;
}

/* ---- objects and arrays ------------------------------------------------------------------------ */

static inline bool hermes_tree_is_array(hermes_tree tree) {
    return HERMES_HAS(hermes_tree_fns, tree.fns, kind) && tree.fns->kind(tree.handle) == HERMES_TREE_ARRAY;
}

/* How many keys or elements it has; 0 when the host cannot say. */
static inline uint64_t hermes_tree_len(hermes_tree tree) {
    uint64_t len = 0;
    if (!HERMES_HAS(hermes_tree_fns, tree.fns, len) || tree.fns->len(tree.handle, &len) != HERMES_LOOKUP_FOUND) {
        return 0;
    }
    return len;
}

/* The value of a key. */
static inline bool hermes_tree_get(hermes_tree tree, const char *key, hermes_value *out) {
    hermes_value value = hermes_make_absent();
    if (!HERMES_HAS(hermes_tree_fns, tree.fns, get)
        || tree.fns->get(tree.handle, hermes_strz(key), &value) != HERMES_LOOKUP_FOUND) {
        return false;
    }
    *out = value;
    return true;
}

/* The element at an index. */
static inline bool hermes_tree_at(hermes_tree tree, uint64_t index, hermes_value *out) {
    hermes_value value = hermes_make_absent();
    if (!HERMES_HAS(hermes_tree_fns, tree.fns, at)
        || tree.fns->at(tree.handle, index, &value) != HERMES_LOOKUP_FOUND) {
        return false;
    }
    *out = value;
    return true;
}

/* The next key (empty in an array) and value; false at the end. *cursor begins at 0. */
static inline bool hermes_tree_next(hermes_tree tree, uint64_t *cursor, hermes_str *key, hermes_value *out) {
    *key = hermes_strn(NULL, 0);
    *out = hermes_make_absent();
    return HERMES_HAS(hermes_tree_fns, tree.fns, next)
        && tree.fns->next(tree.handle, cursor, key, out) == HERMES_LOOKUP_FOUND;
}

static inline bool hermes_tree_str(hermes_tree tree, const char *key, hermes_str *out) {
    hermes_value value;
    return hermes_tree_get(tree, key, &value) && hermes_value_str(&value, out);
}

static inline bool hermes_tree_i64(hermes_tree tree, const char *key, int64_t *out) {
    hermes_value value;
    return hermes_tree_get(tree, key, &value) && hermes_value_i64(&value, out);
}

static inline bool hermes_tree_f64(hermes_tree tree, const char *key, double *out) {
    hermes_value value;
    return hermes_tree_get(tree, key, &value) && hermes_value_f64(&value, out);
}

static inline bool hermes_tree_bool(hermes_tree tree, const char *key, bool *out) {
    hermes_value value;
    return hermes_tree_get(tree, key, &value) && hermes_value_bool(&value, out);
}

static inline bool hermes_tree_tree(hermes_tree tree, const char *key, hermes_tree *out) {
    hermes_value value;
    return hermes_tree_get(tree, key, &value) && hermes_value_tree(&value, out);
}

/* ---- events ------------------------------------------------------------------------------------ */

/* A field by its number, or NULL when the host did not send it. Good as long as the call. */
static inline const hermes_value *hermes_event_field(const hermes_call *call, uint32_t field) {
    const hermes_event *event = call->event;
    if (event == NULL || event->fields == NULL || field >= event->count) {
        return NULL;
    }
    return &event->fields[field];
}

static inline bool hermes_event_str(const hermes_call *call, uint32_t field, hermes_str *out) {
    return hermes_value_str(hermes_event_field(call, field), out);
}

static inline bool hermes_event_id(const hermes_call *call, uint32_t field, hermes_str *out) {
    return hermes_value_id(hermes_event_field(call, field), out);
}

static inline bool hermes_event_i64(const hermes_call *call, uint32_t field, int64_t *out) {
    return hermes_value_i64(hermes_event_field(call, field), out);
}

static inline bool hermes_event_f64(const hermes_call *call, uint32_t field, double *out) {
    return hermes_value_f64(hermes_event_field(call, field), out);
}

static inline bool hermes_event_bool(const hermes_call *call, uint32_t field, bool *out) {
    return hermes_value_bool(hermes_event_field(call, field), out);
}

static inline bool hermes_event_tree(const hermes_call *call, uint32_t field, hermes_tree *out) {
    return hermes_value_tree(hermes_event_field(call, field), out);
}

/* Everything the catalogue does not know, or the whole payload of an unknown hook. */
static inline bool hermes_event_extra(const hermes_call *call, hermes_tree *out) {
    return call->event != NULL && hermes_value_tree(&call->event->extra, out);
}

/* ---- answers -----------------------------------------------------------------------------------
 *
 * The host copies at once. HERMES_ANSWER_WHOLE as the field makes the answer *be* the value, which is how
 * the transform_* hooks and tools are answered. Codes may be joined with |: the sum is HERMES_ANSWER_OK
 * only if each is. End a handler that answered with: return hermes_answered(call, codes);
 */

/* Sets a field. */
static inline hermes_answer_code hermes_answer(const hermes_call *call, uint32_t field, hermes_value value) {
    if (!HERMES_HAS(hermes_call_fns, call->fns, set)) {
        return HERMES_ANSWER_UNSUPPORTED;
    }
    return call->fns->set(call, field, &value);
}

static inline hermes_answer_code hermes_answer_strn(const hermes_call *call, uint32_t field, hermes_str text) {
    return hermes_answer(call, field, hermes_make_str(text));
}

static inline hermes_answer_code hermes_answer_str(const hermes_call *call, uint32_t field, const char *text) {
    return hermes_answer(call, field, hermes_make_str(hermes_strz(text)));
}

static inline hermes_answer_code hermes_answer_bool(const hermes_call *call, uint32_t field, bool value) {
    return hermes_answer(call, field, hermes_make_bool(value));
}

static inline hermes_answer_code hermes_answer_i64(const hermes_call *call, uint32_t field, int64_t value) {
    return hermes_answer(call, field, hermes_make_i64(value));
}

static inline hermes_answer_code hermes_answer_f64(const hermes_call *call, uint32_t field, double value) {
    return hermes_answer(call, field, hermes_make_f64(value));
}

/* Sets a field from JSON text. */
static inline hermes_answer_code hermes_answer_json(const hermes_call *call, uint32_t field, hermes_str json) {
    if (!HERMES_HAS(hermes_call_fns, call->fns, set_json)) {
        return HERMES_ANSWER_UNSUPPORTED;
    }
    return call->fns->set_json(call, field, json);
}

/* Sets a member that the catalogue has no number for. */
static inline hermes_answer_code hermes_answer_named(const hermes_call *call, const char *key, hermes_value value) {
    if (!HERMES_HAS(hermes_call_fns, call->fns, set_named)) {
        return HERMES_ANSWER_UNSUPPORTED;
    }
    return call->fns->set_named(call, hermes_strz(key), &value);
}

/* Opens an object in a field, in the whole answer, or in what is open (field then means nothing). */
static inline hermes_answer_code hermes_answer_begin_object(const hermes_call *call, uint32_t field) {
    if (!HERMES_HAS(hermes_call_fns, call->fns, begin_object)) {
        return HERMES_ANSWER_UNSUPPORTED;
    }
    return call->fns->begin_object(call, field);
}

/* Opens an array, likewise. */
static inline hermes_answer_code hermes_answer_begin_array(const hermes_call *call, uint32_t field) {
    if (!HERMES_HAS(hermes_call_fns, call->fns, begin_array)) {
        return HERMES_ANSWER_UNSUPPORTED;
    }
    return call->fns->begin_array(call, field);
}

/* Names the next member of the open object. */
static inline hermes_answer_code hermes_answer_key(const hermes_call *call, const char *key) {
    if (!HERMES_HAS(hermes_call_fns, call->fns, key)) {
        return HERMES_ANSWER_UNSUPPORTED;
    }
    return call->fns->key(call, hermes_strz(key));
}

/* Adds a value to what is open. */
static inline hermes_answer_code hermes_answer_value(const hermes_call *call, hermes_value value) {
    if (!HERMES_HAS(hermes_call_fns, call->fns, value)) {
        return HERMES_ANSWER_UNSUPPORTED;
    }
    return call->fns->value(call, &value);
}

/* Names and adds a member of the open object. */
static inline hermes_answer_code hermes_answer_member(const hermes_call *call, const char *key, hermes_value value) {
    hermes_answer_code code = hermes_answer_key(call, key);
    return code != HERMES_ANSWER_OK ? code : hermes_answer_value(call, value);
}

/* Closes what was opened last. */
static inline hermes_answer_code hermes_answer_end(const hermes_call *call) {
    if (!HERMES_HAS(hermes_call_fns, call->fns, end)) {
        return HERMES_ANSWER_UNSUPPORTED;
    }
    return call->fns->end(call);
}

/* Hands a handler over, e.g. for the decision of an approval. Unless OK it stays yours. */
static inline hermes_answer_code hermes_answer_handler(
    const hermes_call *call, uint32_t field, const hermes_handler *handler) {
    if (!HERMES_HAS(hermes_call_fns, call->fns, set_handler)) {
        return HERMES_ANSWER_UNSUPPORTED;
    }
    return call->fns->set_handler(call, field, handler);
}

/* ---- failing ----------------------------------------------------------------------------------- */

static inline hermes_failure hermes_failure_(const char *text, const char *file, uint32_t line) {
    hermes_failure failure;
    memset(&failure, 0, sizeof failure);
    failure.size = (uint32_t)sizeof failure;
    failure.kind = HERMES_FAILURE_ERROR;
    failure.text = hermes_strz(text);
    failure.file = hermes_strz(file);
    failure.line = line;
    return failure;
}

static inline hermes_status hermes_fail_at(const hermes_call *call, const char *text, const char *file, uint32_t line) {
    hermes_failure failure = hermes_failure_(text, file, line);
    if (HERMES_HAS(hermes_call_fns, call->fns, fail)) {
        (void)call->fns->fail(call, &failure);
    }
    return HERMES_STATUS_ERROR;
}

/* Ends a handler that failed: return hermes_fail(call, "why"); */
#define hermes_fail(call, text) hermes_fail_at((call), (text), __FILE__, (uint32_t)__LINE__)

static inline hermes_status hermes_answered_at(
    const hermes_call *call, hermes_answer_code codes, const char *file, uint32_t line) {
    if (codes == HERMES_ANSWER_OK) {
        return HERMES_STATUS_ANSWERED;
    }
    return hermes_fail_at(call, "the host did not take the answer", file, line);
}

/* Ends a handler that answered; a failure when the host did not take all of it. */
#define hermes_answered(call, codes) hermes_answered_at((call), (codes), __FILE__, (uint32_t)__LINE__)

/* ---- calls that outlive their handler ------------------------------------------------------------ */

/* Nanoseconds left of the budget, 0 when it is used up, UINT64_MAX when there is none. */
static inline uint64_t hermes_deadline(const hermes_call *call) {
    return HERMES_HAS(hermes_call_fns, call->fns, deadline) ? call->fns->deadline(call) : UINT64_MAX;
}

/* Whether nobody waits for the answer any more. */
static inline bool hermes_cancelled(const hermes_call *call) {
    return HERMES_HAS(hermes_call_fns, call->fns, cancelled) && call->fns->cancelled(call) != 0;
}

/* A call that is good on any thread until hermes_release; NULL when this one is over. */
static inline const hermes_call *hermes_retain(const hermes_call *call) {
    return HERMES_HAS(hermes_call_fns, call->fns, retain) ? call->fns->retain(call) : NULL;
}

static inline void hermes_release(const hermes_call *call) {
    if (call != NULL && HERMES_HAS(hermes_call_fns, call->fns, release)) {
        call->fns->release(call);
    }
}

/* Hands the future over; then return HERMES_STATUS_PENDING. Unless OK it stays yours. */
static inline hermes_answer_code hermes_pend(const hermes_call *call, const hermes_future *future) {
    if (!HERMES_HAS(hermes_call_fns, call->fns, pend)) {
        return HERMES_ANSWER_UNSUPPORTED;
    }
    return call->fns->pend(call, future);
}

/* A waker to keep, from one that was lent. Its data is NULL when the host could not make one. */
static inline hermes_waker hermes_waker_clone(const hermes_waker *waker) {
    hermes_waker kept = *waker;
    kept.data = HERMES_HAS(hermes_waker_fns, waker->fns, clone) ? waker->fns->clone(waker->data) : NULL;
    return kept;
}

/* Asks the host to poll again. */
static inline void hermes_waker_wake(const hermes_waker *waker) {
    if (waker->data != NULL && HERMES_HAS(hermes_waker_fns, waker->fns, wake)) {
        waker->fns->wake(waker->data);
    }
}

/* Frees a waker that hermes_waker_clone gave. */
static inline void hermes_waker_drop(hermes_waker *waker) {
    if (waker->data != NULL && HERMES_HAS(hermes_waker_fns, waker->fns, drop)) {
        waker->fns->drop(waker->data);
        waker->data = NULL;
    }
}

/* ---- the host ---------------------------------------------------------------------------------- */

/* The host as one instance sees it. Keep it, copy it, use it on any thread: once the instance is over every
 * function answers HERMES_SERVICE_GONE. */
typedef struct hermes_host {
    uint64_t instance;
    const hermes_services *services;
} hermes_host;

/* What create was handed. */
static inline hermes_host hermes_host_of(const hermes_create_args *args) {
    hermes_host host;
    host.instance = args->instance;
    host.services = args->services;
    return host;
}

static inline hermes_status hermes_host_fail_at(hermes_host host, const char *text, const char *file, uint32_t line) {
    hermes_failure failure = hermes_failure_(text, file, line);
    if (HERMES_HAS(hermes_services, host.services, fail)) {
        (void)host.services->fail(host.instance, &failure);
    }
    return HERMES_STATUS_ERROR;
}

/* Ends create or register when it failed: return hermes_host_fail(host, "why"); */
#define hermes_host_fail(host, text) hermes_host_fail_at((host), (text), __FILE__, (uint32_t)__LINE__)

/* Whether anybody listens to records of this level. */
static inline bool hermes_log_enabled(hermes_host host, hermes_level level) {
    return HERMES_HAS(hermes_services, host.services, log_level)
        && host.services->log_level(host.instance) >= level;
}

static inline void hermes_log_at(
    hermes_host host, hermes_level level, hermes_str text, const hermes_log_field *fields, uint32_t count,
    const char *target, const char *file, uint32_t line) {
    hermes_log_record record;
    if (!hermes_log_enabled(host, level) || !HERMES_HAS(hermes_services, host.services, log)) {
        return;
    }
    memset(&record, 0, sizeof record);
    record.size = (uint32_t)sizeof record;
    record.level = level;
    record.target = hermes_strz(target);
    record.message = text;
    record.file = hermes_strz(file);
    record.line = line;
    record.fields = fields;
    record.fields_count = count;
    record.fields_stride = (uint32_t)sizeof(hermes_log_field);
    (void)host.services->log(host.instance, &record);
}

/* Puts a text into the host's log: hermes_log(host, HERMES_LEVEL_INFO, "ready"); */
#define hermes_log(host, level, text) \
    hermes_log_at((host), (level), hermes_strz(text), NULL, 0, __func__, __FILE__, (uint32_t)__LINE__)

/* The same with named values, an array of hermes_log_field. */
#define hermes_log_fields(host, level, text, fields, count) \
    hermes_log_at((host), (level), hermes_strz(text), (fields), (count), __func__, __FILE__, (uint32_t)__LINE__)

static inline hermes_log_field hermes_log_value(const char *name, const hermes_value *value) {
    hermes_log_field field;
    field.name = hermes_strz(name);
    field.value = value != NULL ? *value : hermes_make_null();
    return field;
}

/* ---- text of unknown length ---------------------------------------------------------------------- */

/* Memory of yours that the host writes into. Always terminated; len counts what would have been written,
 * so that text was cut exactly when len >= capacity. */
typedef struct hermes_buffer {
    char *data;
    size_t capacity;
    size_t len;
} hermes_buffer;

static inline hermes_buffer hermes_buffer_of(char *data, size_t capacity) {
    hermes_buffer buffer;
    buffer.data = data;
    buffer.capacity = capacity;
    buffer.len = 0;
    if (capacity > 0) {
        data[0] = '\0';
    }
    return buffer;
}

/* What is in the buffer. */
static inline hermes_str hermes_buffer_str(const hermes_buffer *buffer) {
    size_t room = buffer->capacity > 0 ? buffer->capacity - 1 : 0;
    return hermes_strn(buffer->data, buffer->len < room ? buffer->len : room);
}

static inline uint32_t hermes_buffer_write_(void *state, hermes_str piece) {
    hermes_buffer *buffer = (hermes_buffer *)state;
    if (buffer->len + 1 < buffer->capacity && piece.len > 0) {
        size_t room = buffer->capacity - 1 - buffer->len;
        size_t part = piece.len < room ? piece.len : room;
        memcpy(buffer->data + buffer->len, piece.ptr, part);
        buffer->data[buffer->len + part] = '\0';
    }
    buffer->len += piece.len;
    return 0;
}

static inline hermes_sink hermes_buffer_sink(hermes_buffer *buffer) {
    hermes_sink sink;
    memset(&sink, 0, sizeof sink);
    sink.size = (uint32_t)sizeof sink;
    sink.state = buffer;
    sink.write = hermes_buffer_write_;
    return sink;
}

static inline hermes_service_code hermes_buffer_fits_(const hermes_buffer *buffer, hermes_service_code code) {
    return code == HERMES_SERVICE_OK && buffer->len >= buffer->capacity ? HERMES_SERVICE_FAILED : code;
}

/* The plugin's configuration (plugins.entries.<name>.config) as JSON. FAILED when the buffer is too small. */
static inline hermes_service_code hermes_config(hermes_host host, hermes_buffer *buffer) {
    hermes_sink sink = hermes_buffer_sink(buffer);
    if (!HERMES_HAS(hermes_services, host.services, config)) {
        return HERMES_SERVICE_UNSUPPORTED;
    }
    return hermes_buffer_fits_(buffer, host.services->config(host.instance, &sink));
}

/* The path of the plugin's data directory, which exists. FAILED when the buffer is too small. */
static inline hermes_service_code hermes_data_dir(hermes_host host, hermes_buffer *buffer) {
    hermes_sink sink = hermes_buffer_sink(buffer);
    if (!HERMES_HAS(hermes_services, host.services, data_dir)) {
        return HERMES_SERVICE_UNSUPPORTED;
    }
    return hermes_buffer_fits_(buffer, host.services->data_dir(host.instance, &sink));
}

/* A tree as JSON. */
static inline bool hermes_tree_json(hermes_tree tree, hermes_buffer *buffer) {
    hermes_sink sink = hermes_buffer_sink(buffer);
    return HERMES_HAS(hermes_tree_fns, tree.fns, to_json)
        && tree.fns->to_json(tree.handle, &sink) == HERMES_LOOKUP_FOUND && buffer->len < buffer->capacity;
}

/* Fires an event from inside a call, or from nowhere when parent is NULL. The outcome is JSON. */
static inline hermes_service_code hermes_fire(
    hermes_host host, const hermes_call *parent, const char *hook, const char *payload_json, hermes_buffer *outcome) {
    hermes_sink sink = hermes_buffer_sink(outcome);
    if (!HERMES_HAS(hermes_services, host.services, fire)) {
        return HERMES_SERVICE_UNSUPPORTED;
    }
    return hermes_buffer_fits_(outcome,
        host.services->fire(host.instance, parent, hermes_strz(hook), hermes_strz(payload_json), &sink));
}

/* ---- live objects ---------------------------------------------------------------------------------
 *
 * Good on the thread of the handler, with the call it was given, until it returns; everywhere else GONE.
 * When they answer FAILED or INVALID the buffer holds the reason.
 */

/* The name of the interface for sending and for transcripts. */
#define HERMES_GATEWAY_EXTENSION "hermes.gateway/1"
/* The name of the interface for what a middleware wraps. */
#define HERMES_MIDDLEWARE_EXTENSION "hermes.middleware/1"

static inline const void *hermes_extension_(hermes_host host, const char *name) {
    return HERMES_HAS(hermes_services, host.services, get_extension)
        ? host.services->get_extension(host.instance, hermes_strz(name)) : NULL;
}

/* The number of the live object of this kind that the event carries. */
static inline bool hermes_event_live_(const hermes_call *call, hermes_handle_kind wanted, uint64_t *number) {
    hermes_handle_kind kind;
    uint32_t field;
    for (field = 0; call->event != NULL && field < call->event->count; field++) {
        if (hermes_value_handle(hermes_event_field(call, field), &kind, number) && kind == wanted) {
            return true;
        }
    }
    return false;
}

/* Sends by way of the gateway of a HERMES_PRE_GATEWAY_DISPATCH event: platform, chat_id, text, and perhaps
 * thread_id and reply_to, as a JSON object. The receipt is JSON. */
static inline hermes_service_code hermes_gateway_send(
    hermes_host host, const hermes_call *call, const char *message_json, hermes_buffer *receipt) {
    const hermes_gateway_fns *fns =
        (const hermes_gateway_fns *)hermes_extension_(host, HERMES_GATEWAY_EXTENSION);
    hermes_sink sink = hermes_buffer_sink(receipt);
    uint64_t number;
    if (!HERMES_HAS(hermes_gateway_fns, fns, send)
        || !hermes_event_live_(call, HERMES_HANDLE_KIND_GATEWAY, &number)) {
        return HERMES_SERVICE_UNSUPPORTED;
    }
    return hermes_buffer_fits_(receipt, fns->send(
        host.instance, call, HERMES_HANDLE_KIND_GATEWAY, number, hermes_strz(message_json), &sink));
}

/* Appends to the transcript of a session, likewise: session_key, role and content as a JSON object. */
static inline hermes_service_code hermes_append_to_transcript(
    hermes_host host, const hermes_call *call, const char *entry_json, hermes_buffer *reason) {
    const hermes_gateway_fns *fns =
        (const hermes_gateway_fns *)hermes_extension_(host, HERMES_GATEWAY_EXTENSION);
    hermes_sink sink = hermes_buffer_sink(reason);
    uint64_t number;
    if (!HERMES_HAS(hermes_gateway_fns, fns, append_to_transcript)
        || !hermes_event_live_(call, HERMES_HANDLE_KIND_SESSION_STORE, &number)) {
        return HERMES_SERVICE_UNSUPPORTED;
    }
    return fns->append_to_transcript(
        host.instance, call, HERMES_HANDLE_KIND_SESSION_STORE, number, hermes_strz(entry_json), &sink);
}

/* Calls what a middleware of an execution kind wraps, once: with another payload (a JSON object), or with its
 * own when that is NULL. The result is JSON. */
static inline hermes_service_code hermes_next(
    hermes_host host, const hermes_call *call, const char *payload_json, hermes_buffer *result) {
    const hermes_middleware_fns *fns =
        (const hermes_middleware_fns *)hermes_extension_(host, HERMES_MIDDLEWARE_EXTENSION);
    hermes_sink sink = hermes_buffer_sink(result);
    if (!HERMES_HAS(hermes_middleware_fns, fns, next)) {
        return HERMES_SERVICE_UNSUPPORTED;
    }
    return hermes_buffer_fits_(result, fns->next(host.instance, call, hermes_strz(payload_json), &sink));
}

/* ---- a little JSON -------------------------------------------------------------------------------- */

static inline size_t hermes_json_space_(hermes_str json, size_t at) {
    while (at < json.len && memchr(" \t\r\n", json.ptr[at], 4) != NULL) {
        at++;
    }
    return at;
}

/* Behind the value or key that begins at `at`. */
static inline size_t hermes_json_end_(hermes_str json, size_t at) {
    size_t depth = 0;
    for (; at < json.len; at++) {
        char c = json.ptr[at];
        if (c == '"') {
            for (at++; at < json.len && json.ptr[at] != '"'; at++) {
                if (json.ptr[at] == '\\') {
                    at++;
                }
            }
        } else if (c == '{' || c == '[') {
            depth++;
        } else if (depth > 0 && (c == '}' || c == ']')) {
            depth--;
        } else if (depth == 0 && memchr(",:}] \t\r\n", c, 8) != NULL) {
            return at;
        }
    }
    return json.len;
}

/* Finds a member of a JSON object that came from the host. *raw is its text as it stands there: "text" with
 * its quotes and escapes, true, 12, [1,2]. hermes_answer_json takes it as it is. */
static inline bool hermes_json_member(hermes_str object, const char *key, hermes_str *raw) {
    size_t at = hermes_json_space_(object, 0);
    size_t len = strlen(key);
    if (at >= object.len || object.ptr[at] != '{') {
        return false;
    }
    at = hermes_json_space_(object, at + 1);
    while (at < object.len && object.ptr[at] == '"') {
        size_t end = hermes_json_end_(object, at);
        bool found = end - at == len + 2 && memcmp(object.ptr + at + 1, key, len) == 0;
        at = hermes_json_space_(object, end);
        if (at >= object.len || object.ptr[at] != ':') {
            return false;
        }
        at = hermes_json_space_(object, at + 1);
        end = hermes_json_end_(object, at);
        if (found) {
            *raw = hermes_strn(object.ptr + at, end - at);
            return end > at;
        }
        at = hermes_json_space_(object, end);
        if (at >= object.len || object.ptr[at] != ',') {
            return false;
        }
        at = hermes_json_space_(object, at + 1);
    }
    return false;
}

/* ---- registering --------------------------------------------------------------------------------- */

/* Judges one event. Handlers, tools, timers and callbacks have this one shape. */
typedef hermes_status (*hermes_judge)(void *state, const hermes_call *call);
/* Frees the state of a handler. */
typedef void (*hermes_dropper)(void *state);

/* A handler; drop may be NULL. */
static inline hermes_handler hermes_make_handler(hermes_judge judge, hermes_dropper drop, void *state) {
    hermes_handler handler;
    memset(&handler, 0, sizeof handler);
    handler.size = (uint32_t)sizeof handler;
    handler.state = state;
    handler.call = judge;
    handler.drop = drop;
    return handler;
}

/* A registration for a hook by name; 0 fields for a hook that this header does not know. */
static inline hermes_handler_spec hermes_spec(
    const char *hook, uint32_t field_count, hermes_judge judge, void *state) {
    hermes_handler_spec spec;
    memset(&spec, 0, sizeof spec);
    spec.size = (uint32_t)sizeof spec;
    spec.name = hermes_strz(hook);
    spec.handler = hermes_make_handler(judge, NULL, state);
    spec.field_count = field_count;
    return spec;
}

/* A registration for a hook of this header: HERMES_SPEC(PRE_TOOL_CALL, guard, state). */
#define HERMES_SPEC(hook, judge, state) hermes_spec(HERMES_##hook, HERMES_##hook##_FIELD_COUNT, (judge), (state))

/* Limits a registration to some tools. The names must live until hermes_on returns. */
static inline void hermes_spec_tools(hermes_handler_spec *spec, const hermes_str *tools, uint32_t count) {
    spec->tools = tools;
    spec->tools_count = count;
    spec->tools_stride = (uint32_t)sizeof(hermes_str);
}

/* Stages a registration; nothing is live before register returned HERMES_STATUS_NONE. *id may be NULL.
 * Unless OK the handler stays yours. */
static inline hermes_service_code hermes_on(
    const hermes_registrar *registrar, const hermes_handler_spec *spec, uint64_t *id) {
    if (!HERMES_HAS(hermes_registrar, registrar, on)) {
        return HERMES_SERVICE_UNSUPPORTED;
    }
    return registrar->on(registrar->instance, spec, id);
}

/* The name of the interface for tools. */
#define HERMES_TOOLS_EXTENSION "hermes.tools/1"
/* The name of the interface for what a plugin keeps with a call: hermes_call_slots. */
#define HERMES_CALLS_EXTENSION "hermes.calls/1"
/* The name under which a plugin may export hermes_log_fns. */
#define HERMES_LOG_EXTENSION "hermes.log/1"

/* Offers a tool: name, toolset, description and parameters (a JSON schema) as a JSON object. The handler is
 * called with HERMES_TOOL_EXECUTE events and answers with HERMES_ANSWER_WHOLE. Unless OK it stays yours. */
static inline hermes_service_code hermes_offer_tool(
    const hermes_registrar *registrar, const char *description, const hermes_handler *handler) {
    const hermes_json_tools *tools;
    if (!HERMES_HAS(hermes_registrar, registrar, get_extension)) {
        return HERMES_SERVICE_UNSUPPORTED;
    }
    tools = (const hermes_json_tools *)registrar->get_extension(
        registrar->instance, hermes_strz(HERMES_TOOLS_EXTENSION));
    if (!HERMES_HAS(hermes_json_tools, tools, register_)) {
        return HERMES_SERVICE_UNSUPPORTED;
    }
    return tools->register_(registrar->instance, hermes_strz(description), handler);
}

/* Says how the host can ask whether a tool can be used just now: the handler is called with HERMES_TOOL_CHECK
 * events and answers HERMES_ANSWER_WHOLE with a boolean. Unless OK it stays yours. */
static inline hermes_service_code hermes_offer_tool_check(
    const hermes_registrar *registrar, const char *name, const hermes_handler *handler) {
    const hermes_json_tools *tools;
    if (!HERMES_HAS(hermes_registrar, registrar, get_extension)) {
        return HERMES_SERVICE_UNSUPPORTED;
    }
    tools = (const hermes_json_tools *)registrar->get_extension(
        registrar->instance, hermes_strz(HERMES_TOOLS_EXTENSION));
    if (!HERMES_HAS(hermes_json_tools, tools, check)) {
        return HERMES_SERVICE_UNSUPPORTED;
    }
    return tools->check(registrar->instance, hermes_strz(name), handler);
}

/* ---- commands, skills, and the agent around the plugin ------------------------------------------- */

/* The names of the interfaces. */
#define HERMES_COMMANDS_EXTENSION "hermes.commands/1"
#define HERMES_SKILLS_EXTENSION "hermes.skills/1"
#define HERMES_AGENT_EXTENSION "hermes.agent/1"

/* The host's half of an interface, or NULL: it has none, or the instance is over. */
static inline const void *hermes_extension(hermes_host host, const char *name) {
    if (!HERMES_HAS(hermes_services, host.services, get_extension)) {
        return NULL;
    }
    return host.services->get_extension(host.instance, hermes_strz(name));
}

/* Offers a slash command: name, description and args_hint as a JSON object. The handler is called with
 * HERMES_COMMAND_EXECUTE events and answers with HERMES_ANSWER_WHOLE, or not at all. Call it in register.
 * INVALID: the host ignores the command, and its log says why; go on. Unless OK the handler stays yours. */
static inline hermes_service_code hermes_offer_command(
    hermes_host host, const char *description, const hermes_handler *handler) {
    const hermes_command_fns *fns =
        (const hermes_command_fns *)hermes_extension(host, HERMES_COMMANDS_EXTENSION);
    if (!HERMES_HAS(hermes_command_fns, fns, slash)) {
        return HERMES_SERVICE_UNSUPPORTED;
    }
    return fns->slash(host.instance, hermes_strz(description), handler);
}

/* Offers a sub-command of the terminal program: name, help and description as a JSON object. The handler is
 * called with HERMES_CLI_EXECUTE events and answers with _ANSWER_TEXT and _ANSWER_CODE. Otherwise as above. */
static inline hermes_service_code hermes_offer_cli_command(
    hermes_host host, const char *description, const hermes_handler *handler) {
    const hermes_command_fns *fns =
        (const hermes_command_fns *)hermes_extension(host, HERMES_COMMANDS_EXTENSION);
    if (!HERMES_HAS(hermes_command_fns, fns, cli)) {
        return HERMES_SERVICE_UNSUPPORTED;
    }
    return fns->cli(host.instance, hermes_strz(description), handler);
}

/* Offers a skill: name, path and description as a JSON object. A relative path begins in the plugin's
 * directory. Call it in register. Unless OK, why (may be NULL) is written the reason. */
static inline hermes_service_code hermes_offer_skill(hermes_host host, const char *description, hermes_buffer *why) {
    const hermes_skill_fns *fns = (const hermes_skill_fns *)hermes_extension(host, HERMES_SKILLS_EXTENSION);
    hermes_sink sink;
    if (!HERMES_HAS(hermes_skill_fns, fns, offer)) {
        return HERMES_SERVICE_UNSUPPORTED;
    }
    if (why == NULL) {
        return fns->offer(host.instance, hermes_strz(description), NULL);
    }
    sink = hermes_buffer_sink(why);
    return fns->offer(host.instance, hermes_strz(description), &sink);
}

/* Runs a tool, of a plugin or of the agent, and writes its result. Fires no hooks. The arguments are a JSON
 * object. A tool that fails, or that nobody has, gives a JSON object with an error. FAILED when the buffer is
 * too small. */
static inline hermes_service_code hermes_dispatch_tool(
    hermes_host host, const char *name, hermes_str args_json, hermes_buffer *result) {
    const hermes_agent_fns *fns = (const hermes_agent_fns *)hermes_extension(host, HERMES_AGENT_EXTENSION);
    hermes_sink sink = hermes_buffer_sink(result);
    if (!HERMES_HAS(hermes_agent_fns, fns, dispatch_tool)) {
        return HERMES_SERVICE_UNSUPPORTED;
    }
    return hermes_buffer_fits_(result, fns->dispatch_tool(host.instance, hermes_strz(name), args_json, &sink));
}

/* Hands the agent a message as if the user had typed it; false when it did not take it. role is "user", or a
 * word that is put before the text. */
static inline bool hermes_inject_message(hermes_host host, hermes_str content, const char *role) {
    uint32_t taken = 0;
    const hermes_agent_fns *fns = (const hermes_agent_fns *)hermes_extension(host, HERMES_AGENT_EXTENSION);
    if (!HERMES_HAS(hermes_agent_fns, fns, inject_message)) {
        return false;
    }
    return fns->inject_message(host.instance, content, hermes_strz(role), &taken) == HERMES_SERVICE_OK && taken != 0;
}

/* Writes the name of the active profile. */
static inline hermes_service_code hermes_profile_name(hermes_host host, hermes_buffer *buffer) {
    const hermes_agent_fns *fns = (const hermes_agent_fns *)hermes_extension(host, HERMES_AGENT_EXTENSION);
    hermes_sink sink = hermes_buffer_sink(buffer);
    if (!HERMES_HAS(hermes_agent_fns, fns, profile_name)) {
        return HERMES_SERVICE_UNSUPPORTED;
    }
    return hermes_buffer_fits_(buffer, fns->profile_name(host.instance, &sink));
}

/* Writes what the host read of this plugin, e.g. its path, as a JSON object. */
static inline hermes_service_code hermes_manifest(hermes_host host, hermes_buffer *buffer) {
    const hermes_agent_fns *fns = (const hermes_agent_fns *)hermes_extension(host, HERMES_AGENT_EXTENSION);
    hermes_sink sink = hermes_buffer_sink(buffer);
    if (!HERMES_HAS(hermes_agent_fns, fns, manifest)) {
        return HERMES_SERVICE_UNSUPPORTED;
    }
    return hermes_buffer_fits_(buffer, fns->manifest(host.instance, &sink));
}

/* Asks the agent's model; request and reply are JSON objects, see hermes_agent_fns. Unless OK, reply is
 * written the reason. */
static inline hermes_service_code hermes_complete(hermes_host host, hermes_str request_json, hermes_buffer *reply) {
    const hermes_agent_fns *fns = (const hermes_agent_fns *)hermes_extension(host, HERMES_AGENT_EXTENSION);
    hermes_sink sink = hermes_buffer_sink(reply);
    if (!HERMES_HAS(hermes_agent_fns, fns, complete)) {
        return HERMES_SERVICE_UNSUPPORTED;
    }
    return hermes_buffer_fits_(reply, fns->complete(host.instance, request_json, &sink));
}

/* ---- what a plugin keeps with a call --------------------------------------------------------------- */

/* Keeps a state with the call this thread handles; the host calls drop_ once, unless it is taken. */
static inline hermes_service_code hermes_attach(
    hermes_host host, const hermes_call *call, void *state, void (*drop_)(void *state)) {
    const hermes_call_slots *slots =
        (const hermes_call_slots *)hermes_extension(host, HERMES_CALLS_EXTENSION);
    hermes_handler kept;
    if (!HERMES_HAS(hermes_call_slots, slots, attach)) {
        return HERMES_SERVICE_UNSUPPORTED;
    }
    memset(&kept, 0, sizeof(kept));
    kept.size = (uint32_t)sizeof(kept);
    kept.state = state;
    kept.drop = drop_;
    return slots->attach(host.instance, call, &kept);
}

/* Takes back what hermes_attach kept with the call this thread handles; NULL when there is nothing. */
static inline void *hermes_take(hermes_host host, const hermes_call *call) {
    const hermes_call_slots *slots =
        (const hermes_call_slots *)hermes_extension(host, HERMES_CALLS_EXTENSION);
    hermes_handler kept;
    memset(&kept, 0, sizeof(kept));
    if (!HERMES_HAS(hermes_call_slots, slots, take) ||
        slots->take(host.instance, call, &kept) != HERMES_SERVICE_OK) {
        return NULL;
    }
    return kept.state;
}

/* ---- registrations and timers -------------------------------------------------------------------- */

/* Takes one registration out of the chain. */
static inline hermes_service_code hermes_unregister(hermes_host host, uint64_t id) {
    if (!HERMES_HAS(hermes_services, host.services, unregister)) {
        return HERMES_SERVICE_UNSUPPORTED;
    }
    return host.services->unregister(host.instance, id);
}

/* Calls the handler with a HERMES_TIMER event after delay_ms, then every period_ms unless that is 0. */
static inline hermes_service_code hermes_timer(
    hermes_host host, uint64_t delay_ms, uint64_t period_ms, const hermes_handler *handler, uint64_t *id) {
    if (!HERMES_HAS(hermes_services, host.services, timer)) {
        return HERMES_SERVICE_UNSUPPORTED;
    }
    return host.services->timer(host.instance, delay_ms, period_ms, handler, id);
}

static inline hermes_service_code hermes_cancel_timer(hermes_host host, uint64_t id) {
    if (!HERMES_HAS(hermes_services, host.services, cancel_timer)) {
        return HERMES_SERVICE_UNSUPPORTED;
    }
    return host.services->cancel_timer(host.instance, id);
}

/* ---- the plugin itself --------------------------------------------------------------------------- */

#if defined(_MSC_VER) && !defined(__clang__)
#pragma section(".hermes", read)
#define HERMES_EXPORT_ __declspec(dllexport)
#define HERMES_SECTION_ __declspec(allocate(".hermes"))
#elif defined(_WIN32)
#define HERMES_EXPORT_ __declspec(dllexport)
#define HERMES_SECTION_ __attribute__((used, section(".hermes")))
#elif defined(__APPLE__)
#define HERMES_EXPORT_ __attribute__((visibility("default")))
#define HERMES_SECTION_ __attribute__((used, section("__DATA,__hermes_plugin")))
#else
#define HERMES_EXPORT_ __attribute__((visibility("default")))
#define HERMES_SECTION_ __attribute__((used, section(".hermes_plugin")))
#endif

#if defined(__x86_64__) || defined(_M_X64)
#define HERMES_ARCH_ "x86_64"
#elif defined(__aarch64__) || defined(_M_ARM64)
#define HERMES_ARCH_ "aarch64"
#else
#define HERMES_ARCH_ "unknown"
#endif

#if defined(_WIN32)
#define HERMES_SYSTEM_ "pc-windows"
#elif defined(__APPLE__)
#define HERMES_SYSTEM_ "apple-darwin"
#elif defined(__linux__)
#define HERMES_SYSTEM_ "unknown-linux"
#else
#define HERMES_SYSTEM_ "unknown"
#endif

#if defined(__clang__)
#define HERMES_COMPILER_ "clang " __clang_version__
#elif defined(__GNUC__)
#define HERMES_COMPILER_ "gcc " __VERSION__
#else
#define HERMES_COMPILER_ "unknown"
#endif

#ifdef __cplusplus
#define HERMES_LANGUAGE_ "c++"
#else
#define HERMES_LANGUAGE_ "c"
#endif

#define HERMES_METADATA_                                    \
    "\"format\":" HERMES_METADATA_FORMAT_TEXT               \
    ",\"abi\":\"" HERMES_ABI_TEXT "\""                      \
    ",\"catalogue\":" HERMES_CATALOGUE_TEXT                 \
    ",\"sdk\":\"" HERMES_SDK_TEXT "\""                      \
    ",\"target\":\"" HERMES_ARCH_ "-" HERMES_SYSTEM_ "\""   \
    ",\"language\":\"" HERMES_LANGUAGE_ "\""                \
    ",\"compiler\":\"" HERMES_COMPILER_ "\""                \
    ",\"panic\":\"none\","

#define HERMES_MAGIC { 'H', 'E', 'R', 'M', 'E', 'S', '-', 'P', 'L', 'U', 'G', 'I', 'N', 0, 26, 10 }

/* The one symbol a plugin exports. */
extern HERMES_EXPORT_ const hermes_root hermes_plugin_v1;

/* The document stands in a section of its own, where a host reads it before it opens the library. The root
 * points to it, so that no linker throws it away. */
#define HERMES_ROOT_(create, register_, destroy, get_extension, document)                      \
    HERMES_SECTION_ static const char hermes_metadata_[] = "{" HERMES_METADATA_ document "}";  \
    const hermes_root hermes_plugin_v1 = {                                                   \
        { HERMES_MAGIC, (uint32_t)sizeof(hermes_header), HERMES_ABI_MAJOR, HERMES_ABI_MINOR,   \
          HERMES_CATALOGUE_REVISION, (uint32_t)(sizeof(void *) * 8), (uint32_t)sizeof(hermes_value), \
          (uint32_t)sizeof(hermes_root), 0, HERMES_ROOT_NO_PANIC },                            \
        create, register_, destroy, get_extension,                                             \
        { hermes_metadata_, sizeof hermes_metadata_ - 1 }                                      \
    }

/*
 * Makes this library a plugin. After the three functions (destroy may be NULL) come the members of its
 * metadata, as JSON; name and version must be there:
 *
 *     HERMES_PLUGIN(create, on_register, destroy,
 *         "name": "hello-c",
 *         "version": "0.1.0",
 *         "role": "guard",
 *         "hooks": ["pre_tool_call"],
 *         "requires": { "abi_minor": 0, "extensions": ["hermes.tools/1"] });
 *
 * role is guard, transform or observer. hooks names what it registers, and a host refuses a plugin that
 * declares a hook and does not register it. What a plugin requires, it is not loaded without.
 */
#define HERMES_PLUGIN(create, register_, destroy, ...) \
    HERMES_ROOT_(create, register_, destroy, NULL, #__VA_ARGS__)

/* The same with a function that exports extension interfaces, e.g. HERMES_LOG_EXTENSION. */
#define HERMES_PLUGIN_WITH_EXTENSIONS(create, register_, destroy, get_extension, ...) \
    HERMES_ROOT_(create, register_, destroy, get_extension, #__VA_ARGS__)

/* ---- the catalogue -------------------------------------------------------------------------------
 *
 * Per hook: its name, its number, how many fields it has, then the number of each field of its event and,
 * with _ANSWER_, of its answer. docs/hooks.md says what they mean.
 */

#define HERMES_PRE_TOOL_CALL "pre_tool_call"
#define HERMES_PRE_TOOL_CALL_HOOK 1u
#define HERMES_PRE_TOOL_CALL_FIELD_COUNT 9u
#define HERMES_PRE_TOOL_CALL_TOOL_NAME 0u /* str */
#define HERMES_PRE_TOOL_CALL_ARGS 1u /* obj */
#define HERMES_PRE_TOOL_CALL_TASK_ID 2u /* id */
#define HERMES_PRE_TOOL_CALL_SESSION_ID 3u /* id */
#define HERMES_PRE_TOOL_CALL_TOOL_CALL_ID 4u /* id */
#define HERMES_PRE_TOOL_CALL_TURN_ID 5u /* id */
#define HERMES_PRE_TOOL_CALL_API_REQUEST_ID 6u /* id */
#define HERMES_PRE_TOOL_CALL_MIDDLEWARE_TRACE 7u /* arr */
#define HERMES_PRE_TOOL_CALL_TELEMETRY_SCHEMA_VERSION 8u /* str|null */
#define HERMES_PRE_TOOL_CALL_ANSWER_ACTION 0u /* str|null */
#define HERMES_PRE_TOOL_CALL_ANSWER_MESSAGE 1u /* str|null */
#define HERMES_PRE_TOOL_CALL_ANSWER_RULE_KEY 2u /* str|null */
#define HERMES_PRE_TOOL_CALL_ANSWER_ARGS 3u /* obj|null */

#define HERMES_POST_TOOL_CALL "post_tool_call"
#define HERMES_POST_TOOL_CALL_HOOK 2u
#define HERMES_POST_TOOL_CALL_FIELD_COUNT 14u
#define HERMES_POST_TOOL_CALL_TOOL_NAME 0u /* str */
#define HERMES_POST_TOOL_CALL_ARGS 1u /* obj */
#define HERMES_POST_TOOL_CALL_TASK_ID 2u /* id */
#define HERMES_POST_TOOL_CALL_RESULT 3u /* any */
#define HERMES_POST_TOOL_CALL_DURATION_MS 4u /* int */
#define HERMES_POST_TOOL_CALL_SESSION_ID 5u /* id */
#define HERMES_POST_TOOL_CALL_TOOL_CALL_ID 6u /* id */
#define HERMES_POST_TOOL_CALL_TURN_ID 7u /* id */
#define HERMES_POST_TOOL_CALL_API_REQUEST_ID 8u /* id */
#define HERMES_POST_TOOL_CALL_STATUS 9u /* str|null */
#define HERMES_POST_TOOL_CALL_ERROR_TYPE 10u /* str|null */
#define HERMES_POST_TOOL_CALL_ERROR_MESSAGE 11u /* str|null */
#define HERMES_POST_TOOL_CALL_MIDDLEWARE_TRACE 12u /* arr */
#define HERMES_POST_TOOL_CALL_TELEMETRY_SCHEMA_VERSION 13u /* str|null */

#define HERMES_TRANSFORM_TOOL_RESULT "transform_tool_result"
#define HERMES_TRANSFORM_TOOL_RESULT_HOOK 3u
#define HERMES_TRANSFORM_TOOL_RESULT_FIELD_COUNT 14u
#define HERMES_TRANSFORM_TOOL_RESULT_TOOL_NAME 0u /* str */
#define HERMES_TRANSFORM_TOOL_RESULT_ARGS 1u /* obj */
#define HERMES_TRANSFORM_TOOL_RESULT_ARGUMENTS 2u /* obj */
#define HERMES_TRANSFORM_TOOL_RESULT_RESULT 3u /* str */
#define HERMES_TRANSFORM_TOOL_RESULT_TASK_ID 4u /* id */
#define HERMES_TRANSFORM_TOOL_RESULT_SESSION_ID 5u /* id */
#define HERMES_TRANSFORM_TOOL_RESULT_TOOL_CALL_ID 6u /* id */
#define HERMES_TRANSFORM_TOOL_RESULT_DURATION_MS 7u /* int */
#define HERMES_TRANSFORM_TOOL_RESULT_TURN_ID 8u /* id */
#define HERMES_TRANSFORM_TOOL_RESULT_API_REQUEST_ID 9u /* id */
#define HERMES_TRANSFORM_TOOL_RESULT_STATUS 10u /* str|null */
#define HERMES_TRANSFORM_TOOL_RESULT_ERROR_TYPE 11u /* str|null */
#define HERMES_TRANSFORM_TOOL_RESULT_ERROR_MESSAGE 12u /* str|null */
#define HERMES_TRANSFORM_TOOL_RESULT_TELEMETRY_SCHEMA_VERSION 13u /* str|null */
#define HERMES_TRANSFORM_TOOL_RESULT_ANSWER_TEXT 0u /* str|null */

#define HERMES_TRANSFORM_TERMINAL_OUTPUT "transform_terminal_output"
#define HERMES_TRANSFORM_TERMINAL_OUTPUT_HOOK 4u
#define HERMES_TRANSFORM_TERMINAL_OUTPUT_FIELD_COUNT 8u
#define HERMES_TRANSFORM_TERMINAL_OUTPUT_COMMAND 0u /* str */
#define HERMES_TRANSFORM_TERMINAL_OUTPUT_OUTPUT 1u /* str */
#define HERMES_TRANSFORM_TERMINAL_OUTPUT_EXIT_CODE 2u /* int */
#define HERMES_TRANSFORM_TERMINAL_OUTPUT_RETURNCODE 3u /* int */
#define HERMES_TRANSFORM_TERMINAL_OUTPUT_CWD 4u /* str|null */
#define HERMES_TRANSFORM_TERMINAL_OUTPUT_TASK_ID 5u /* id */
#define HERMES_TRANSFORM_TERMINAL_OUTPUT_ENV_TYPE 6u /* str|null */
#define HERMES_TRANSFORM_TERMINAL_OUTPUT_TELEMETRY_SCHEMA_VERSION 7u /* str|null */
#define HERMES_TRANSFORM_TERMINAL_OUTPUT_ANSWER_TEXT 0u /* str|null */

#define HERMES_BEFORE_TOOL_CALL "before_tool_call"
#define HERMES_BEFORE_TOOL_CALL_HOOK 100u
#define HERMES_BEFORE_TOOL_CALL_FIELD_COUNT 14u
#define HERMES_BEFORE_TOOL_CALL_TOOL_NAME 0u /* str */
#define HERMES_BEFORE_TOOL_CALL_PARAMS 1u /* obj */
#define HERMES_BEFORE_TOOL_CALL_RUN_ID 2u /* id */
#define HERMES_BEFORE_TOOL_CALL_TOOL_CALL_ID 3u /* id */
#define HERMES_BEFORE_TOOL_CALL_DERIVED_PATHS 4u /* arr */
#define HERMES_BEFORE_TOOL_CALL_TOOL_KIND 5u /* str|null */
#define HERMES_BEFORE_TOOL_CALL_TOOL_INPUT_KIND 6u /* str|null */
#define HERMES_BEFORE_TOOL_CALL_AGENT_ID 7u /* id */
#define HERMES_BEFORE_TOOL_CALL_SESSION_KEY 8u /* id */
#define HERMES_BEFORE_TOOL_CALL_SESSION_ID 9u /* id */
#define HERMES_BEFORE_TOOL_CALL_CHANNEL_ID 10u /* id */
#define HERMES_BEFORE_TOOL_CALL_TRACE 11u /* obj|null */
#define HERMES_BEFORE_TOOL_CALL_JOB_ID 12u /* id */
#define HERMES_BEFORE_TOOL_CALL_REQUESTER 13u /* obj|null */
#define HERMES_BEFORE_TOOL_CALL_ANSWER_PARAMS 0u /* obj|null */
#define HERMES_BEFORE_TOOL_CALL_ANSWER_BLOCK 1u /* bool|null */
#define HERMES_BEFORE_TOOL_CALL_ANSWER_BLOCK_REASON 2u /* str|null */
#define HERMES_BEFORE_TOOL_CALL_ANSWER_REQUIRE_APPROVAL 3u /* obj|null */
#define HERMES_BEFORE_TOOL_CALL_ANSWER_ON_RESOLUTION 4u /* callback */

#define HERMES_PRE_LLM_CALL "pre_llm_call"
#define HERMES_PRE_LLM_CALL_HOOK 5u
#define HERMES_PRE_LLM_CALL_FIELD_COUNT 10u
#define HERMES_PRE_LLM_CALL_SESSION_ID 0u /* id */
#define HERMES_PRE_LLM_CALL_USER_MESSAGE 1u /* any */
#define HERMES_PRE_LLM_CALL_CONVERSATION_HISTORY 2u /* arr */
#define HERMES_PRE_LLM_CALL_IS_FIRST_TURN 3u /* bool */
#define HERMES_PRE_LLM_CALL_MODEL 4u /* str */
#define HERMES_PRE_LLM_CALL_PLATFORM 5u /* id */
#define HERMES_PRE_LLM_CALL_SENDER_ID 6u /* id */
#define HERMES_PRE_LLM_CALL_TASK_ID 7u /* id */
#define HERMES_PRE_LLM_CALL_TURN_ID 8u /* id */
#define HERMES_PRE_LLM_CALL_TELEMETRY_SCHEMA_VERSION 9u /* str|null */
#define HERMES_PRE_LLM_CALL_ANSWER_CONTEXT 0u /* any */

#define HERMES_POST_LLM_CALL "post_llm_call"
#define HERMES_POST_LLM_CALL_HOOK 6u
#define HERMES_POST_LLM_CALL_FIELD_COUNT 9u
#define HERMES_POST_LLM_CALL_SESSION_ID 0u /* id */
#define HERMES_POST_LLM_CALL_USER_MESSAGE 1u /* any */
#define HERMES_POST_LLM_CALL_ASSISTANT_RESPONSE 2u /* str */
#define HERMES_POST_LLM_CALL_CONVERSATION_HISTORY 3u /* arr */
#define HERMES_POST_LLM_CALL_MODEL 4u /* str */
#define HERMES_POST_LLM_CALL_PLATFORM 5u /* id */
#define HERMES_POST_LLM_CALL_TASK_ID 6u /* id */
#define HERMES_POST_LLM_CALL_TURN_ID 7u /* id */
#define HERMES_POST_LLM_CALL_TELEMETRY_SCHEMA_VERSION 8u /* str|null */

#define HERMES_TRANSFORM_LLM_OUTPUT "transform_llm_output"
#define HERMES_TRANSFORM_LLM_OUTPUT_HOOK 7u
#define HERMES_TRANSFORM_LLM_OUTPUT_FIELD_COUNT 5u
#define HERMES_TRANSFORM_LLM_OUTPUT_RESPONSE_TEXT 0u /* str */
#define HERMES_TRANSFORM_LLM_OUTPUT_SESSION_ID 1u /* id */
#define HERMES_TRANSFORM_LLM_OUTPUT_MODEL 2u /* str */
#define HERMES_TRANSFORM_LLM_OUTPUT_PLATFORM 3u /* id */
#define HERMES_TRANSFORM_LLM_OUTPUT_TELEMETRY_SCHEMA_VERSION 4u /* str|null */
#define HERMES_TRANSFORM_LLM_OUTPUT_ANSWER_TEXT 0u /* str|null */

#define HERMES_PRE_VERIFY "pre_verify"
#define HERMES_PRE_VERIFY_HOOK 20u
#define HERMES_PRE_VERIFY_FIELD_COUNT 8u
#define HERMES_PRE_VERIFY_SESSION_ID 0u /* id */
#define HERMES_PRE_VERIFY_PLATFORM 1u /* id */
#define HERMES_PRE_VERIFY_MODEL 2u /* str */
#define HERMES_PRE_VERIFY_CODING 3u /* bool */
#define HERMES_PRE_VERIFY_ATTEMPT 4u /* int */
#define HERMES_PRE_VERIFY_FINAL_RESPONSE 5u /* str */
#define HERMES_PRE_VERIFY_CHANGED_PATHS 6u /* arr */
#define HERMES_PRE_VERIFY_TELEMETRY_SCHEMA_VERSION 7u /* str|null */
#define HERMES_PRE_VERIFY_ANSWER_ACTION 0u /* str|null */
#define HERMES_PRE_VERIFY_ANSWER_MESSAGE 1u /* str|null */
#define HERMES_PRE_VERIFY_ANSWER_DECISION 2u /* str|null */
#define HERMES_PRE_VERIFY_ANSWER_REASON 3u /* str|null */

#define HERMES_PRE_API_REQUEST "pre_api_request"
#define HERMES_PRE_API_REQUEST_HOOK 17u
#define HERMES_PRE_API_REQUEST_FIELD_COUNT 22u
#define HERMES_PRE_API_REQUEST_TASK_ID 0u /* id */
#define HERMES_PRE_API_REQUEST_SESSION_ID 1u /* id */
#define HERMES_PRE_API_REQUEST_PLATFORM 2u /* id */
#define HERMES_PRE_API_REQUEST_MODEL 3u /* str */
#define HERMES_PRE_API_REQUEST_PROVIDER 4u /* str|null */
#define HERMES_PRE_API_REQUEST_BASE_URL 5u /* str|null */
#define HERMES_PRE_API_REQUEST_API_MODE 6u /* str|null */
#define HERMES_PRE_API_REQUEST_API_CALL_COUNT 7u /* int */
#define HERMES_PRE_API_REQUEST_MESSAGE_COUNT 8u /* int */
#define HERMES_PRE_API_REQUEST_TOOL_COUNT 9u /* int */
#define HERMES_PRE_API_REQUEST_APPROX_INPUT_TOKENS 10u /* int */
#define HERMES_PRE_API_REQUEST_REQUEST_CHAR_COUNT 11u /* int */
#define HERMES_PRE_API_REQUEST_MAX_TOKENS 12u /* int|null */
#define HERMES_PRE_API_REQUEST_TURN_ID 13u /* id */
#define HERMES_PRE_API_REQUEST_API_REQUEST_ID 14u /* id */
#define HERMES_PRE_API_REQUEST_STARTED_AT 15u /* num|null */
#define HERMES_PRE_API_REQUEST_USER_MESSAGE 16u /* any */
#define HERMES_PRE_API_REQUEST_CONVERSATION_HISTORY 17u /* arr */
#define HERMES_PRE_API_REQUEST_REQUEST_MESSAGES 18u /* arr */
#define HERMES_PRE_API_REQUEST_MIDDLEWARE_TRACE 19u /* arr */
#define HERMES_PRE_API_REQUEST_REQUEST 20u /* obj|null */
#define HERMES_PRE_API_REQUEST_TELEMETRY_SCHEMA_VERSION 21u /* str|null */

#define HERMES_POST_API_REQUEST "post_api_request"
#define HERMES_POST_API_REQUEST_HOOK 18u
#define HERMES_POST_API_REQUEST_FIELD_COUNT 23u
#define HERMES_POST_API_REQUEST_TASK_ID 0u /* id */
#define HERMES_POST_API_REQUEST_SESSION_ID 1u /* id */
#define HERMES_POST_API_REQUEST_PLATFORM 2u /* id */
#define HERMES_POST_API_REQUEST_MODEL 3u /* str */
#define HERMES_POST_API_REQUEST_PROVIDER 4u /* str|null */
#define HERMES_POST_API_REQUEST_BASE_URL 5u /* str|null */
#define HERMES_POST_API_REQUEST_API_MODE 6u /* str|null */
#define HERMES_POST_API_REQUEST_API_CALL_COUNT 7u /* int */
#define HERMES_POST_API_REQUEST_MESSAGE_COUNT 8u /* int */
#define HERMES_POST_API_REQUEST_API_DURATION 9u /* num */
#define HERMES_POST_API_REQUEST_FINISH_REASON 10u /* str|null */
#define HERMES_POST_API_REQUEST_RESPONSE_MODEL 11u /* str|null */
#define HERMES_POST_API_REQUEST_USAGE 12u /* obj|null */
#define HERMES_POST_API_REQUEST_ASSISTANT_CONTENT_CHARS 13u /* int */
#define HERMES_POST_API_REQUEST_ASSISTANT_TOOL_CALL_COUNT 14u /* int */
#define HERMES_POST_API_REQUEST_TURN_ID 15u /* id */
#define HERMES_POST_API_REQUEST_API_REQUEST_ID 16u /* id */
#define HERMES_POST_API_REQUEST_STARTED_AT 17u /* num|null */
#define HERMES_POST_API_REQUEST_ENDED_AT 18u /* num|null */
#define HERMES_POST_API_REQUEST_RESPONSE 19u /* obj|null */
#define HERMES_POST_API_REQUEST_ASSISTANT_MESSAGE 20u /* any */
#define HERMES_POST_API_REQUEST_MIDDLEWARE_TRACE 21u /* arr */
#define HERMES_POST_API_REQUEST_TELEMETRY_SCHEMA_VERSION 22u /* str|null */

#define HERMES_API_REQUEST_ERROR "api_request_error"
#define HERMES_API_REQUEST_ERROR_HOOK 19u
#define HERMES_API_REQUEST_ERROR_FIELD_COUNT 21u
#define HERMES_API_REQUEST_ERROR_TASK_ID 0u /* id */
#define HERMES_API_REQUEST_ERROR_TURN_ID 1u /* id */
#define HERMES_API_REQUEST_ERROR_API_REQUEST_ID 2u /* id */
#define HERMES_API_REQUEST_ERROR_SESSION_ID 3u /* id */
#define HERMES_API_REQUEST_ERROR_PLATFORM 4u /* id */
#define HERMES_API_REQUEST_ERROR_MODEL 5u /* str */
#define HERMES_API_REQUEST_ERROR_PROVIDER 6u /* str|null */
#define HERMES_API_REQUEST_ERROR_BASE_URL 7u /* str|null */
#define HERMES_API_REQUEST_ERROR_API_MODE 8u /* str|null */
#define HERMES_API_REQUEST_ERROR_API_CALL_COUNT 9u /* int */
#define HERMES_API_REQUEST_ERROR_API_DURATION 10u /* num */
#define HERMES_API_REQUEST_ERROR_STARTED_AT 11u /* num|null */
#define HERMES_API_REQUEST_ERROR_ENDED_AT 12u /* num|null */
#define HERMES_API_REQUEST_ERROR_STATUS_CODE 13u /* int|null */
#define HERMES_API_REQUEST_ERROR_RETRY_COUNT 14u /* int|null */
#define HERMES_API_REQUEST_ERROR_MAX_RETRIES 15u /* int|null */
#define HERMES_API_REQUEST_ERROR_RETRYABLE 16u /* bool|null */
#define HERMES_API_REQUEST_ERROR_REASON 17u /* str|null */
#define HERMES_API_REQUEST_ERROR_ERROR 18u /* obj|null */
#define HERMES_API_REQUEST_ERROR_REQUEST 19u /* obj|null */
#define HERMES_API_REQUEST_ERROR_TELEMETRY_SCHEMA_VERSION 20u /* str|null */

#define HERMES_ON_SESSION_START "on_session_start"
#define HERMES_ON_SESSION_START_HOOK 8u
#define HERMES_ON_SESSION_START_FIELD_COUNT 4u
#define HERMES_ON_SESSION_START_SESSION_ID 0u /* id */
#define HERMES_ON_SESSION_START_MODEL 1u /* str|null */
#define HERMES_ON_SESSION_START_PLATFORM 2u /* id */
#define HERMES_ON_SESSION_START_TELEMETRY_SCHEMA_VERSION 3u /* str|null */

#define HERMES_ON_SESSION_END "on_session_end"
#define HERMES_ON_SESSION_END_HOOK 9u
#define HERMES_ON_SESSION_END_FIELD_COUNT 10u
#define HERMES_ON_SESSION_END_SESSION_ID 0u /* id */
#define HERMES_ON_SESSION_END_MODEL 1u /* str|null */
#define HERMES_ON_SESSION_END_PLATFORM 2u /* id */
#define HERMES_ON_SESSION_END_COMPLETED 3u /* bool */
#define HERMES_ON_SESSION_END_INTERRUPTED 4u /* bool */
#define HERMES_ON_SESSION_END_TASK_ID 5u /* id */
#define HERMES_ON_SESSION_END_TURN_ID 6u /* id */
#define HERMES_ON_SESSION_END_REASON 7u /* str|null */
#define HERMES_ON_SESSION_END_API_REQUEST_ID 8u /* id */
#define HERMES_ON_SESSION_END_TELEMETRY_SCHEMA_VERSION 9u /* str|null */

#define HERMES_ON_SESSION_FINALIZE "on_session_finalize"
#define HERMES_ON_SESSION_FINALIZE_HOOK 10u
#define HERMES_ON_SESSION_FINALIZE_FIELD_COUNT 6u
#define HERMES_ON_SESSION_FINALIZE_SESSION_ID 0u /* str|null */
#define HERMES_ON_SESSION_FINALIZE_PLATFORM 1u /* id */
#define HERMES_ON_SESSION_FINALIZE_REASON 2u /* str|null */
#define HERMES_ON_SESSION_FINALIZE_OLD_SESSION_ID 3u /* id */
#define HERMES_ON_SESSION_FINALIZE_NEW_SESSION_ID 4u /* id */
#define HERMES_ON_SESSION_FINALIZE_TELEMETRY_SCHEMA_VERSION 5u /* str|null */

#define HERMES_ON_SESSION_RESET "on_session_reset"
#define HERMES_ON_SESSION_RESET_HOOK 11u
#define HERMES_ON_SESSION_RESET_FIELD_COUNT 6u
#define HERMES_ON_SESSION_RESET_SESSION_ID 0u /* str|null */
#define HERMES_ON_SESSION_RESET_PLATFORM 1u /* id */
#define HERMES_ON_SESSION_RESET_REASON 2u /* str|null */
#define HERMES_ON_SESSION_RESET_OLD_SESSION_ID 3u /* id */
#define HERMES_ON_SESSION_RESET_NEW_SESSION_ID 4u /* id */
#define HERMES_ON_SESSION_RESET_TELEMETRY_SCHEMA_VERSION 5u /* str|null */

#define HERMES_SUBAGENT_STOP "subagent_stop"
#define HERMES_SUBAGENT_STOP_HOOK 12u
#define HERMES_SUBAGENT_STOP_FIELD_COUNT 8u
#define HERMES_SUBAGENT_STOP_PARENT_SESSION_ID 0u /* str|null */
#define HERMES_SUBAGENT_STOP_CHILD_ROLE 1u /* str|null */
#define HERMES_SUBAGENT_STOP_CHILD_SUMMARY 2u /* str|null */
#define HERMES_SUBAGENT_STOP_CHILD_STATUS 3u /* str */
#define HERMES_SUBAGENT_STOP_DURATION_MS 4u /* int */
#define HERMES_SUBAGENT_STOP_PARENT_TURN_ID 5u /* id */
#define HERMES_SUBAGENT_STOP_CHILD_SESSION_ID 6u /* str|null */
#define HERMES_SUBAGENT_STOP_TELEMETRY_SCHEMA_VERSION 7u /* str|null */

#define HERMES_SUBAGENT_START "subagent_start"
#define HERMES_SUBAGENT_START_HOOK 13u
#define HERMES_SUBAGENT_START_FIELD_COUNT 8u
#define HERMES_SUBAGENT_START_PARENT_SESSION_ID 0u /* str|null */
#define HERMES_SUBAGENT_START_PARENT_TURN_ID 1u /* id */
#define HERMES_SUBAGENT_START_PARENT_SUBAGENT_ID 2u /* str|null */
#define HERMES_SUBAGENT_START_CHILD_SESSION_ID 3u /* str|null */
#define HERMES_SUBAGENT_START_CHILD_SUBAGENT_ID 4u /* id */
#define HERMES_SUBAGENT_START_CHILD_ROLE 5u /* str|null */
#define HERMES_SUBAGENT_START_CHILD_GOAL 6u /* str|null */
#define HERMES_SUBAGENT_START_TELEMETRY_SCHEMA_VERSION 7u /* str|null */

#define HERMES_PRE_APPROVAL_REQUEST "pre_approval_request"
#define HERMES_PRE_APPROVAL_REQUEST_HOOK 15u
#define HERMES_PRE_APPROVAL_REQUEST_FIELD_COUNT 9u
#define HERMES_PRE_APPROVAL_REQUEST_COMMAND 0u /* str */
#define HERMES_PRE_APPROVAL_REQUEST_DESCRIPTION 1u /* str */
#define HERMES_PRE_APPROVAL_REQUEST_PATTERN_KEY 2u /* str */
#define HERMES_PRE_APPROVAL_REQUEST_PATTERN_KEYS 3u /* arr */
#define HERMES_PRE_APPROVAL_REQUEST_SESSION_KEY 4u /* str */
#define HERMES_PRE_APPROVAL_REQUEST_SURFACE 5u /* str */
#define HERMES_PRE_APPROVAL_REQUEST_TURN_ID 6u /* id */
#define HERMES_PRE_APPROVAL_REQUEST_TOOL_CALL_ID 7u /* id */
#define HERMES_PRE_APPROVAL_REQUEST_TELEMETRY_SCHEMA_VERSION 8u /* str|null */

#define HERMES_POST_APPROVAL_RESPONSE "post_approval_response"
#define HERMES_POST_APPROVAL_RESPONSE_HOOK 16u
#define HERMES_POST_APPROVAL_RESPONSE_FIELD_COUNT 11u
#define HERMES_POST_APPROVAL_RESPONSE_COMMAND 0u /* str */
#define HERMES_POST_APPROVAL_RESPONSE_DESCRIPTION 1u /* str */
#define HERMES_POST_APPROVAL_RESPONSE_PATTERN_KEY 2u /* str */
#define HERMES_POST_APPROVAL_RESPONSE_PATTERN_KEYS 3u /* arr */
#define HERMES_POST_APPROVAL_RESPONSE_SESSION_KEY 4u /* str */
#define HERMES_POST_APPROVAL_RESPONSE_SURFACE 5u /* str */
#define HERMES_POST_APPROVAL_RESPONSE_CHOICE 6u /* str */
#define HERMES_POST_APPROVAL_RESPONSE_DECIDED_BY 7u /* str|null */
#define HERMES_POST_APPROVAL_RESPONSE_TURN_ID 8u /* id */
#define HERMES_POST_APPROVAL_RESPONSE_TOOL_CALL_ID 9u /* id */
#define HERMES_POST_APPROVAL_RESPONSE_TELEMETRY_SCHEMA_VERSION 10u /* str|null */

#define HERMES_PRE_GATEWAY_DISPATCH "pre_gateway_dispatch"
#define HERMES_PRE_GATEWAY_DISPATCH_HOOK 14u
#define HERMES_PRE_GATEWAY_DISPATCH_FIELD_COUNT 4u
#define HERMES_PRE_GATEWAY_DISPATCH_EVENT 0u /* obj */
#define HERMES_PRE_GATEWAY_DISPATCH_GATEWAY 1u /* any */
#define HERMES_PRE_GATEWAY_DISPATCH_SESSION_STORE 2u /* any */
#define HERMES_PRE_GATEWAY_DISPATCH_TELEMETRY_SCHEMA_VERSION 3u /* str|null */
#define HERMES_PRE_GATEWAY_DISPATCH_ANSWER_ACTION 0u /* str|null */
#define HERMES_PRE_GATEWAY_DISPATCH_ANSWER_REASON 1u /* str|null */
#define HERMES_PRE_GATEWAY_DISPATCH_ANSWER_TEXT 2u /* any */

#define HERMES_KANBAN_TASK_CLAIMED "kanban_task_claimed"
#define HERMES_KANBAN_TASK_CLAIMED_HOOK 21u
#define HERMES_KANBAN_TASK_CLAIMED_FIELD_COUNT 6u
#define HERMES_KANBAN_TASK_CLAIMED_TASK_ID 0u /* id */
#define HERMES_KANBAN_TASK_CLAIMED_PROFILE_NAME 1u /* str|null */
#define HERMES_KANBAN_TASK_CLAIMED_BOARD 2u /* str|null */
#define HERMES_KANBAN_TASK_CLAIMED_ASSIGNEE 3u /* str|null */
#define HERMES_KANBAN_TASK_CLAIMED_RUN_ID 4u /* any */
#define HERMES_KANBAN_TASK_CLAIMED_TELEMETRY_SCHEMA_VERSION 5u /* str|null */

#define HERMES_KANBAN_TASK_COMPLETED "kanban_task_completed"
#define HERMES_KANBAN_TASK_COMPLETED_HOOK 22u
#define HERMES_KANBAN_TASK_COMPLETED_FIELD_COUNT 7u
#define HERMES_KANBAN_TASK_COMPLETED_TASK_ID 0u /* id */
#define HERMES_KANBAN_TASK_COMPLETED_PROFILE_NAME 1u /* str|null */
#define HERMES_KANBAN_TASK_COMPLETED_BOARD 2u /* str|null */
#define HERMES_KANBAN_TASK_COMPLETED_ASSIGNEE 3u /* str|null */
#define HERMES_KANBAN_TASK_COMPLETED_RUN_ID 4u /* any */
#define HERMES_KANBAN_TASK_COMPLETED_SUMMARY 5u /* str|null */
#define HERMES_KANBAN_TASK_COMPLETED_TELEMETRY_SCHEMA_VERSION 6u /* str|null */

#define HERMES_KANBAN_TASK_BLOCKED "kanban_task_blocked"
#define HERMES_KANBAN_TASK_BLOCKED_HOOK 23u
#define HERMES_KANBAN_TASK_BLOCKED_FIELD_COUNT 7u
#define HERMES_KANBAN_TASK_BLOCKED_TASK_ID 0u /* id */
#define HERMES_KANBAN_TASK_BLOCKED_PROFILE_NAME 1u /* str|null */
#define HERMES_KANBAN_TASK_BLOCKED_BOARD 2u /* str|null */
#define HERMES_KANBAN_TASK_BLOCKED_ASSIGNEE 3u /* str|null */
#define HERMES_KANBAN_TASK_BLOCKED_RUN_ID 4u /* any */
#define HERMES_KANBAN_TASK_BLOCKED_REASON 5u /* str|null */
#define HERMES_KANBAN_TASK_BLOCKED_TELEMETRY_SCHEMA_VERSION 6u /* str|null */

#define HERMES_MESSAGE_SENDING "message_sending"
#define HERMES_MESSAGE_SENDING_HOOK 101u
#define HERMES_MESSAGE_SENDING_FIELD_COUNT 14u
#define HERMES_MESSAGE_SENDING_TO 0u /* str */
#define HERMES_MESSAGE_SENDING_CONTENT 1u /* str */
#define HERMES_MESSAGE_SENDING_REPLY_TO_ID 2u /* any */
#define HERMES_MESSAGE_SENDING_THREAD_ID 3u /* any */
#define HERMES_MESSAGE_SENDING_METADATA 4u /* obj|null */
#define HERMES_MESSAGE_SENDING_CHANNEL_ID 5u /* str */
#define HERMES_MESSAGE_SENDING_ACCOUNT_ID 6u /* id */
#define HERMES_MESSAGE_SENDING_CONVERSATION_ID 7u /* id */
#define HERMES_MESSAGE_SENDING_SESSION_KEY 8u /* id */
#define HERMES_MESSAGE_SENDING_RUN_ID 9u /* id */
#define HERMES_MESSAGE_SENDING_MESSAGE_ID 10u /* id */
#define HERMES_MESSAGE_SENDING_SENDER_ID 11u /* id */
#define HERMES_MESSAGE_SENDING_TRACE 12u /* obj|null */
#define HERMES_MESSAGE_SENDING_CALL_DEPTH 13u /* num|null */
#define HERMES_MESSAGE_SENDING_ANSWER_CONTENT 0u /* str|null */
#define HERMES_MESSAGE_SENDING_ANSWER_CANCEL 1u /* bool|null */
#define HERMES_MESSAGE_SENDING_ANSWER_CANCEL_REASON 2u /* str|null */
#define HERMES_MESSAGE_SENDING_ANSWER_METADATA 3u /* obj|null */

#define HERMES_TIMER "timer"
#define HERMES_TIMER_HOOK 200u
#define HERMES_TIMER_FIELD_COUNT 2u
#define HERMES_TIMER_TIMER_ID 0u /* int */
#define HERMES_TIMER_COUNT 1u /* int */

#define HERMES_TOOL_EXECUTE "tool_execute"
#define HERMES_TOOL_EXECUTE_HOOK 201u
#define HERMES_TOOL_EXECUTE_FIELD_COUNT 4u
#define HERMES_TOOL_EXECUTE_TOOL_NAME 0u /* str */
#define HERMES_TOOL_EXECUTE_ARGS 1u /* obj */
#define HERMES_TOOL_EXECUTE_TASK_ID 2u /* id */
#define HERMES_TOOL_EXECUTE_SESSION_ID 3u /* id */
#define HERMES_TOOL_EXECUTE_ANSWER_TEXT 0u /* str|null */

#define HERMES_APPROVAL_RESOLUTION "approval_resolution"
#define HERMES_APPROVAL_RESOLUTION_HOOK 202u
#define HERMES_APPROVAL_RESOLUTION_FIELD_COUNT 1u
#define HERMES_APPROVAL_RESOLUTION_DECISION 0u /* str */

#define HERMES_COMMAND_EXECUTE "command_execute"
#define HERMES_COMMAND_EXECUTE_HOOK 203u
#define HERMES_COMMAND_EXECUTE_FIELD_COUNT 2u
#define HERMES_COMMAND_EXECUTE_NAME 0u /* str */
#define HERMES_COMMAND_EXECUTE_RAW_ARGS 1u /* str */
#define HERMES_COMMAND_EXECUTE_ANSWER_TEXT 0u /* str|null */

#define HERMES_CLI_EXECUTE "cli_execute"
#define HERMES_CLI_EXECUTE_HOOK 204u
#define HERMES_CLI_EXECUTE_FIELD_COUNT 2u
#define HERMES_CLI_EXECUTE_NAME 0u /* str */
#define HERMES_CLI_EXECUTE_ARGV 1u /* arr */
#define HERMES_CLI_EXECUTE_ANSWER_TEXT 0u /* str|null */
#define HERMES_CLI_EXECUTE_ANSWER_CODE 1u /* int */

#define HERMES_TOOL_CHECK "tool_check"
#define HERMES_TOOL_CHECK_HOOK 205u
#define HERMES_TOOL_CHECK_FIELD_COUNT 1u
#define HERMES_TOOL_CHECK_TOOL_NAME 0u /* str */
#define HERMES_TOOL_CHECK_ANSWER_USABLE 0u /* bool */

#define HERMES_MIDDLEWARE_TOOL_REQUEST "middleware:tool_request"
#define HERMES_MIDDLEWARE_TOOL_REQUEST_HOOK 210u
#define HERMES_MIDDLEWARE_TOOL_REQUEST_FIELD_COUNT 10u
#define HERMES_MIDDLEWARE_TOOL_REQUEST_TOOL_NAME 0u /* str */
#define HERMES_MIDDLEWARE_TOOL_REQUEST_ARGS 1u /* obj */
#define HERMES_MIDDLEWARE_TOOL_REQUEST_ORIGINAL_ARGS 2u /* obj */
#define HERMES_MIDDLEWARE_TOOL_REQUEST_TASK_ID 3u /* id */
#define HERMES_MIDDLEWARE_TOOL_REQUEST_SESSION_ID 4u /* id */
#define HERMES_MIDDLEWARE_TOOL_REQUEST_TOOL_CALL_ID 5u /* id */
#define HERMES_MIDDLEWARE_TOOL_REQUEST_TURN_ID 6u /* id */
#define HERMES_MIDDLEWARE_TOOL_REQUEST_API_REQUEST_ID 7u /* id */
#define HERMES_MIDDLEWARE_TOOL_REQUEST_TELEMETRY_SCHEMA_VERSION 8u /* str|null */
#define HERMES_MIDDLEWARE_TOOL_REQUEST_MIDDLEWARE_SCHEMA_VERSION 9u /* str|null */
#define HERMES_MIDDLEWARE_TOOL_REQUEST_ANSWER_ARGS 0u /* obj|null */
#define HERMES_MIDDLEWARE_TOOL_REQUEST_ANSWER_SOURCE 1u /* str|null */
#define HERMES_MIDDLEWARE_TOOL_REQUEST_ANSWER_REASON 2u /* str|null */
#define HERMES_MIDDLEWARE_TOOL_REQUEST_ANSWER_NAME 3u /* str|null */

#define HERMES_MIDDLEWARE_TOOL_EXECUTION "middleware:tool_execution"
#define HERMES_MIDDLEWARE_TOOL_EXECUTION_HOOK 211u
#define HERMES_MIDDLEWARE_TOOL_EXECUTION_FIELD_COUNT 11u
#define HERMES_MIDDLEWARE_TOOL_EXECUTION_TOOL_NAME 0u /* str */
#define HERMES_MIDDLEWARE_TOOL_EXECUTION_ARGS 1u /* obj */
#define HERMES_MIDDLEWARE_TOOL_EXECUTION_NEXT 2u /* any */
#define HERMES_MIDDLEWARE_TOOL_EXECUTION_TASK_ID 3u /* id */
#define HERMES_MIDDLEWARE_TOOL_EXECUTION_SESSION_ID 4u /* id */
#define HERMES_MIDDLEWARE_TOOL_EXECUTION_TOOL_CALL_ID 5u /* id */
#define HERMES_MIDDLEWARE_TOOL_EXECUTION_TURN_ID 6u /* id */
#define HERMES_MIDDLEWARE_TOOL_EXECUTION_API_REQUEST_ID 7u /* id */
#define HERMES_MIDDLEWARE_TOOL_EXECUTION_MIDDLEWARE_TRACE 8u /* arr */
#define HERMES_MIDDLEWARE_TOOL_EXECUTION_TELEMETRY_SCHEMA_VERSION 9u /* str|null */
#define HERMES_MIDDLEWARE_TOOL_EXECUTION_MIDDLEWARE_SCHEMA_VERSION 10u /* str|null */
#define HERMES_MIDDLEWARE_TOOL_EXECUTION_ANSWER_RESULT 0u /* any */

#define HERMES_MIDDLEWARE_LLM_REQUEST "middleware:llm_request"
#define HERMES_MIDDLEWARE_LLM_REQUEST_HOOK 212u
#define HERMES_MIDDLEWARE_LLM_REQUEST_FIELD_COUNT 8u
#define HERMES_MIDDLEWARE_LLM_REQUEST_REQUEST 0u /* obj */
#define HERMES_MIDDLEWARE_LLM_REQUEST_ORIGINAL_REQUEST 1u /* obj */
#define HERMES_MIDDLEWARE_LLM_REQUEST_TASK_ID 2u /* id */
#define HERMES_MIDDLEWARE_LLM_REQUEST_SESSION_ID 3u /* id */
#define HERMES_MIDDLEWARE_LLM_REQUEST_TURN_ID 4u /* id */
#define HERMES_MIDDLEWARE_LLM_REQUEST_API_REQUEST_ID 5u /* id */
#define HERMES_MIDDLEWARE_LLM_REQUEST_TELEMETRY_SCHEMA_VERSION 6u /* str|null */
#define HERMES_MIDDLEWARE_LLM_REQUEST_MIDDLEWARE_SCHEMA_VERSION 7u /* str|null */
#define HERMES_MIDDLEWARE_LLM_REQUEST_ANSWER_REQUEST 0u /* obj|null */
#define HERMES_MIDDLEWARE_LLM_REQUEST_ANSWER_SOURCE 1u /* str|null */
#define HERMES_MIDDLEWARE_LLM_REQUEST_ANSWER_REASON 2u /* str|null */
#define HERMES_MIDDLEWARE_LLM_REQUEST_ANSWER_NAME 3u /* str|null */

#define HERMES_MIDDLEWARE_LLM_EXECUTION "middleware:llm_execution"
#define HERMES_MIDDLEWARE_LLM_EXECUTION_HOOK 213u
#define HERMES_MIDDLEWARE_LLM_EXECUTION_FIELD_COUNT 9u
#define HERMES_MIDDLEWARE_LLM_EXECUTION_REQUEST 0u /* obj */
#define HERMES_MIDDLEWARE_LLM_EXECUTION_NEXT 1u /* any */
#define HERMES_MIDDLEWARE_LLM_EXECUTION_TASK_ID 2u /* id */
#define HERMES_MIDDLEWARE_LLM_EXECUTION_SESSION_ID 3u /* id */
#define HERMES_MIDDLEWARE_LLM_EXECUTION_TURN_ID 4u /* id */
#define HERMES_MIDDLEWARE_LLM_EXECUTION_API_REQUEST_ID 5u /* id */
#define HERMES_MIDDLEWARE_LLM_EXECUTION_MIDDLEWARE_TRACE 6u /* arr */
#define HERMES_MIDDLEWARE_LLM_EXECUTION_TELEMETRY_SCHEMA_VERSION 7u /* str|null */
#define HERMES_MIDDLEWARE_LLM_EXECUTION_MIDDLEWARE_SCHEMA_VERSION 8u /* str|null */
#define HERMES_MIDDLEWARE_LLM_EXECUTION_ANSWER_RESULT 0u /* any */

#ifdef __cplusplus
}
#endif

#endif /* HERMES_PLUGIN_H */
