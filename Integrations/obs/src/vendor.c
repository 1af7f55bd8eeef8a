// The list of filters, and the vendor `flourish` of obs-websocket, with requests and events. obs-websocket offers its
// functions as procedures of libobs, so that the module loads without it, too.
#include "filter.h"

#include <callback/calldata.h>
#include <callback/proc.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Filter *first;

static proc_handler_t *websocket;
static void *vendor;

/// The type of obs-websocket for the function of a request.
struct RequestCallback {
    void (*function)(obs_data_t *request, obs_data_t *response, void *data);
    void *data;
};

// MARK: Filters

void flourish_add_filter(Filter *filter) {
    pthread_mutex_lock(&lock);
    filter->next = first;
    first = filter;
    pthread_mutex_unlock(&lock);
}

void flourish_remove_filter(Filter *filter) {
    pthread_mutex_lock(&lock);
    for (Filter **place = &first; *place; place = &(*place)->next)
        if (*place == filter) {
            *place = filter->next;
            break;
        }
    pthread_mutex_unlock(&lock);
}

void flourish_set_parent(Filter *filter, obs_source_t *parent) {
    pthread_mutex_lock(&lock);
    filter->parent = obs_source_get_weak_source(parent);
    pthread_mutex_unlock(&lock);
}

/// Sets the names of the filter and its source. The lock is held.
static void set_names(obs_data_t *data, const Filter *filter) {
    obs_source_t *parent = obs_weak_source_get_source(filter->parent);
    if (parent) obs_data_set_string(data, "source", obs_source_get_name(parent));
    obs_source_release(parent);
    obs_data_set_string(data, "filter", obs_source_get_name(filter->source));
}

/// Returns whether a request's fields `source` and `filter`, if given, name a filter. The lock is held.
static bool is_meant(obs_data_t *request, const Filter *filter) {
    obs_data_t *names = obs_data_create();
    set_names(names, filter);
    bool is_meant = true;
    for (int i = 0; i < 2; i++) {
        const char *key = i ? "filter" : "source", *wanted = obs_data_get_string(request, key);
        if (*wanted && strcmp(wanted, obs_data_get_string(names, key))) is_meant = false;
    }
    obs_data_release(names);
    return is_meant;
}

// MARK: Events

void flourish_emit_event(Filter *filter, const char *json) {
    if (!vendor) return;
    obs_data_t *event = obs_data_create_from_json(json);
    if (!event) return;
    pthread_mutex_lock(&lock);
    set_names(event, filter);
    pthread_mutex_unlock(&lock);
    calldata_t call = {0};
    calldata_set_ptr(&call, "vendor", vendor);
    calldata_set_string(&call, "type", obs_data_get_string(event, "event"));
    calldata_set_ptr(&call, "data", event);
    proc_handler_call(websocket, "vendor_event_emit", &call);
    calldata_free(&call);
    obs_data_release(event);
}

// MARK: Requests

/// Executes a call for each filter that a request means; stores the result in the response.
static void for_each(
    obs_data_t *request, obs_data_t *response, bool (*call)(Filter *filter, obs_data_t *request, char **message)) {
    long long count = 0;
    char *message = NULL;
    pthread_mutex_lock(&lock);
    for (Filter *filter = first; filter; filter = filter->next) {
        if (!is_meant(request, filter)) continue;
        bfree(message);
        message = NULL;
        if (call(filter, request, &message)) count++;
    }
    pthread_mutex_unlock(&lock);
    obs_data_set_int(response, "filters", count);
    if (message) obs_data_set_string(response, "error", message);
    else if (!count) obs_data_set_string(response, "error", "no source has the filter Flourish Reactions, or none with these names");
    bfree(message);
}

static bool perform(Filter *filter, obs_data_t *request, char **message) {
    const char *reaction = obs_data_get_string(request, "reaction");
    bool has_place = obs_data_has_user_value(request, "x") || obs_data_has_user_value(request, "y");
    double x = has_place ? obs_data_get_double(request, "x") : -1, y = obs_data_get_double(request, "y");
    if (has_place && !(x >= 0)) x = 2;
    return worker_perform(filter->worker, reaction, x, y, message);
}

static bool cancel(Filter *filter, obs_data_t *request, char **message) {
    const char *reaction = obs_data_get_string(request, "reaction");
    return worker_cancel(filter->worker, *reaction ? reaction : NULL, message);
}

static bool snooze(Filter *filter, obs_data_t *request, char **message) {
    return worker_snooze(filter->worker, obs_data_get_double(request, "seconds"), message);
}

static void on_perform(obs_data_t *request, obs_data_t *response, void *) { for_each(request, response, perform); }
static void on_cancel(obs_data_t *request, obs_data_t *response, void *) { for_each(request, response, cancel); }
static void on_snooze(obs_data_t *request, obs_data_t *response, void *) { for_each(request, response, snooze); }

/// Lists the filters with their sources and reactions.
static void on_status(obs_data_t *, obs_data_t *response, void *) {
    obs_data_array_t *filters = obs_data_array_create();
    pthread_mutex_lock(&lock);
    for (Filter *filter = first; filter; filter = filter->next) {
        // A JSON array of strings has no counterpart in obs_data but within a text.
        char *reactions = worker_reactions(filter->worker);
        obs_data_t *entry = obs_data_create();
        set_names(entry, filter);
        obs_data_set_bool(entry, "ready", reactions);
        obs_data_set_string(entry, "reactions", reactions ? reactions : "[]");
        obs_data_array_push_back(filters, entry);
        obs_data_release(entry);
        bfree(reactions);
    }
    pthread_mutex_unlock(&lock);
    obs_data_set_array(response, "filters", filters);
    obs_data_array_release(filters);
    obs_data_set_string(response, "version", flourish_version());
}

static void add_request(const char *type, void (*function)(obs_data_t *, obs_data_t *, void *)) {
    struct RequestCallback callback = {function, NULL};
    calldata_t call = {0};
    calldata_set_ptr(&call, "vendor", vendor);
    calldata_set_string(&call, "type", type);
    calldata_set_ptr(&call, "callback", &callback);
    proc_handler_call(websocket, "vendor_request_register", &call);
    if (!calldata_bool(&call, "success")) blog(LOG_WARNING, "[Flourish] obs-websocket refuses the request %s", type);
    calldata_free(&call);
}

void flourish_register_vendor(void) {
    calldata_t call = {0};
    if (proc_handler_call(obs_get_proc_handler(), "obs_websocket_api_get_ph", &call))
        websocket = calldata_ptr(&call, "ph");
    calldata_free(&call);
    if (!websocket) {
        blog(LOG_INFO, "[Flourish] obs-websocket is not installed; there are no requests and events");
        return;
    }
    call = (calldata_t){0};
    calldata_set_string(&call, "name", "flourish");
    proc_handler_call(websocket, "vendor_register", &call);
    vendor = calldata_ptr(&call, "vendor");
    calldata_free(&call);
    if (!vendor) return;
    add_request("perform", on_perform);
    add_request("cancel", on_cancel);
    add_request("snooze", on_snooze);
    add_request("status", on_status);
}
