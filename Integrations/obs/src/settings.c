// Settings of the filter: their defaults, their dialog, and the library's settings that follow from them.
#include "filter.h"

#include <flourish.h>
#include <util/dstr.h>

/// Returns a setting of the library; `NULL` if there is none.
static const flourish_setting *library_setting(const char *table, const char *name) {
    const flourish_setting *setting;
    for (int32_t i = 0; (setting = flourish_setting_at(i)); i++)
        if (!strcmp(setting->table, table) && !strcmp(setting->name, name)) return setting;
    return NULL;
}

/// Returns the names of the gestures, with `NULL` at the end.
static const char *const *gesture_names(void) {
    static const char *const none[] = {NULL};
    const flourish_setting *disabled = library_setting("recognition", "disabled");
    return disabled ? disabled->choices : none;
}

const char *const flourish_reaction_names[REACTION_COUNT] = {"thumbsUp",  "thumbsDown", "balloons", "heart",
                                                             "fireworks", "rain",       "confetti", "lasers"};

/// The setting that enables a gesture.
static struct dstr gesture_setting(const char *gesture) {
    struct dstr name = {0};
    dstr_printf(&name, "gesture.%s", gesture);
    return name;
}

/// Returns the group of the dialog that has a setting of the library; `NULL` if the dialog does not show it as it is.
static const char *group_of(const flourish_setting *setting) {
    const char *name = setting->name;
    if (!strcmp(name, "portrait") || !strcmp(name, "studio-light") || !strcmp(name, "auto-framing"))
        return "video";
    bool is_shown = setting->type == FLOURISH_NUMBER || !strcmp(name, "sensitivity") || !strcmp(name, "calm") ||
                    !strcmp(name, "palette");
    if (!is_shown) return NULL;
    return strcmp(setting->table, "recognition") ? "effects" : "gestures";
}

void flourish_filter_defaults(obs_data_t *settings) {
    obs_data_set_default_bool(settings, "gestures", true);
    for (const char *const *gesture = gesture_names(); *gesture; gesture++) {
        struct dstr name = gesture_setting(*gesture);
        obs_data_set_default_bool(settings, name.array, true);
        dstr_free(&name);
    }
    const flourish_setting *setting;
    for (int32_t i = 0; (setting = flourish_setting_at(i)); i++) {
        if (!group_of(setting)) continue;
        if (setting->type == FLOURISH_BOOLEAN) obs_data_set_default_bool(settings, setting->name, setting->number != 0);
        else if (setting->type == FLOURISH_NUMBER) obs_data_set_default_double(settings, setting->name, setting->number);
        else if (setting->text) obs_data_set_default_string(settings, setting->name, setting->text);
    }
}

/// Returns the text of the locale, or `other` if it has none.
static const char *text_or(const char *name, const char *other) {
    const char *text = NULL;
    return obs_module_get_string(name, &text) ? text : other;
}

/// Adds a list of a setting's choices.
static obs_property_t *add_choices(obs_properties_t *group, const flourish_setting *setting, const char *label) {
    struct dstr text = {0};
    obs_property_t *list =
        obs_properties_add_list(group, setting->name, label, OBS_COMBO_TYPE_LIST, OBS_COMBO_FORMAT_STRING);
    if (!setting->text) {
        dstr_printf(&text, "%s.own", setting->name);
        obs_property_list_add_string(list, text_or(text.array, ""), "");
    }
    for (const char *const *choice = setting->choices; choice && *choice; choice++) {
        dstr_printf(&text, "%s.%s", setting->name, *choice);
        obs_property_list_add_string(list, text_or(text.array, *choice), *choice);
    }
    dstr_free(&text);
    return list;
}

/// Adds the controls of a group's settings.
static void add_settings(obs_properties_t *properties, const char *group) {
    struct dstr description = {0};
    const flourish_setting *setting;
    for (int32_t i = 0; (setting = flourish_setting_at(i)); i++) {
        const char *name = setting->name, *of_setting = group_of(setting);
        if (!of_setting || strcmp(of_setting, group)) continue;
        const char *label = text_or(name, name);
        double minimum = setting->minimum, maximum = setting->maximum;
        obs_property_t *property;
        if (setting->type == FLOURISH_BOOLEAN) property = obs_properties_add_bool(properties, name, label);
        else if (setting->type != FLOURISH_NUMBER) property = add_choices(properties, setting, label);
        // A slider cannot be moved by single steps in a large range.
        else if (maximum > 60) property = obs_properties_add_float(properties, name, label, minimum, maximum, 0.5);
        else
            property = obs_properties_add_float_slider(
                properties, name, label, minimum, maximum, maximum > 1 ? 0.1 : 0.05);
        dstr_printf(&description, "%s.description", name);
        obs_property_set_long_description(property, text_or(description.array, setting->help));
    }
    dstr_free(&description);
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
    obs_properties_t *properties = obs_properties_create();

    obs_properties_t *group = obs_properties_create();
    for (const char *const *gesture = gesture_names(); *gesture; gesture++) {
        struct dstr name = gesture_setting(*gesture);
        obs_properties_add_bool(group, name.array, obs_module_text(name.array));
        dstr_free(&name);
    }
    add_settings(group, "gestures");
    obs_properties_add_group(properties, "gestures", obs_module_text("gestures"), OBS_GROUP_CHECKABLE, group);

    group = obs_properties_create();
    add_settings(group, "effects");
    obs_properties_add_bool(group, "ring", obs_module_text("ring"));
    obs_property_t *alone = obs_properties_add_bool(group, "alone", obs_module_text("alone"));
    obs_property_set_long_description(alone, obs_module_text("alone.description"));
    obs_properties_add_group(properties, "effects", obs_module_text("effects"), OBS_GROUP_NORMAL, group);

    group = obs_properties_create();
    add_settings(group, "video");
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
    // Portrait and Studio Light change the picture itself; effects alone have none.
    bool is_alone = obs_data_get_bool(settings, "alone"), draws_pictures = false;
    const flourish_setting *setting;
    for (int32_t i = 0; (setting = flourish_setting_at(i)); i++) {
        const char *name = setting->name, *group = group_of(setting);
        if (!group) continue;
        obs_data_t *table = strcmp(setting->table, "recognition") ? effects : recognition;
        if (setting->type == FLOURISH_BOOLEAN) {
            obs_data_set_bool(table, name, obs_data_get_bool(settings, name));
        } else if (setting->type == FLOURISH_NUMBER) {
            bool is_picture = !strcmp(group, "video");
            double number = is_picture && is_alone ? 0 : obs_data_get_double(settings, name);
            draws_pictures |= is_picture && number > 0;
            obs_data_set_double(table, name, number);
        } else {
            const char *text = obs_data_get_string(settings, name);
            if (*text) obs_data_set_string(table, name, text);
        }
    }
    obs_data_set_string(effects, "hold-ring", obs_data_get_bool(settings, "ring") ? "output" : "off");
    obs_data_set_bool(processor, "live", true);
    obs_data_set_bool(processor, "overlay", !draws_pictures);
    const char *configuration = obs_data_get_string(settings, "configuration");
    if (*configuration) obs_data_set_string(processor, "configuration", configuration);
    obs_data_set_obj(all, "recognition", recognition);
    obs_data_set_obj(all, "effects", effects);
    obs_data_set_obj(all, "processor", processor);

    struct dstr disabled = {0};
    dstr_copy(&disabled, "");
    for (const char *const *gesture = gesture_names(); *gesture; gesture++) {
        struct dstr name = gesture_setting(*gesture);
        if (!obs_data_get_bool(settings, name.array))
            dstr_catf(&disabled, "%s%s", dstr_is_empty(&disabled) ? "" : ",", *gesture);
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
