// A thread that recognises gestures in frames and draws overlays, so that OBS waits for neither.
#ifndef FLOURISH_OBS_WORKER_H
#define FLOURISH_OBS_WORKER_H

#include <flourish.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A frame in RGBA without gaps between rows: a picture of the source, or the result that replaces it.
typedef struct {
    uint8_t *pixels;
    size_t capacity;
    uint32_t width, height;
    /// A result is a whole picture instead of an overlay.
    bool is_picture;
    /// The time in nanoseconds.
    uint64_t time;
    /// Used by the worker.
    int state;
} Frame;

typedef struct Worker Worker;

/// The settings of a worker.
typedef struct {
    /// The library's settings in JSON; a change takes a new processor.
    char *json;
    bool gestures;
    /// Results are whole pictures, with Portrait or Studio Light, instead of overlays.
    bool draws_pictures;
    /// The disabled gestures, with commas between them.
    char *disabled;
} WorkerSettings;

/// Receives an event in JSON, on the worker's threads.
typedef void (*WorkerEvent)(void *data, const char *json);

/// Starts the thread. The settings are copied.
Worker *worker_create(const WorkerSettings *settings, WorkerEvent event, void *data);

/// Ends the thread and frees the worker.
void worker_destroy(Worker *worker);

/// Applies settings from the next frame on.
void worker_update(Worker *worker, const WorkerSettings *settings);

/// Returns a frame of the given size to fill; `NULL` while the worker is busy.
Frame *worker_take_frame(Worker *worker, uint32_t width, uint32_t height);

/// Passes a filled frame to the worker.
void worker_submit(Worker *worker, Frame *frame);

/// Returns the newest result since the last call, to be released; `NULL` if there is none.
///
/// - `is_empty`: receives whether nothing is drawn.
Frame *worker_take_result(Worker *worker, bool *is_empty);

/// Gives a frame back.
void worker_release(Worker *worker, Frame *frame);

/// Returns whether gestures are recognised.
bool worker_recognises(Worker *worker);

/// Returns whether each frame is needed: an effect runs or is requested, or results are whole pictures.
bool worker_is_active(Worker *worker);

/// Performs a reaction; at its default place for a negative `x`. Without a processor, the request is stored for a moment.
///
/// Returns `false` and the library's message, to be freed with `bfree`, if it is refused.
bool worker_perform(Worker *worker, const char *reaction, double x, double y, char **message);

/// Ends the effects of a reaction; all with `NULL`.
bool worker_cancel(Worker *worker, const char *reaction, char **message);

/// Ignores gestures for a while.
bool worker_snooze(Worker *worker, double seconds, char **message);

/// Returns the names of the available reactions as a JSON array, to be freed with `bfree`; `NULL` without a processor.
char *worker_reactions(Worker *worker);

#endif
