#include "settings.h"

#include <flourish.h>
#include <string.h>

// The properties that are tables of the library's settings, or settings of the processor.
static const Setting other_settings[] = {
    {"live", SETTING_FLAG, "processor", "live", 0, 1, 0, NULL,
     "Recognise gestures on a thread beside the frames, for cameras; two runs may differ"},
    {"sensitivities", SETTING_TABLE, "sensitivity", NULL, 0, 0, 0, NULL,
     "Sensitivities of single gestures, such as victory=high,thumbsUp=low"},
    {"bindings", SETTING_TABLE, "bindings", NULL, 0, 0, 0, NULL,
     "Reactions that gestures trigger instead of their own, such as victory=confetti"},
    {"configuration", SETTING_TEXT, "processor", "configuration", 0, 0, 0, NULL,
     "Configuration file to read below these properties; true for the files of the user and the system"},
    {"assets", SETTING_TEXT, "processor", "assets", 0, 0, 0, NULL, "Folder of effects"},
    {"models", SETTING_TEXT, "processor", "models", 0, 0, 0, NULL, "Folder of models"},
    {"runtime", SETTING_TEXT, "processor", "runtime", 0, 0, 0, NULL, "File of LiteRT"},
};

const Setting *flourish_settings;
guint flourish_setting_count;

void flourish_settings_init(void) {
    GArray *settings = g_array_new(FALSE, FALSE, sizeof(Setting));
    const flourish_setting *declared;
    for (int32_t i = 0; (declared = flourish_setting_at(i)); i++) {
        Setting setting = {declared->name,    SETTING_TEXT,      declared->table,
                           declared->name,    declared->minimum, MIN(declared->maximum, G_MAXINT),
                           declared->number,  declared->text,    declared->help};
        switch (declared->type) {
        case FLOURISH_BOOLEAN: setting.kind = SETTING_FLAG; break;
        case FLOURISH_NUMBER: setting.kind = SETTING_NUMBER; break;
        case FLOURISH_INTEGER: setting.kind = SETTING_COUNT; break;
        case FLOURISH_STRINGS: setting.kind = SETTING_LIST; break;
        default: break;
        }
        g_array_append_val(settings, setting);
    }
    g_array_append_vals(settings, other_settings, G_N_ELEMENTS(other_settings));
    flourish_setting_count = settings->len;
    flourish_settings = (const Setting *)(gpointer)g_array_free(settings, FALSE);
}

GParamSpec *flourish_setting_spec(const Setting *setting) {
    const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING;
    const char *name = setting->property, *description = setting->description;
    switch (setting->kind) {
    case SETTING_FLAG: return g_param_spec_boolean(name, name, description, setting->preset != 0, flags);
    case SETTING_NUMBER:
        return g_param_spec_double(name, name, description, setting->minimum, setting->maximum, setting->preset, flags);
    case SETTING_COUNT:
        return g_param_spec_int(
            name, name, description, (int)setting->minimum, (int)setting->maximum, (int)setting->preset, flags);
    default: return g_param_spec_string(name, name, description, setting->preset_text, flags);
    }
}

static void append_text(GString *json, const char *text) {
    g_string_append_c(json, '"');
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') g_string_append_printf(json, "\\%c", *text);
        else if ((guchar)*text < 0x20) g_string_append_printf(json, "\\u%04x", (guchar)*text);
        else g_string_append_c(json, *text);
    }
    g_string_append_c(json, '"');
}

/// Appends the parts of a list, or the pairs of a table, without brackets.
static void append_parts(GString *json, const char *text, gboolean is_table) {
    char **parts = g_strsplit(text ? text : "", ",", -1);
    const char *comma = "";
    for (char **part = parts; *part; part++) {
        if (!*g_strstrip(*part)) continue;
        g_string_append(json, comma);
        comma = ",";
        if (!is_table) {
            append_text(json, *part);
            continue;
        }
        // Without a value, the library's message names the missing one.
        char *value = strchr(*part, '=');
        if (value) *value++ = 0;
        append_text(json, g_strstrip(*part));
        g_string_append_c(json, ':');
        append_text(json, value ? g_strstrip(value) : "");
    }
    g_strfreev(parts);
}

static void append_value(GString *json, const Setting *setting, const GValue *value) {
    char number[G_ASCII_DTOSTR_BUF_SIZE];
    switch (setting->kind) {
    case SETTING_FLAG: g_string_append(json, g_value_get_boolean(value) ? "true" : "false"); return;
    case SETTING_NUMBER: g_string_append(json, g_ascii_dtostr(number, sizeof number, g_value_get_double(value))); return;
    case SETTING_COUNT: g_string_append_printf(json, "%d", g_value_get_int(value)); return;
    case SETTING_LIST:
        g_string_append_c(json, '[');
        append_parts(json, g_value_get_string(value), FALSE);
        g_string_append_c(json, ']');
        return;
    case SETTING_TEXT: {
        const char *text = g_value_get_string(value);
        gboolean is_flag = !strcmp(setting->property, "configuration") && (!strcmp(text, "true") || !strcmp(text, "false"));
        if (is_flag) g_string_append(json, text);
        else append_text(json, text);
        return;
    }
    case SETTING_TABLE: append_parts(json, g_value_get_string(value), TRUE);
    }
}

/// Appends the settings that follow from the format of the frames.
static void append_colours(GString *json, const GstVideoInfo *info) {
    if (!GST_VIDEO_INFO_IS_YUV(info)) return;
    const char *matrix = NULL;
    switch (info->colorimetry.matrix) {
    case GST_VIDEO_COLOR_MATRIX_BT601: matrix = "bt601"; break;
    case GST_VIDEO_COLOR_MATRIX_BT709: matrix = "bt709"; break;
    case GST_VIDEO_COLOR_MATRIX_BT2020: matrix = "bt2020"; break;
    default: break;
    }
    if (matrix) g_string_append_printf(json, "\"matrix\":\"%s\",", matrix);
    gboolean is_full = info->colorimetry.range == GST_VIDEO_COLOR_RANGE_0_255;
    g_string_append_printf(json, "\"full-range\":%s,", is_full ? "true" : "false");
}

char *flourish_settings_json(const GValue *values, const GstVideoInfo *info) {
    static const char *const tables[] = {"recognition", "sensitivity", "effects", "bindings", "processor"};
    GString *json = g_string_new("{");
    for (guint t = 0; t < G_N_ELEMENTS(tables); t++) {
        g_string_append_printf(json, "%s\"%s\":{", t ? "," : "", tables[t]);
        if (!strcmp(tables[t], "processor")) append_colours(json, info);
        for (guint i = 0; i < flourish_setting_count; i++) {
            const Setting *setting = &flourish_settings[i];
            if (strcmp(setting->table, tables[t]) || !G_VALUE_TYPE(&values[i])) continue;
            // A string property that was set to NULL is unset.
            if (G_VALUE_HOLDS_STRING(&values[i]) && !g_value_get_string(&values[i])) continue;
            if (setting->name) {
                append_text(json, setting->name);
                g_string_append_c(json, ':');
            }
            append_value(json, setting, &values[i]);
            g_string_append_c(json, ',');
        }
        // The last comma, or that after an empty table's value.
        while (json->str[json->len - 1] == ',') g_string_truncate(json, json->len - 1);
        g_string_append_c(json, '}');
    }
    g_string_append_c(json, '}');
    return g_string_free(json, FALSE);
}
