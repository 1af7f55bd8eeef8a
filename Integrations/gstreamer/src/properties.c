// The properties and action signals of the element.
#include "element.h"
#include "settings.h"

#include <string.h>

// Numbers of properties begin at 1; those of `flourish_settings` come first.
static guint reaction_number(void) { return flourish_setting_count + 1; }

/// Applies a setting that can be switched; returns whether no new processor is needed. The lock is held.
static gboolean apply_switch(FlourishFilter *filter, guint number) {
    const Setting *setting = &flourish_settings[number];
    flourish_switch name;
    if (!strcmp(setting->property, "gestures")) name = FLOURISH_GESTURES;
    else if (!strcmp(setting->property, "reactions")) name = FLOURISH_REACTIONS;
    else return FALSE;
    return flourish_set_switch(filter->processor, name, g_value_get_boolean(&filter->settings[number])) == FLOURISH_OK;
}

static void set_property(GObject *object, guint number, const GValue *value, GParamSpec *spec) {
    FlourishFilter *filter = FLOURISH_FILTER(object);
    if (number == reaction_number()) {
        const char *reaction = g_value_get_string(value);
        if (reaction) flourish_filter_perform(filter, reaction, -1, -1);
        return;
    }
    if (number > flourish_setting_count) {
        G_OBJECT_WARN_INVALID_PROPERTY_ID(object, number, spec);
        return;
    }
    g_mutex_lock(&filter->lock);
    GValue *stored = &filter->settings[number - 1];
    if (!G_VALUE_TYPE(stored)) g_value_init(stored, G_VALUE_TYPE(value));
    g_value_copy(value, stored);
    if (filter->processor && !apply_switch(filter, number - 1)) filter->is_stale = TRUE;
    g_mutex_unlock(&filter->lock);
}

static void get_property(GObject *object, guint number, GValue *value, GParamSpec *spec) {
    FlourishFilter *filter = FLOURISH_FILTER(object);
    if (number > flourish_setting_count) {
        G_OBJECT_WARN_INVALID_PROPERTY_ID(object, number, spec);
        return;
    }
    g_mutex_lock(&filter->lock);
    const GValue *stored = &filter->settings[number - 1];
    if (G_VALUE_TYPE(stored)) g_value_copy(stored, value);
    else g_param_value_set_default(spec, value);
    g_mutex_unlock(&filter->lock);
}

// MARK: Action signals

/// Executes a call with the processor; without one, or after a failure that is logged, returns `FALSE`.
#define WITH_PROCESSOR(filter, call)                                             \
    g_mutex_lock(&(filter)->lock);                                               \
    flourish_processor *processor = (filter)->processor;                         \
    gboolean is_done = processor && (call) == FLOURISH_OK;                       \
    g_mutex_unlock(&(filter)->lock);                                             \
    if (processor && !is_done) GST_WARNING_OBJECT(filter, "%s", flourish_error_message()); \
    return is_done

static gboolean perform(FlourishFilter *filter, const char *reaction) {
    return reaction && flourish_filter_perform(filter, reaction, -1, -1);
}

static gboolean perform_at(FlourishFilter *filter, const char *reaction, double x, double y) {
    return reaction && x >= 0 && x <= 1 && y >= 0 && y <= 1 && flourish_filter_perform(filter, reaction, x, y);
}

static gboolean cancel(FlourishFilter *filter, const char *reaction) {
    WITH_PROCESSOR(filter, flourish_cancel(processor, reaction));
}

static gboolean cancel_effect(FlourishFilter *filter, gint64 effect) {
    WITH_PROCESSOR(filter, flourish_cancel_effect(processor, effect));
}

static gboolean snooze(FlourishFilter *filter, guint64 duration) {
    WITH_PROCESSOR(filter, flourish_snooze(processor, duration > G_MAXINT64 ? G_MAXINT64 : (gint64)duration));
}

static void add_signal(FlourishFilterClass *type, const char *name, GCallback handler, guint count, const GType *types) {
    g_signal_newv(
        name, G_TYPE_FROM_CLASS(type), G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION,
        g_cclosure_new(handler, NULL, NULL), NULL, NULL, NULL, G_TYPE_BOOLEAN, count, (GType *)types);
}

void flourish_filter_install_interface(FlourishFilterClass *type) {
    flourish_settings_init();
    GObjectClass *object = G_OBJECT_CLASS(type);
    object->set_property = set_property;
    object->get_property = get_property;
    for (guint i = 0; i < flourish_setting_count; i++)
        g_object_class_install_property(object, i + 1, flourish_setting_spec(&flourish_settings[i]));
    g_object_class_install_property(
        object, reaction_number(),
        g_param_spec_string(
            "reaction", "reaction", "Performs the reaction whose name is written, from the next frame on", NULL,
            G_PARAM_WRITABLE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING));

    add_signal(type, "perform", G_CALLBACK(perform), 1, (GType[]){G_TYPE_STRING});
    add_signal(type, "perform-at", G_CALLBACK(perform_at), 3, (GType[]){G_TYPE_STRING, G_TYPE_DOUBLE, G_TYPE_DOUBLE});
    add_signal(type, "cancel", G_CALLBACK(cancel), 1, (GType[]){G_TYPE_STRING});
    add_signal(type, "cancel-effect", G_CALLBACK(cancel_effect), 1, (GType[]){G_TYPE_INT64});
    add_signal(type, "snooze", G_CALLBACK(snooze), 1, (GType[]){G_TYPE_UINT64});
}

void flourish_filter_init_interface(FlourishFilter *filter) { filter->settings = g_new0(GValue, flourish_setting_count); }

void flourish_filter_free_interface(FlourishFilter *filter) {
    for (guint i = 0; i < flourish_setting_count; i++)
        if (G_VALUE_TYPE(&filter->settings[i])) g_value_unset(&filter->settings[i]);
    g_free(filter->settings);
}
