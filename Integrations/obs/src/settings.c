// Settings of the filter: their defaults, their dialog, and the library's settings that follow from them.
#include "filter.h"

#include <util/dstr.h>

static const char *const gestures[] = {"thumbsUp",    "thumbsDown",    "victory",      "heart",
                                       "twoThumbsUp", "twoThumbsDown", "twoVictories", "twoHorns"};
enum { GESTURE_COUNT = sizeof gestures / sizeof *gestures };

const char *const flourish_reaction_names[REACTION_COUNT] = {"thumbsUp",  "thumbsDown", "balloons", "heart",
                                                             "fireworks", "rain",       "confetti", "lasers"};

/// The setting that enables a gesture.
static struct dstr gesture_setting(const char *gesture) {
    struct dstr name = {0};
    dstr_printf(&name, "gesture.%s", gesture);
    return name;
}

void flourish_filter_defaults(obs_data_t *settings) {
    obs_data_set_default_bool(settings, "gestures", true);
    for (size_t i = 0; i < GESTURE_COUNT; i++) {
        struct dstr name = gesture_setting(gestures[i]);
        obs_data_set_default_bool(settings, name.array, true);
        dstr_free(&name);
    }
    obs_data_set_default_double(settings, "hold", 1);
    obs_data_set_default_double(settings, "cooldown", 3);
    obs_data_set_default_string(settings, "sensitivity", "normal");
    obs_data_set_default_double(settings, "intensity", 1);
    obs_data_set_default_double(settings, "portrait", 0);
    obs_data_set_default_double(settings, "studio-light", 0);
}

/// Adds a list of choices; their texts are `prefix` and the value.
static void add_choices(obs_properties_t *properties, const char *name, const char *const *values) {
    struct dstr text = {0};
    obs_property_t *list = obs_properties_add_list(
        properties, name, obs_module_text(name), OBS_COMBO_TYPE_LIST, OBS_COMBO_FORMAT_STRING);
    for (; *values; values++) {
        dstr_printf(&text, "%s.%s", name, **values ? *values : "own");
        obs_property_list_add_string(list, obs_module_text(text.array), *values);
    }
    dstr_free(&text);
}

static bool perform_clicked(obs_properties_t *, obs_property_t *property, void *data) {
    const char *reaction = obs_property_name(property) + strlen("perform.");
    char *message = NULL;
    if (data && !worker_perform(((Filter *)data)->worker, reaction, -1, -1, &message)) {
        blog(LOG_WARNING, "[Flourish] %s", message);
        bfree(message);
    }
    return false;
}

obs_properties_t *flourish_filter_properties(void *data) {
    static const char *const sensitivities[] = {"low", "normal", "high", NULL};
    static const char *const palettes[] = {"", "classic", "pastel", "mono", "autumn", "neon", "ocean", "gold", NULL};
    obs_properties_t *properties = obs_properties_create();

    obs_properties_t *group = obs_properties_create();
    for (size_t i = 0; i < GESTURE_COUNT; i++) {
        struct dstr name = gesture_setting(gestures[i]);
        obs_properties_add_bool(group, name.array, obs_module_text(name.array));
        dstr_free(&name);
    }
    obs_properties_add_float_slider(group, "hold", obs_module_text("hold"), 0, 3, 0.1);
    obs_properties_add_float_slider(group, "cooldown", obs_module_text("cooldown"), 0, 30, 0.5);
    add_choices(group, "sensitivity", sensitivities);
    obs_properties_add_group(properties, "gestures", obs_module_text("gestures"), OBS_GROUP_CHECKABLE, group);

    group = obs_properties_create();
    obs_properties_add_float_slider(group, "intensity", obs_module_text("intensity"), 0, 1, 0.05);
    add_choices(group, "palette", palettes);
    obs_properties_add_bool(group, "calm", obs_module_text("calm"));
    obs_properties_add_bool(group, "ring", obs_module_text("ring"));
    obs_property_t *alone = obs_properties_add_bool(group, "alone", obs_module_text("alone"));
    obs_property_set_long_description(alone, obs_module_text("alone.description"));
    obs_properties_add_group(properties, "effects", obs_module_text("effects"), OBS_GROUP_NORMAL, group);

    group = obs_properties_create();
    obs_property_t *portrait =
        obs_properties_add_float_slider(group, "portrait", obs_module_text("portrait"), 0, 1, 0.05);
    obs_property_set_long_description(portrait, obs_module_text("portrait.description"));
    obs_property_t *light =
        obs_properties_add_float_slider(group, "studio-light", obs_module_text("studio-light"), 0, 1, 0.05);
    obs_property_set_long_description(light, obs_module_text("studio-light.description"));
    obs_properties_add_group(properties, "video", obs_module_text("video"), OBS_GROUP_NORMAL, group);

    obs_property_t *file = obs_properties_add_path(
        properties, "configuration", obs_module_text("configuration"), OBS_PATH_FILE, "TOML (*.toml)", NULL);
    obs_property_set_long_description(file, obs_module_text("configuration.description"));

    group = obs_properties_create();
    for (size_t i = 0; i < REACTION_COUNT; i++) {
        struct dstr name = {0};
        dstr_printf(&name, "perform.%s", flourish_reaction_names[i]);
        obs_properties_add_button2(group, name.array, obs_module_text(name.array), perform_clicked, data);
        dstr_free(&name);
    }
    obs_properties_add_group(properties, "perform", obs_module_text("perform"), OBS_GROUP_NORMAL, group);
    return properties;
}

WorkerSettings flourish_worker_settings(obs_data_t *settings) {
    obs_data_t *all = obs_data_create(), *recognition = obs_data_create(), *effects = obs_data_create();
    obs_data_t *processor = obs_data_create();
    obs_data_set_double(recognition, "hold", obs_data_get_double(settings, "hold"));
    obs_data_set_double(recognition, "cooldown", obs_data_get_double(settings, "cooldown"));
    obs_data_set_string(recognition, "sensitivity", obs_data_get_string(settings, "sensitivity"));
    obs_data_set_double(effects, "intensity", obs_data_get_double(settings, "intensity"));
    obs_data_set_bool(effects, "calm", obs_data_get_bool(settings, "calm"));
    obs_data_set_string(effects, "hold-ring", obs_data_get_bool(settings, "ring") ? "output" : "off");
    const char *palette = obs_data_get_string(settings, "palette");
    if (*palette) obs_data_set_string(effects, "palette", palette);
    obs_data_set_bool(processor, "live", true);
    // Portrait and Studio Light change the picture itself; effects alone have none.
    bool is_alone = obs_data_get_bool(settings, "alone");
    double portrait = is_alone ? 0 : obs_data_get_double(settings, "portrait");
    double light = is_alone ? 0 : obs_data_get_double(settings, "studio-light");
    bool draws_pictures = portrait > 0 || light > 0;
    obs_data_set_double(effects, "portrait", portrait);
    obs_data_set_double(effects, "studio-light", light);
    obs_data_set_bool(processor, "overlay", !draws_pictures);
    const char *configuration = obs_data_get_string(settings, "configuration");
    if (*configuration) obs_data_set_string(processor, "configuration", configuration);
    obs_data_set_obj(all, "recognition", recognition);
    obs_data_set_obj(all, "effects", effects);
    obs_data_set_obj(all, "processor", processor);

    struct dstr disabled = {0};
    dstr_copy(&disabled, "");
    for (size_t i = 0; i < GESTURE_COUNT; i++) {
        struct dstr name = gesture_setting(gestures[i]);
        if (!obs_data_get_bool(settings, name.array)) dstr_catf(&disabled, "%s%s", dstr_is_empty(&disabled) ? "" : ",", gestures[i]);
        dstr_free(&name);
    }
    WorkerSettings result = {
        bstrdup(obs_data_get_json(all)), obs_data_get_bool(settings, "gestures"), draws_pictures,
        bstrdup(dstr_is_empty(&disabled) ? "" : disabled.array)};
    dstr_free(&disabled);
    obs_data_release(processor);
    obs_data_release(effects);
    obs_data_release(recognition);
    obs_data_release(all);
    return result;
}

void flourish_free_settings(WorkerSettings *settings) {
    bfree(settings->json);
    bfree(settings->disabled);
}
