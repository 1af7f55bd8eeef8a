// Sessions and the list of cameras; `stream.c` has the streams.
#include "internal.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cpw_library cpw_library;

void cpw_say(char message[CPW_MESSAGE_SIZE], const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, CPW_MESSAGE_SIZE, format, arguments);
    va_end(arguments);
}

// MARK: - The library

static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;
static bool is_loaded;

/// Loads the library once; it is never closed, since its threads may still run.
static bool load(char message[CPW_MESSAGE_SIZE]) {
    pthread_mutex_lock(&loading);
    if (!is_loaded) {
        void *handle = dlopen("libpipewire-0.3.so.0", RTLD_NOW | RTLD_LOCAL);
        if (!handle) {
            cpw_say(message, "the library libpipewire-0.3.so.0 is missing; install PipeWire");
            pthread_mutex_unlock(&loading);
            return false;
        }
        const char *missing = NULL;
#define LOAD(result, name, arguments)                                                                                    \
    *(void **)&cpw_library.name = dlsym(handle, #name);                                                                  \
    if (!cpw_library.name) missing = #name;
        PW_FUNCTIONS(LOAD)
        if (missing) {
            cpw_say(message, "libpipewire-0.3.so.0 has no %s; PipeWire 0.3.40 or later is needed", missing);
            pthread_mutex_unlock(&loading);
            return false;
        }
        PW(init)(NULL, NULL);
        is_loaded = true;
    }
    pthread_mutex_unlock(&loading);
    return true;
}

// MARK: - Cameras

/// A camera of the registry, with the proxy that reports its modes.
struct camera {
    struct spa_list link;
    cpw_session *session;
    uint32_t id;
    struct pw_proxy *proxy;
    struct spa_hook listener;
    /// The number of the request whose answer follows the modes.
    int pending;
};

/// Reports each combination of format, size and rate that a parameter of a node allows.
static void report_modes(struct camera *camera, const struct spa_pod *param) {
    uint32_t type, subtype;
    if (spa_format_parse(param, &type, &subtype) < 0 || type != SPA_MEDIA_TYPE_video) return;
    cpw_mode mode = {0};
    const struct spa_pod_prop *formats = NULL;
    if (subtype == SPA_MEDIA_SUBTYPE_mjpg) {
        mode.format = CPW_MJPG;
    } else if (subtype == SPA_MEDIA_SUBTYPE_raw) {
        formats = spa_pod_find_prop(param, NULL, SPA_FORMAT_VIDEO_format);
        if (!formats) return;
    } else {
        return;
    }
    const struct spa_pod_prop *sizes = spa_pod_find_prop(param, NULL, SPA_FORMAT_VIDEO_size);
    const struct spa_pod_prop *rates = spa_pod_find_prop(param, NULL, SPA_FORMAT_VIDEO_framerate);
    if (!sizes) return;

    struct values formats_of = cpw_values(formats), sizes_of = cpw_values(sizes), rates_of = cpw_values(rates);
    for (uint32_t f = 0; f < (formats ? formats_of.count : 1); f++) {
        if (formats) mode.format = cpw_format_of(((const uint32_t *)formats_of.first)[f]);
        if (mode.format == CPW_UNKNOWN) continue;
        for (uint32_t s = 0; s < sizes_of.count; s++) {
            const struct spa_rectangle size = ((const struct spa_rectangle *)sizes_of.first)[s];
            mode.width = (int32_t)size.width;
            mode.height = (int32_t)size.height;
            for (uint32_t r = 0; r < (rates ? rates_of.count : 1); r++) {
                const struct spa_fraction rate =
                    rates ? ((const struct spa_fraction *)rates_of.first)[r] : SPA_FRACTION(0, 1);
                mode.rate_numerator = rate.num;
                mode.rate_denominator = rate.denom ? rate.denom : 1;
                camera->session->events.offered(camera->session->events.context, camera->id, &mode);
            }
        }
    }
}

struct values cpw_values(const struct spa_pod_prop *prop) {
    struct values values = {NULL, 0};
    if (!prop) return values;
    uint32_t count, choice;
    struct spa_pod *pod = spa_pod_get_values(&prop->value, &count, &choice);
    const uint8_t *body = SPA_POD_BODY_CONST(pod);
    // The first value of an enumeration is its default, which is among the others; of a range, minimum and maximum follow.
    if (choice == SPA_CHOICE_Enum && count > 1)
        values = (struct values){body + SPA_POD_BODY_SIZE(pod), count - 1};
    else if (count > 0)
        values = (struct values){body, 1};
    return values;
}

static void on_param(
    void *data, int seq, uint32_t id, uint32_t index, uint32_t next, const struct spa_pod *param) {
    (void)seq, (void)index, (void)next;
    if (id == SPA_PARAM_EnumFormat && param) report_modes(data, param);
}

static const struct pw_node_events node_events = {.version = 0, .param = on_param};

/// The beginning of `object.path` of a device of Video4Linux.
#define DEVICE_PREFIX "v4l2:"

static void forget(struct camera *camera) {
    spa_list_remove(&camera->link);
    spa_hook_remove(&camera->listener);
    PW(proxy_destroy)(camera->proxy);
    free(camera);
}

static void on_global(
    void *data, uint32_t id, uint32_t permissions, const char *type, uint32_t version, const struct spa_dict *props) {
    (void)permissions, (void)version;
    cpw_session *session = data;
    if (!props || strcmp(type, PW_TYPE_INTERFACE_NODE) != 0) return;
    const char *class = spa_dict_lookup(props, "media.class");
    const char *name = spa_dict_lookup(props, "node.name");
    if (!class || strcmp(class, "Video/Source") != 0 || !name) return;
    const char *title = spa_dict_lookup(props, "node.description");
    const char *path = spa_dict_lookup(props, "object.path");
    bool is_provided = path && strncmp(path, CPW_PATH_PREFIX, strlen(CPW_PATH_PREFIX)) == 0;
    const char *device = path && strncmp(path, DEVICE_PREFIX, strlen(DEVICE_PREFIX)) == 0 ? path + strlen(DEVICE_PREFIX) : NULL;

    struct camera *camera = calloc(1, sizeof *camera);
    if (!camera) return;
    camera->session = session;
    camera->id = id;
    camera->proxy = CALL(session->registry, pw_registry_methods, bind, id, type, PW_VERSION_NODE, 0);
    if (!camera->proxy) {
        free(camera);
        return;
    }
    spa_list_append(&session->cameras, &camera->link);
    session->events.added(
        session->events.context,
        &(cpw_camera){
            .id = id, .name = name, .title = title ? title : name, .device = device, .is_provided = is_provided});
    CALL(camera->proxy, pw_node_methods, add_listener, &camera->listener, &node_events, camera);
    CALL(camera->proxy, pw_node_methods, enum_params, 0, SPA_PARAM_EnumFormat, 0, UINT32_MAX, NULL);
    camera->pending = CALL(session->core, pw_core_methods, sync, PW_ID_CORE, 0);
}

static void on_global_remove(void *data, uint32_t id) {
    cpw_session *session = data;
    struct camera *camera, *next;
    spa_list_for_each_safe(camera, next, &session->cameras, link) {
        if (camera->id != id) continue;
        forget(camera);
        session->events.removed(session->events.context, id);
    }
}

static const struct pw_registry_events registry_events = {
    .version = 0, .global = on_global, .global_remove = on_global_remove};

// MARK: - Sessions

/// Asks the server to answer after all that was requested before.
static void synchronise(cpw_session *session) {
    session->pending = CALL(session->core, pw_core_methods, sync, PW_ID_CORE, 0);
}

static void on_done(void *data, uint32_t id, int seq) {
    cpw_session *session = data;
    if (id != PW_ID_CORE) return;
    struct camera *camera;
    spa_list_for_each(camera, &session->cameras, link) {
        if (camera->pending == seq) session->events.ready(session->events.context, camera->id);
    }
    if (seq != session->pending) return;
    // The first answer comes after all cameras, the second after all their modes.
    if (++session->answers == 1)
        synchronise(session);
    else if (session->answers == 2)
        session->events.listed(session->events.context);
}

static void on_error(void *data, uint32_t id, int seq, int result, const char *message) {
    (void)seq;
    cpw_session *session = data;
    if (id == PW_ID_CORE && result == -EPIPE && !session->is_lost) {
        session->is_lost = true;
        session->events.lost(session->events.context, message ? message : strerror(EPIPE));
    }
}

static const struct pw_core_events core_events = {.version = 0, .done = on_done, .error = on_error};

cpw_session *cpw_open(const cpw_session_events *events, char message[CPW_MESSAGE_SIZE]) {
    if (!load(message)) return NULL;
    cpw_session *session = calloc(1, sizeof *session);
    if (!session) {
        cpw_say(message, "memory is exhausted");
        return NULL;
    }
    session->events = *events;
    session->pending = -1;
    spa_list_init(&session->cameras);
    session->loop = PW(thread_loop_new)("flourish-pipewire", NULL);
    session->context = session->loop ? PW(context_new)(PW(thread_loop_get_loop)(session->loop), NULL, 0) : NULL;
    session->core = session->context ? PW(context_connect)(session->context, NULL, 0) : NULL;
    if (!session->core) {
        cpw_say(message, "PipeWire cannot be reached: %s", strerror(errno));
        cpw_close(session);
        return NULL;
    }
    CALL(session->core, pw_core_methods, add_listener, &session->core_listener,
        &core_events, session);
    session->registry = CALL(session->core, pw_core_methods, get_registry, PW_VERSION_REGISTRY, 0);
    if (session->registry)
        CALL(session->registry, pw_registry_methods, add_listener, &session->registry_listener, &registry_events, session);
    synchronise(session);
    if (!session->registry || PW(thread_loop_start)(session->loop) < 0) {
        cpw_say(message, "PipeWire's thread cannot be started: %s", strerror(errno));
        cpw_close(session);
        return NULL;
    }
    return session;
}

void cpw_close(cpw_session *session) {
    if (!session) return;
    if (session->loop) PW(thread_loop_stop)(session->loop);
    cpw_close_streams(session);
    struct camera *camera, *next;
    spa_list_for_each_safe(camera, next, &session->cameras, link) forget(camera);
    if (session->registry) {
        spa_hook_remove(&session->registry_listener);
        PW(proxy_destroy)((struct pw_proxy *)session->registry);
    }
    if (session->core) {
        spa_hook_remove(&session->core_listener);
        PW(core_disconnect)(session->core);
    }
    if (session->context) PW(context_destroy)(session->context);
    if (session->loop) PW(thread_loop_destroy)(session->loop);
    free(session);
}
