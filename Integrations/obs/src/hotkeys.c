// Hotkeys of the filter: one for each reaction, one that ends all effects, and one that switches gestures on and off.
// They belong to the source that has the filter: filters are private to their source, and have no hotkeys in OBS.
#include "filter.h"

#include <util/dstr.h>

static void perform(void *data, obs_hotkey_id, obs_hotkey_t *, bool is_pressed) {
    ReactionKey *key = data;
    char *message = NULL;
    if (!is_pressed || worker_perform(key->filter->worker, key->reaction, -1, -1, &message)) return;
    blog(LOG_WARNING, "[Flourish] %s", message);
    bfree(message);
}

static void cancel(void *data, obs_hotkey_id, obs_hotkey_t *, bool is_pressed) {
    char *message = NULL;
    if (is_pressed) worker_cancel(((Filter *)data)->worker, NULL, &message);
    bfree(message);
}

static void switch_gestures(void *data, obs_hotkey_id, obs_hotkey_t *, bool is_pressed) {
    if (!is_pressed) return;
    Filter *filter = data;
    obs_data_t *settings = obs_source_get_settings(filter->source);
    obs_data_set_bool(settings, "gestures", !obs_data_get_bool(settings, "gestures"));
    obs_data_release(settings);
    obs_source_update(filter->source, NULL);
}

void flourish_add_hotkeys(Filter *filter, obs_source_t *parent) {
    for (size_t i = 0; i < REACTION_COUNT; i++) {
        ReactionKey *key = &filter->keys[i];
        struct dstr name = {0}, text = {0};
        *key = (ReactionKey){filter, flourish_reaction_names[i], OBS_INVALID_HOTKEY_ID};
        dstr_printf(&name, "flourish.perform.%s", key->reaction);
        dstr_printf(&text, "perform.%s", key->reaction);
        key->hotkey = obs_hotkey_register_source(parent, name.array, obs_module_text(text.array), perform, key);
        dstr_free(&name);
        dstr_free(&text);
    }
    filter->cancel_key = obs_hotkey_register_source(
        parent, "flourish.cancel", obs_module_text("hotkey.cancel"), cancel, filter);
    filter->gesture_key = obs_hotkey_register_source(
        parent, "flourish.gestures", obs_module_text("hotkey.gestures"), switch_gestures, filter);
}

void flourish_remove_hotkeys(Filter *filter) {
    if (!filter->parent) return;
    for (size_t i = 0; i < REACTION_COUNT; i++) obs_hotkey_unregister(filter->keys[i].hotkey);
    obs_hotkey_unregister(filter->cancel_key);
    obs_hotkey_unregister(filter->gesture_key);
}
