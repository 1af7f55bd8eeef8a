#include "worker.h"

#include <obs-module.h>
#include <pthread.h>
#include <stdlib.h>
#include <util/dstr.h>
#include <util/platform.h>
#include <util/threading.h>

enum { FREE, TAKEN, WAITING, BUSY, DONE };
enum { FRAME_COUNT = 3, REQUEST_COUNT = 16 };
// A request without a processor is dropped after this time in nanoseconds: the source is hidden.
#define REQUEST_LIFETIME 2000000000ull

typedef struct {
    char *reaction;
    double x, y;
    uint64_t time;
} Request;

struct Worker {
    pthread_t thread;
    bool has_thread;
    WorkerEvent event;
    void *data;

    /// Guards the fields below. It is not held while a frame is processed.
    pthread_mutex_t lock;
    pthread_cond_t wake;
    bool stops, is_active, is_stale, has_new_result, has_switches, draws_pictures;
    WorkerSettings settings;
    Frame frames[FRAME_COUNT];
    Frame *waiting, *result;
    /// Only the thread assigns it.
    flourish_processor *processor;
    Request requests[REQUEST_COUNT];
    size_t request_count;

    /// Used by the thread alone.
    uint32_t width, height;
};

static void emit_events(Worker *worker) {
    char *event;
    while (flourish_next_event(worker->processor, &event) == FLOURISH_OK && event) {
        worker->event(worker->data, event);
        flourish_free(event);
    }
}

// MARK: Processors

static void end_processor(Worker *worker) {
    if (!worker->processor) return;
    flourish_finish(worker->processor);
    emit_events(worker);
    pthread_mutex_lock(&worker->lock);
    flourish_processor *processor = worker->processor;
    worker->processor = NULL;
    pthread_mutex_unlock(&worker->lock);
    flourish_destroy(processor);
}

static flourish_status perform_now(flourish_processor *processor, const char *reaction, double x, double y) {
    return x < 0 ? flourish_perform(processor, reaction) : flourish_perform_at(processor, reaction, x, y);
}

/// Passes stored requests to the processor. The lock is held.
static void perform_stored(Worker *worker) {
    uint64_t now = os_gettime_ns();
    for (size_t i = 0; i < worker->request_count; i++) {
        Request *request = &worker->requests[i];
        bool is_current = now - request->time < REQUEST_LIFETIME;
        if (is_current && worker->processor && perform_now(worker->processor, request->reaction, request->x, request->y))
            blog(LOG_WARNING, "[Flourish] %s", flourish_error_message());
        bfree(request->reaction);
    }
    worker->request_count = 0;
}

/// Creates a processor for frames of the given size, in place of the current one.
static void create_processor(Worker *worker, uint32_t width, uint32_t height) {
    end_processor(worker);
    worker->width = width;
    worker->height = height;
    pthread_mutex_lock(&worker->lock);
    worker->is_stale = false;
    worker->has_switches = true;
    worker->draws_pictures = worker->settings.draws_pictures;
    char *json = bstrdup(worker->settings.json);
    pthread_mutex_unlock(&worker->lock);
    flourish_processor *processor = NULL;
    if (flourish_create((int32_t)width, (int32_t)height, FLOURISH_RGBA, json, &processor))
        blog(LOG_WARNING, "[Flourish] no reactions: %s", flourish_error_message());
    bfree(json);
    pthread_mutex_lock(&worker->lock);
    worker->processor = processor;
    pthread_mutex_unlock(&worker->lock);
}

/// Applies switches that take no new processor. The lock is held.
static void apply_switches(Worker *worker) {
    worker->has_switches = false;
    if (!worker->processor) return;
    flourish_set_switch(worker->processor, FLOURISH_GESTURES, worker->settings.gestures);
    static const char *const gestures[] = {"thumbsUp",    "thumbsDown",    "victory",      "heart",
                                           "twoThumbsUp", "twoThumbsDown", "twoVictories", "twoHorns"};
    for (size_t i = 0; i < sizeof gestures / sizeof *gestures; i++) {
        struct dstr name = {0}, list = {0};
        dstr_printf(&name, ",%s,", gestures[i]);
        dstr_printf(&list, ",%s,", worker->settings.disabled);
        flourish_set_gesture(worker->processor, gestures[i], !strstr(list.array, name.array));
        dstr_free(&name);
        dstr_free(&list);
    }
}

// MARK: The thread

/// Processes a frame in place; returns whether it is a picture, or an overlay that is not empty.
static bool process(Worker *worker, Frame *frame) {
    pthread_mutex_lock(&worker->lock);
    bool is_stale = worker->is_stale || worker->width != frame->width || worker->height != frame->height;
    pthread_mutex_unlock(&worker->lock);
    // A failed creation is repeated only after a change.
    if (is_stale) create_processor(worker, frame->width, frame->height);
    pthread_mutex_lock(&worker->lock);
    if (worker->has_switches) apply_switches(worker);
    perform_stored(worker);
    pthread_mutex_unlock(&worker->lock);
    if (!worker->processor) return false;

    uint8_t *planes[] = {frame->pixels};
    int32_t strides[] = {(int32_t)frame->width * 4};
    bool is_drawn = false;
    flourish_status status = flourish_process(worker->processor, planes, strides, (int64_t)frame->time, &is_drawn);
    if (status != FLOURISH_OK && status != FLOURISH_LATE_FRAME)
        blog(LOG_WARNING, "[Flourish] %s", flourish_error_message());
    emit_events(worker);
    frame->is_picture = worker->draws_pictures;
    return is_drawn;
}

static void *run(void *data) {
    Worker *worker = data;
    os_set_thread_name("flourish");
    pthread_mutex_lock(&worker->lock);
    while (!worker->stops) {
        Frame *frame = worker->waiting;
        if (!frame) {
            pthread_cond_wait(&worker->wake, &worker->lock);
            continue;
        }
        worker->waiting = NULL;
        frame->state = BUSY;
        pthread_mutex_unlock(&worker->lock);
        bool is_drawn = process(worker, frame);
        pthread_mutex_lock(&worker->lock);
        if (worker->result) worker->result->state = FREE;
        worker->result = is_drawn ? frame : NULL;
        worker->has_new_result = true;
        worker->is_active = is_drawn;
        frame->state = is_drawn ? DONE : FREE;
    }
    pthread_mutex_unlock(&worker->lock);
    end_processor(worker);
    return NULL;
}

// MARK: Calls of OBS's threads

static void set_settings(Worker *worker, const WorkerSettings *settings) {
    if (!worker->settings.json || strcmp(worker->settings.json, settings->json)) worker->is_stale = true;
    // Also after a change, the first result is due soon.
    if (worker->is_stale && settings->draws_pictures) worker->is_active = true;
    bfree(worker->settings.json);
    bfree(worker->settings.disabled);
    worker->settings = *settings;
    worker->settings.json = bstrdup(settings->json);
    worker->settings.disabled = bstrdup(settings->disabled);
    worker->has_switches = true;
}

Worker *worker_create(const WorkerSettings *settings, WorkerEvent event, void *data) {
    Worker *worker = bzalloc(sizeof *worker);
    worker->event = event;
    worker->data = data;
    pthread_mutex_init(&worker->lock, NULL);
    pthread_cond_init(&worker->wake, NULL);
    set_settings(worker, settings);
    worker->has_thread = !pthread_create(&worker->thread, NULL, run, worker);
    if (!worker->has_thread) blog(LOG_WARNING, "[Flourish] no reactions: the system has no thread left");
    return worker;
}

void worker_destroy(Worker *worker) {
    pthread_mutex_lock(&worker->lock);
    worker->stops = true;
    pthread_cond_signal(&worker->wake);
    pthread_mutex_unlock(&worker->lock);
    if (worker->has_thread) pthread_join(worker->thread, NULL);
    perform_stored(worker);
    for (size_t i = 0; i < FRAME_COUNT; i++) bfree(worker->frames[i].pixels);
    bfree(worker->settings.json);
    bfree(worker->settings.disabled);
    pthread_cond_destroy(&worker->wake);
    pthread_mutex_destroy(&worker->lock);
    bfree(worker);
}

void worker_update(Worker *worker, const WorkerSettings *settings) {
    pthread_mutex_lock(&worker->lock);
    set_settings(worker, settings);
    pthread_mutex_unlock(&worker->lock);
}

Frame *worker_take_frame(Worker *worker, uint32_t width, uint32_t height) {
    Frame *found = NULL;
    pthread_mutex_lock(&worker->lock);
    // A waiting frame is not replaced: the worker takes it next.
    for (size_t i = 0; i < FRAME_COUNT && !found && !worker->waiting; i++)
        if (worker->frames[i].state == FREE) found = &worker->frames[i];
    if (found) found->state = TAKEN;
    pthread_mutex_unlock(&worker->lock);
    if (!found) return NULL;
    size_t size = (size_t)width * height * 4;
    if (found->capacity < size) {
        found->pixels = brealloc(found->pixels, size);
        found->capacity = size;
    }
    found->width = width;
    found->height = height;
    return found;
}

void worker_submit(Worker *worker, Frame *frame) {
    pthread_mutex_lock(&worker->lock);
    frame->state = WAITING;
    worker->waiting = frame;
    pthread_cond_signal(&worker->wake);
    pthread_mutex_unlock(&worker->lock);
}

Frame *worker_take_result(Worker *worker, bool *is_empty) {
    pthread_mutex_lock(&worker->lock);
    Frame *frame = worker->result;
    *is_empty = worker->has_new_result && !frame;
    worker->has_new_result = false;
    worker->result = NULL;
    if (frame) frame->state = TAKEN;
    pthread_mutex_unlock(&worker->lock);
    return frame;
}

void worker_release(Worker *worker, Frame *frame) {
    pthread_mutex_lock(&worker->lock);
    frame->state = FREE;
    pthread_mutex_unlock(&worker->lock);
}

bool worker_recognises(Worker *worker) {
    pthread_mutex_lock(&worker->lock);
    bool recognises = worker->settings.gestures;
    pthread_mutex_unlock(&worker->lock);
    return recognises;
}

bool worker_is_active(Worker *worker) {
    pthread_mutex_lock(&worker->lock);
    bool is_active = worker->is_active || worker->request_count;
    pthread_mutex_unlock(&worker->lock);
    return is_active;
}

// MARK: Requests

bool worker_perform(Worker *worker, const char *reaction, double x, double y, char **message) {
    flourish_status status = FLOURISH_OK;
    pthread_mutex_lock(&worker->lock);
    if (worker->processor && !worker->is_stale) {
        status = perform_now(worker->processor, reaction, x, y);
        if (!status) worker->is_active = true;
    } else if (worker->request_count < REQUEST_COUNT) {
        worker->requests[worker->request_count++] = (Request){bstrdup(reaction), x, y, os_gettime_ns()};
    }
    if (status) *message = bstrdup(flourish_error_message());
    pthread_mutex_unlock(&worker->lock);
    return !status;
}

/// Executes a call with the processor, if there is one.
#define WITH_PROCESSOR(call)                                        \
    pthread_mutex_lock(&worker->lock);                              \
    flourish_processor *processor = worker->processor;              \
    flourish_status status = processor ? (call) : FLOURISH_OK;      \
    if (status) *message = bstrdup(flourish_error_message());       \
    pthread_mutex_unlock(&worker->lock);                            \
    return !status

bool worker_cancel(Worker *worker, const char *reaction, char **message) {
    WITH_PROCESSOR(flourish_cancel(processor, reaction));
}

bool worker_snooze(Worker *worker, double seconds, char **message) {
    // The library refuses the durations that do not fit, and its message names the others.
    int64_t duration = seconds > -9e9 && seconds < 9e9 ? (int64_t)(seconds * 1e9) : INT64_MAX;
    WITH_PROCESSOR(flourish_snooze(processor, duration));
}

char *worker_reactions(Worker *worker) {
    char *names = NULL, *copy = NULL;
    pthread_mutex_lock(&worker->lock);
    if (worker->processor) flourish_reactions(worker->processor, &names);
    if (names) copy = bstrdup(names);
    flourish_free(names);
    pthread_mutex_unlock(&worker->lock);
    return copy;
}
