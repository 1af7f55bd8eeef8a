// What sessions and streams share.
#ifndef CPIPEWIRE_INTERNAL_H
#define CPIPEWIRE_INTERNAL_H

#include "include/CPipeWire.h"
#include "pipewire_abi.h"

/// The beginning of `object.path` of the cameras that this library offers. PipeWire announces this property with the node,
/// unlike properties with names of our own.
#define CPW_PATH_PREFIX "flourish:"

struct cpw_library {
#define DECLARE(result, name, arguments) result(*name) arguments;
    PW_FUNCTIONS(DECLARE)
#undef DECLARE
};

extern struct cpw_library cpw_library;
#define PW(name) cpw_library.pw_##name

/// Calls a method of an object of PipeWire, whose first member is its interface.
#define CALL(object, methods, name, ...)                                                                                 \
    (((const struct methods *)((struct spa_interface *)(object))->cb.funcs)                                              \
         ->name(((struct spa_interface *)(object))->cb.data, __VA_ARGS__))

struct cpw_session {
    cpw_session_events events;
    struct pw_thread_loop *loop;
    struct pw_context *context;
    struct pw_core *core;
    struct spa_hook core_listener;
    struct pw_registry *registry;
    struct spa_hook registry_listener;
    struct spa_list cameras;
    cpw_stream *streams;
    /// The number of the request whose answer is awaited.
    int pending;
    int answers;
    bool is_lost;
};

struct cpw_stream {
    cpw_stream *next;
    cpw_session *session;
    cpw_stream_events events;
    /// Receives the samples of a microphone, in place of pictures.
    cpw_samples_arrived samples_arrived;
    struct pw_stream *stream;
    struct spa_hook listener;
    bool is_output;
    cpw_state state;
    /// As negotiated; its format is CPW_UNKNOWN before that.
    cpw_mode mode;
    uint64_t sequence;
    /// The buffers of our camera, the one delivered longest ago first.
    struct pw_buffer *buffers[16];
    size_t buffer_count;
    /// The time of the last picture that got a free buffer, and the time until which buffers that readers hold are used.
    int64_t last_free, reuse_until;
};

/// Values of a property of a format: all that it allows, or the default of a range.
struct values {
    const void *first;
    uint32_t count;
};

struct values cpw_values(const struct spa_pod_prop *prop);

/// Writes a message for the caller; too long ones are cut.
void cpw_say(char message[CPW_MESSAGE_SIZE], const char *format, ...) __attribute__((format(printf, 2, 3)));

cpw_format cpw_format_of(uint32_t spa_format);

/// Connects a stream whose session, events and direction are filled in, and adds it to the session.
///
/// Returns NULL with a message on failure; the stream is then freed.
cpw_stream *cpw_connect(
    cpw_stream *stream, const char *name, const struct spa_dict *properties, uint32_t flags, const struct spa_pod **params,
    uint32_t count, const struct pw_stream_events *callbacks, char message[CPW_MESSAGE_SIZE]);

/// Reports the state of a stream: a callback of PipeWire.
void cpw_on_state(void *data, enum pw_stream_state old, enum pw_stream_state state, const char *error);

/// Closes all streams of a session whose thread has ended.
void cpw_close_streams(cpw_session *session);

#endif
