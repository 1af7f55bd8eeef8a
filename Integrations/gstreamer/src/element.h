// The element `flourish`: draws reactions on video frames in place.
#ifndef FLOURISH_GST_ELEMENT_H
#define FLOURISH_GST_ELEMENT_H

#include <flourish.h>
#include <gst/video/gstvideofilter.h>

G_DECLARE_FINAL_TYPE(FlourishFilter, flourish_filter, FLOURISH, FILTER, GstVideoFilter)

struct _FlourishFilter {
    GstVideoFilter parent;

    /// Guards the fields below. It is not held while a frame is processed.
    GMutex lock;
    /// One value for each of `flourish_settings`; unset ones are `G_VALUE_INIT`.
    GValue *settings;
    /// The processor, or `NULL` before the caps are known, after a flush, and after the last frame. Only the streaming thread
    /// assigns it.
    flourish_processor *processor;
    /// A setting has changed that takes a new processor.
    gboolean is_stale;
    /// The requests since the last processor ended, for the next one: each a `Request`.
    GQueue requests;

    /// Used by the streaming thread alone. The time of the previous frame; -1 before the first one of a processor.
    gint64 last_time;
};

/// Performs a reaction, at its default place for a negative `x`; returns whether it is accepted.
///
/// Before the first frame it is stored, and refused with a warning message if it turns out to be unknown.
gboolean flourish_filter_perform(FlourishFilter *filter, const char *reaction, double x, double y);

/// Adds the properties and the action signals to the class.
void flourish_filter_install_interface(FlourishFilterClass *type);

void flourish_filter_init_interface(FlourishFilter *filter);
void flourish_filter_free_interface(FlourishFilter *filter);

#endif
