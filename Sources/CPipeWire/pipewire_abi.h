// The part of PipeWire's library that is used, by its documented interface (https://docs.pipewire.org, version 0.3.40 and
// later). Declared here because its own headers need the library at link time; those of SPA, which have all the formats and
// macros, are used as they are.
#ifndef PIPEWIRE_ABI_H
#define PIPEWIRE_ABI_H

#include <spa/buffer/buffer.h>
#include <spa/buffer/meta.h>
#include <spa/node/command.h>
#include <spa/param/format-utils.h>
#include <spa/param/param.h>
#include <spa/param/buffers.h>
#include <spa/param/video/format-utils.h>
#include <spa/pod/builder.h>
#include <spa/utils/dict.h>
#include <spa/utils/hook.h>
#include <stdbool.h>
#include <stdint.h>

struct pw_thread_loop;
struct pw_loop;
struct pw_context;
struct pw_properties;
struct pw_core;
struct pw_registry;
struct pw_proxy;
struct pw_stream;
struct pw_core_info;
struct pw_stream_control;

#define PW_TYPE_INTERFACE_NODE "PipeWire:Interface:Node"
#define PW_VERSION_REGISTRY 3
#define PW_VERSION_NODE 3
#define PW_ID_CORE 0u
#define PW_ID_ANY 0xffffffffu

struct pw_core_events {
    uint32_t version;
    void (*info)(void *data, const struct pw_core_info *info);
    void (*done)(void *data, uint32_t id, int seq);
    void (*ping)(void *data, uint32_t id, int seq);
    void (*error)(void *data, uint32_t id, int seq, int res, const char *message);
    void (*remove_id)(void *data, uint32_t id);
    void (*bound_id)(void *data, uint32_t id, uint32_t global_id);
    void (*add_mem)(void *data, uint32_t id, uint32_t type, int fd, uint32_t flags);
    void (*remove_mem)(void *data, uint32_t id);
};

struct pw_core_methods {
    uint32_t version;
    int (*add_listener)(
        void *object, struct spa_hook *listener, const struct pw_core_events *events, void *data);
    int (*hello)(void *object, uint32_t version);
    int (*sync)(void *object, uint32_t id, int seq);
    int (*pong)(void *object, uint32_t id, int seq);
    int (*error)(void *object, uint32_t id, int seq, int res, const char *message);
    struct pw_registry *(*get_registry)(void *object, uint32_t version, size_t user_data_size);
};

struct pw_registry_events {
    uint32_t version;
    void (*global)(
        void *data, uint32_t id, uint32_t permissions, const char *type, uint32_t version,
        const struct spa_dict *props);
    void (*global_remove)(void *data, uint32_t id);
};

struct pw_registry_methods {
    uint32_t version;
    int (*add_listener)(
        void *object, struct spa_hook *listener, const struct pw_registry_events *events, void *data);
    void *(*bind)(void *object, uint32_t id, const char *type, uint32_t version, size_t user_data_size);
};

struct pw_node_info;

struct pw_node_events {
    uint32_t version;
    void (*info)(void *data, const struct pw_node_info *info);
    void (*param)(
        void *data, int seq, uint32_t id, uint32_t index, uint32_t next, const struct spa_pod *param);
};

struct pw_node_methods {
    uint32_t version;
    int (*add_listener)(
        void *object, struct spa_hook *listener, const struct pw_node_events *events, void *data);
    int (*subscribe_params)(void *object, uint32_t *ids, uint32_t n_ids);
    int (*enum_params)(
        void *object, int seq, uint32_t id, uint32_t start, uint32_t num, const struct spa_pod *filter);
};

enum pw_stream_state {
    PW_STREAM_STATE_ERROR = -1,
    PW_STREAM_STATE_UNCONNECTED = 0,
    PW_STREAM_STATE_CONNECTING = 1,
    PW_STREAM_STATE_PAUSED = 2,
    PW_STREAM_STATE_STREAMING = 3,
};

enum pw_stream_flags {
    PW_STREAM_FLAG_AUTOCONNECT = 1 << 0,
    PW_STREAM_FLAG_MAP_BUFFERS = 1 << 2,
    PW_STREAM_FLAG_DRIVER = 1 << 3,
    PW_STREAM_FLAG_DONT_RECONNECT = 1 << 7,
};

struct pw_buffer {
    struct spa_buffer *buffer;
    void *user_data;
    uint64_t size;
    uint64_t requested;
};

struct pw_stream_events {
    uint32_t version;
    void (*destroy)(void *data);
    void (*state_changed)(
        void *data, enum pw_stream_state old, enum pw_stream_state state, const char *error);
    void (*control_info)(void *data, uint32_t id, const struct pw_stream_control *control);
    void (*io_changed)(void *data, uint32_t id, void *area, uint32_t size);
    void (*param_changed)(void *data, uint32_t id, const struct spa_pod *param);
    void (*add_buffer)(void *data, struct pw_buffer *buffer);
    void (*remove_buffer)(void *data, struct pw_buffer *buffer);
    void (*process)(void *data);
    void (*drained)(void *data);
    void (*command)(void *data, const struct spa_command *command);
    void (*trigger_done)(void *data);
};

/// Each function that is loaded: X(result, name, arguments).
#define PW_FUNCTIONS(X)                                                                                                  \
    X(void, pw_init, (int *argc, char **argv[]))                                                                         \
    X(struct pw_thread_loop *, pw_thread_loop_new, (const char *name, const struct spa_dict *props))                     \
    X(void, pw_thread_loop_destroy, (struct pw_thread_loop * loop))                                                      \
    X(int, pw_thread_loop_start, (struct pw_thread_loop * loop))                                                         \
    X(void, pw_thread_loop_stop, (struct pw_thread_loop * loop))                                                         \
    X(void, pw_thread_loop_lock, (struct pw_thread_loop * loop))                                                         \
    X(void, pw_thread_loop_unlock, (struct pw_thread_loop * loop))                                                       \
    X(struct pw_loop *, pw_thread_loop_get_loop, (struct pw_thread_loop * loop))                                         \
    X(struct pw_context *, pw_context_new, (struct pw_loop * loop, struct pw_properties * properties, size_t size))      \
    X(void, pw_context_destroy, (struct pw_context * context))                                                           \
    X(struct pw_core *, pw_context_connect,                                                                              \
      (struct pw_context * context, struct pw_properties * properties, size_t size))                                     \
    X(int, pw_core_disconnect, (struct pw_core * core))                                                                  \
    X(void, pw_proxy_destroy, (struct pw_proxy * proxy))                                                                 \
    X(struct pw_properties *, pw_properties_new_dict, (const struct spa_dict *dict))                                     \
    X(struct pw_stream *, pw_stream_new, (struct pw_core * core, const char *name, struct pw_properties *properties))    \
    X(void, pw_stream_destroy, (struct pw_stream * stream))                                                              \
    X(void, pw_stream_add_listener,                                                                                      \
      (struct pw_stream * stream, struct spa_hook * listener, const struct pw_stream_events *events, void *data))        \
    X(int, pw_stream_connect,                                                                                            \
      (struct pw_stream * stream, enum spa_direction direction, uint32_t target, enum pw_stream_flags flags,             \
       const struct spa_pod **params, uint32_t count))                                                                   \
    X(int, pw_stream_update_params, (struct pw_stream * stream, const struct spa_pod **params, uint32_t count))          \
    X(struct pw_buffer *, pw_stream_dequeue_buffer, (struct pw_stream * stream))                                         \
    X(int, pw_stream_queue_buffer, (struct pw_stream * stream, struct pw_buffer * buffer))                               \
    X(bool, pw_stream_is_driving, (struct pw_stream * stream))                                                           \
    X(int, pw_stream_trigger_process, (struct pw_stream * stream))

#endif
