// The properties that are settings of the library, and the JSON object that is made of them.
#ifndef FLOURISH_GST_SETTINGS_H
#define FLOURISH_GST_SETTINGS_H

#include <gst/video/video.h>

typedef enum {
    SETTING_FLAG,
    SETTING_NUMBER,
    SETTING_COUNT,
    SETTING_TEXT,
    /// Values with commas between them; an array in JSON.
    SETTING_LIST,
    /// Pairs NAME=VALUE with commas between them; a whole table in JSON.
    SETTING_TABLE
} SettingKind;

/// A property that is a setting of the library.
typedef struct {
    const char *property;
    SettingKind kind;
    /// The table and the name in the library's settings; the name is `NULL` for a whole table.
    const char *table;
    const char *name;
    double minimum, maximum, preset;
    const char *preset_text;
    const char *description;
} Setting;

/// The settings: those that the library declares, and some more.
extern const Setting *flourish_settings;
extern guint flourish_setting_count;

/// Reads the settings of the library, once, before any other use.
void flourish_settings_init(void);

/// Returns the description of the property of a setting.
GParamSpec *flourish_setting_spec(const Setting *setting);

/// Returns the settings object for frames with the given format.
///
/// Properties that were never set (`G_VALUE_INIT`) are left out, so that the library's defaults, or those of configuration files,
/// apply.
char *flourish_settings_json(const GValue *values, const GstVideoInfo *info);

#endif
