// Graphics: pictures of the source for the worker, and its results.
#include "filter.h"

#include <util/platform.h>
#include <util/threading.h>

// Nanoseconds between pictures while no effect runs. Recognition takes some ten pictures a second.
#define IDLE_INTERVAL 66000000ull
// The same without recognition: the pictures only bring a new size and new settings to the worker.
#define SLEEP_INTERVAL 250000000ull
// An overlay is shown for this time without a newer result: the source was hidden meanwhile. A picture with the background out
// of focus stays: the source would show the background for some frames.
#define OVERLAY_LIFETIME 1000000000ull

static const char *get_name(void *) { return obs_module_text("Name"); }

static void on_event(void *data, const char *json) { flourish_emit_event(data, json); }

static void update(void *data, obs_data_t *settings) {
    Filter *filter = data;
    WorkerSettings worker_settings = flourish_worker_settings(settings);
    os_atomic_set_bool(&filter->is_alone, obs_data_get_bool(settings, "alone"));
    worker_update(filter->worker, &worker_settings);
    flourish_free_settings(&worker_settings);
}

static void *create(obs_data_t *settings, obs_source_t *source) {
    Filter *filter = bzalloc(sizeof *filter);
    filter->source = source;
    WorkerSettings worker_settings = flourish_worker_settings(settings);
    os_atomic_set_bool(&filter->is_alone, obs_data_get_bool(settings, "alone"));
    filter->worker = worker_create(&worker_settings, on_event, filter);
    flourish_free_settings(&worker_settings);
    flourish_add_filter(filter);
    return filter;
}

// libobs calls it on a thread of its own, which may wait for the worker.
static void destroy(void *data) {
    Filter *filter = data;
    flourish_remove_hotkeys(filter);
    flourish_remove_filter(filter);
    // Emits the last events.
    worker_destroy(filter->worker);
    obs_weak_source_release(filter->parent);
    obs_enter_graphics();
    gs_texrender_destroy(filter->picture);
    gs_stagesurface_destroy(filter->stage);
    gs_texture_destroy(filter->result);
    obs_leave_graphics();
    bfree(filter);
}

// MARK: Pictures for the worker

/// Passes the picture that was staged in an earlier frame to the worker. By now, mapping it does not wait.
static void submit_staged(Filter *filter) {
    if (!filter->is_staged) return;
    Frame *frame = worker_take_frame(filter->worker, filter->width, filter->height);
    if (!frame) return;
    filter->is_staged = false;
    uint8_t *rows;
    uint32_t stride;
    if (!gs_stagesurface_map(filter->stage, &rows, &stride)) {
        worker_release(filter->worker, frame);
        return;
    }
    size_t row_bytes = (size_t)filter->width * 4;
    for (uint32_t y = 0; y < filter->height; y++)
        memcpy(frame->pixels + y * row_bytes, rows + (size_t)y * stride, row_bytes);
    gs_stagesurface_unmap(filter->stage);
    frame->time = filter->staged_time;
    worker_submit(filter->worker, frame);
}

/// Renders the source, or the filter below this one.
static void render_target(obs_source_t *target, obs_source_t *parent) {
    uint32_t flags = obs_source_get_output_flags(target);
    bool draws_itself = flags & (OBS_SOURCE_CUSTOM_DRAW | OBS_SOURCE_ASYNC);
    if (target == parent && !draws_itself) obs_source_default_render(target);
    else obs_source_video_render(target);
}

/// Renders the source into a texture of its own, and starts its transfer to memory.
static void stage_picture(Filter *filter, obs_source_t *target, obs_source_t *parent, uint32_t width, uint32_t height) {
    if (!filter->stage || filter->width != width || filter->height != height) {
        gs_stagesurface_destroy(filter->stage);
        filter->stage = gs_stagesurface_create(width, height, GS_RGBA);
        filter->width = width;
        filter->height = height;
        if (!filter->stage) return;
    }
    if (!filter->picture) filter->picture = gs_texrender_create(GS_RGBA, GS_ZS_NONE);
    gs_texrender_reset(filter->picture);
    bool had_srgb = gs_framebuffer_srgb_enabled(), was_linear = gs_set_linear_srgb(false);
    gs_enable_framebuffer_srgb(false);
    gs_blend_state_push();
    gs_blend_function(GS_BLEND_ONE, GS_BLEND_ZERO);
    if (gs_texrender_begin(filter->picture, width, height)) {
        struct vec4 black;
        vec4_zero(&black);
        gs_clear(GS_CLEAR_COLOR, &black, 0, 0);
        gs_ortho(0, (float)width, 0, (float)height, -100, 100);
        render_target(target, parent);
        gs_texrender_end(filter->picture);
        gs_stage_texture(filter->stage, gs_texrender_get_texture(filter->picture));
        filter->is_staged = true;
        filter->staged_time = obs_get_video_frame_time();
    }
    gs_blend_state_pop();
    gs_enable_framebuffer_srgb(had_srgb);
    gs_set_linear_srgb(was_linear);
}

// MARK: Results

static void receive_result(Filter *filter) {
    bool is_empty;
    Frame *frame = worker_take_result(filter->worker, &is_empty);
    if (is_empty) filter->shows_result = false;
    if (!frame) return;
    gs_texture_t *texture = filter->result;
    if (!texture || gs_texture_get_width(texture) != frame->width || gs_texture_get_height(texture) != frame->height) {
        gs_texture_destroy(texture);
        filter->result = gs_texture_create(frame->width, frame->height, GS_RGBA, 1, NULL, GS_DYNAMIC);
    }
    filter->shows_result = filter->result;
    filter->is_picture = frame->is_picture;
    if (filter->result) gs_texture_set_image(filter->result, frame->pixels, frame->width * 4, false);
    filter->result_time = obs_get_video_frame_time();
    worker_release(filter->worker, frame);
}

/// Draws the overlay over the source, or the opaque picture in its place.
static void draw_result(Filter *filter, uint32_t width, uint32_t height) {
    gs_effect_t *effect = obs_get_base_effect(OBS_EFFECT_DEFAULT);
    bool had_srgb = gs_framebuffer_srgb_enabled();
    // Effects are blended in the space of the stored values, as the library draws them.
    gs_enable_framebuffer_srgb(false);
    gs_blend_state_push();
    gs_blend_function_separate(GS_BLEND_SRCALPHA, GS_BLEND_INVSRCALPHA, GS_BLEND_ONE, GS_BLEND_INVSRCALPHA);
    gs_effect_set_texture(gs_effect_get_param_by_name(effect, "image"), filter->result);
    while (gs_effect_loop(effect, "Draw")) gs_draw_sprite(filter->result, 0, width, height);
    gs_blend_state_pop();
    gs_enable_framebuffer_srgb(had_srgb);
}

static void video_tick(void *data, float) {
    Filter *filter = data;
    filter->is_rendered = false;
    if (filter->parent) return;
    // The source is not known before; a hidden one is not rendered, but needs its hotkeys.
    obs_source_t *parent = obs_filter_get_parent(filter->source);
    if (!parent) return;
    flourish_set_parent(filter, parent);
    flourish_add_hotkeys(filter, parent);
}

static void video_render(void *data, gs_effect_t *) {
    Filter *filter = data;
    obs_source_t *target = obs_filter_get_target(filter->source), *parent = obs_filter_get_parent(filter->source);
    // A filter that another thread removes has no source. For that reason, obs_source_skip_video_filter is not called: it
    // reads the source again, and ends the program if there is none.
    if (!target || !parent) return;
    uint32_t width = obs_source_get_base_width(target), height = obs_source_get_base_height(target);
    if (!width || !height || width > 16384 || height > 16384) {
        render_target(target, parent);
        return;
    }
    // A frame is rendered several times if there is a preview.
    if (!filter->is_rendered) {
        filter->is_rendered = true;
        submit_staged(filter);
        receive_result(filter);
        uint64_t now = obs_get_video_frame_time();
        if (!filter->is_staged && (now >= filter->next_capture || worker_is_active(filter->worker))) {
            stage_picture(filter, target, parent, width, height);
            filter->next_capture = now + (worker_recognises(filter->worker) ? IDLE_INTERVAL : SLEEP_INTERVAL);
        }
    }
    bool is_alone = os_atomic_load_bool(&filter->is_alone);
    bool shows_picture = filter->shows_result && filter->is_picture && !is_alone;
    bool is_current = obs_get_video_frame_time() - filter->result_time < OVERLAY_LIFETIME;
    bool shows_overlay = filter->shows_result && !filter->is_picture && is_current;
    if (!is_alone && !shows_picture) render_target(target, parent);
    if (shows_picture || shows_overlay) draw_result(filter, width, height);
}

struct obs_source_info flourish_filter_info = {
    .id = "flourish_reactions",
    .type = OBS_SOURCE_TYPE_FILTER,
    .output_flags = OBS_SOURCE_VIDEO,
    .get_name = get_name,
    .create = create,
    .destroy = destroy,
    .update = update,
    .get_defaults = flourish_filter_defaults,
    .get_properties = flourish_filter_properties,
    .video_tick = video_tick,
    .video_render = video_render,
};
