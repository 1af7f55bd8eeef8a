#include "settings.h"

#include <string.h>

const Setting flourish_settings[] = {
    {"gestures", SETTING_FLAG, "recognition", "gestures", 0, 1, 1, NULL,
     "Recognise gestures; requested reactions are shown in any case"},
    {"reactions", SETTING_FLAG, "effects", "reactions", 0, 1, 1, NULL, "Show reactions"},
    {"live", SETTING_FLAG, "processor", "live", 0, 1, 0, NULL,
     "Recognise gestures on a thread beside the frames, for cameras; two runs may differ"},
    {"hold", SETTING_NUMBER, "recognition", "hold", 0, 10, 1, NULL, "Seconds for which a gesture must be held"},
    {"cooldown", SETTING_NUMBER, "recognition", "cooldown", 0, 3600, 3, NULL,
     "Seconds for which a gesture does not trigger the same reaction again"},
    {"sensitivity", SETTING_TEXT, "recognition", "sensitivity", 0, 0, 0, "normal",
     "Sensitivity of gestures: low, normal or high"},
    {"sensitivities", SETTING_TABLE, "sensitivity", NULL, 0, 0, 0, NULL,
     "Sensitivities of single gestures, such as victory=high,thumbsUp=low"},
    {"disabled", SETTING_LIST, "recognition", "disabled", 0, 0, 0, NULL,
     "Gestures that trigger nothing, with commas between them"},
    {"bindings", SETTING_TABLE, "bindings", NULL, 0, 0, 0, NULL,
     "Reactions that gestures trigger instead of their own, such as victory=confetti"},
    {"gestures-file", SETTING_TEXT, "recognition", "gestures-file", 0, 0, 0, NULL, "File with custom gestures"},
    {"layout", SETTING_TEXT, "recognition", "layout", 0, 0, 0, "auto",
     "Tiles of a gallery of people: auto, single, a grid such as 3x2, or a file"},
    {"intensity", SETTING_NUMBER, "effects", "intensity", 0, 1, 1, NULL, "Strength of effects"},
    {"portrait", SETTING_NUMBER, "effects", "portrait", 0, 1, 0, NULL,
     "Portrait: strength with which the background is out of focus (blurred)"},
    {"studio-light", SETTING_NUMBER, "effects", "studio-light", 0, 1, 0, NULL,
     "Studio Light: strength of the light on faces, and of the darkness behind them"},
    {"calm", SETTING_FLAG, "effects", "calm", 0, 1, 0, NULL, "Reduced motion: show each reaction as a small icon"},
    {"palette", SETTING_TEXT, "effects", "palette", 0, 0, 0, NULL,
     "Colours of the effects: classic, pastel, mono, autumn, neon, ocean, gold, a file, or colours such as #ff8800,#0088ff"},
    {"folders", SETTING_LIST, "effects", "folders", 0, 0, 0, NULL, "Folders with custom effects, with commas between them"},
    {"hold-ring", SETTING_TEXT, "effects", "hold-ring", 0, 0, 0, "off",
     "Ring beside the hand that fills while a gesture is held: output or off"},
    {"seed", SETTING_COUNT, "effects", "seed", 0, G_MAXINT, 1, NULL, "Seed of all random choices"},
    {"configuration", SETTING_TEXT, "processor", "configuration", 0, 0, 0, NULL,
     "Configuration file to read below these properties; true for the files of the user and the system"},
    {"assets", SETTING_TEXT, "processor", "assets", 0, 0, 0, NULL, "Folder of effects"},
    {"models", SETTING_TEXT, "processor", "models", 0, 0, 0, NULL, "Folder of models"},
    {"runtime", SETTING_TEXT, "processor", "runtime", 0, 0, 0, NULL, "File of LiteRT"},
};
const guint flourish_setting_count = G_N_ELEMENTS(flourish_settings);

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
