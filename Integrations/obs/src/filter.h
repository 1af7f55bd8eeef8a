// The filter "Flourish Reactions": draws overlays of a worker over a source, or its pictures in place of the source.
#ifndef FLOURISH_OBS_FILTER_H
#define FLOURISH_OBS_FILTER_H

#include "worker.h"

#include <obs-module.h>
#include <pthread.h>

enum { REACTION_COUNT = 8 };
extern const char *const flourish_reaction_names[REACTION_COUNT];

typedef struct Filter Filter;

typedef struct {
    Filter *filter;
    const char *reaction;
    obs_hotkey_id hotkey;
} ReactionKey;

struct Filter {
    obs_source_t *source;
    Worker *worker;
    ReactionKey keys[REACTION_COUNT];
    obs_hotkey_id cancel_key, gesture_key;

    /// Guarded by the list's lock: the source that has the filter, and the next filter.
    obs_weak_source_t *parent;
    Filter *next;

    /// Used by the graphics thread alone.
    gs_texrender_t *picture;
    gs_stagesurf_t *stage;
    bool is_staged, is_rendered, shows_result, is_picture;
    uint32_t width, height;
    uint64_t staged_time, next_capture, result_time;
    /// The overlay, or the picture that replaces the source.
    gs_texture_t *result;

    /// The effects are shown without the source.
    volatile bool is_alone;
};

extern struct obs_source_info flourish_filter_info;

/// Settings: settings.c.
void flourish_filter_defaults(obs_data_t *settings);
obs_properties_t *flourish_filter_properties(void *data);
/// Returns the settings of the worker, to be freed with `flourish_free_settings`.
WorkerSettings flourish_worker_settings(obs_data_t *settings);
void flourish_free_settings(WorkerSettings *settings);

/// Hotkeys: hotkeys.c.
void flourish_add_hotkeys(Filter *filter, obs_source_t *parent);
void flourish_remove_hotkeys(Filter *filter);

/// The list of filters, and requests and events of obs-websocket: vendor.c.
void flourish_add_filter(Filter *filter);
void flourish_remove_filter(Filter *filter);
void flourish_set_parent(Filter *filter, obs_source_t *parent);
void flourish_emit_event(Filter *filter, const char *json);
void flourish_register_vendor(void);

#endif
