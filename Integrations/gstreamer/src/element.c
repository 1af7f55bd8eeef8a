// Frames: caps, times, processors and messages. properties.c has the properties and signals.
#include "element.h"

#include "settings.h"

#include <string.h>

GST_DEBUG_CATEGORY_STATIC(flourish_debug);
#define GST_CAT_DEFAULT flourish_debug

#define FORMATS "{ I420, NV12, BGRx, RGBA, BGR, RGB }"
#define CAPS                                                                                      \
    "video/x-raw, format=(string)" FORMATS ", width=(int)[ 1, 16384 ], height=(int)[ 1, 16384 ]," \
    "framerate=(fraction)[ 0/1, 2147483647/1 ]"

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE("sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS(CAPS));
static GstStaticPadTemplate source_template = GST_STATIC_PAD_TEMPLATE("src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS(CAPS));

G_DEFINE_FINAL_TYPE(FlourishFilter, flourish_filter, GST_TYPE_VIDEO_FILTER)
GST_ELEMENT_REGISTER_DEFINE(flourish, "flourish", GST_RANK_NONE, flourish_filter_get_type())

// MARK: Events

/// Posts an event of the library as an element message.
static void post_event(FlourishFilter *filter, const char *json) {
    const char *key = "\"event\":\"", *name = strstr(json, key), *end = NULL;
    if (name) end = strchr(name += strlen(key), '"');
    char *event = end ? g_strndup(name, (gsize)(end - name)) : NULL;
    GstStructure *fields =
        gst_structure_new("flourish", "event", G_TYPE_STRING, event, "json", G_TYPE_STRING, json, NULL);
    g_free(event);
    gst_element_post_message(GST_ELEMENT(filter), gst_message_new_element(GST_OBJECT(filter), fields));
}

static void post_events(FlourishFilter *filter, flourish_processor *processor) {
    char *event;
    while (flourish_next_event(processor, &event) == FLOURISH_OK && event) {
        post_event(filter, event);
        flourish_free(event);
    }
}

// MARK: Processors

typedef struct {
    char *reaction;
    double x, y;
} Request;

static gboolean perform_now(flourish_processor *processor, const char *reaction, double x, double y) {
    return (x < 0 ? flourish_perform(processor, reaction) : flourish_perform_at(processor, reaction, x, y)) == FLOURISH_OK;
}

gboolean flourish_filter_perform(FlourishFilter *filter, const char *reaction, double x, double y) {
    g_mutex_lock(&filter->lock);
    gboolean is_accepted = TRUE;
    if (filter->processor && !filter->is_stale) {
        is_accepted = perform_now(filter->processor, reaction, x, y);
    } else {
        Request *request = g_new(Request, 1);
        *request = (Request){g_strdup(reaction), x, y};
        g_queue_push_tail(&filter->requests, request);
    }
    g_mutex_unlock(&filter->lock);
    if (!is_accepted) GST_ELEMENT_WARNING(filter, LIBRARY, SETTINGS, ("%s", flourish_error_message()), (NULL));
    return is_accepted;
}

/// Ends the processor, posts its last events, and leaves the filter without one.
static void end_processor(FlourishFilter *filter) {
    g_mutex_lock(&filter->lock);
    flourish_processor *processor = filter->processor;
    filter->processor = NULL;
    g_mutex_unlock(&filter->lock);
    if (!processor) return;
    flourish_finish(processor);
    post_events(filter, processor);
    flourish_destroy(processor);
}

static flourish_pixel_format pixel_format(const GstVideoInfo *info) {
    switch (GST_VIDEO_INFO_FORMAT(info)) {
    case GST_VIDEO_FORMAT_NV12: return FLOURISH_NV12;
    case GST_VIDEO_FORMAT_I420: return FLOURISH_I420;
    case GST_VIDEO_FORMAT_BGRx: return FLOURISH_BGRX;
    case GST_VIDEO_FORMAT_RGBA: return FLOURISH_RGBA;
    case GST_VIDEO_FORMAT_BGR: return FLOURISH_BGR;
    default: return FLOURISH_RGB;
    }
}

/// Creates a processor for frames of the given format, and passes the stored requests to it.
///
/// Posts an error message and returns `FALSE` if the settings are invalid or a file is missing.
static gboolean create_processor(FlourishFilter *filter, const GstVideoInfo *info) {
    end_processor(filter);
    g_mutex_lock(&filter->lock);
    char *json = flourish_settings_json(filter->settings, info);
    filter->is_stale = FALSE;
    g_mutex_unlock(&filter->lock);
    GST_DEBUG_OBJECT(filter, "settings: %s", json);
    flourish_processor *processor;
    flourish_status status =
        flourish_create(GST_VIDEO_INFO_WIDTH(info), GST_VIDEO_INFO_HEIGHT(info), pixel_format(info), json, &processor);
    g_free(json);
    if (status != FLOURISH_OK) {
        GST_ELEMENT_ERROR(filter, LIBRARY, SETTINGS, ("%s", flourish_error_message()), (NULL));
        return FALSE;
    }
    filter->last_time = -1;
    GQueue requests;
    g_mutex_lock(&filter->lock);
    filter->processor = processor;
    requests = filter->requests;
    g_queue_init(&filter->requests);
    g_mutex_unlock(&filter->lock);
    for (Request *request; (request = g_queue_pop_head(&requests)); g_free(request)) {
        if (!perform_now(processor, request->reaction, request->x, request->y))
            GST_ELEMENT_WARNING(filter, LIBRARY, SETTINGS, ("%s", flourish_error_message()), (NULL));
        g_free(request->reaction);
    }
    return TRUE;
}

/// Drops the requests of before a flush or a stop.
static void drop_requests(FlourishFilter *filter) {
    g_mutex_lock(&filter->lock);
    for (Request *request; (request = g_queue_pop_head(&filter->requests)); g_free(request)) g_free(request->reaction);
    g_mutex_unlock(&filter->lock);
}

// MARK: Frames

static gboolean set_info(
    GstVideoFilter *base, GstCaps *, GstVideoInfo *info, GstCaps *, GstVideoInfo *) {
    return create_processor(FLOURISH_FILTER(base), info);
}

/// Returns the running time of a frame in nanoseconds; that of a frame without a time stamp follows the previous one.
/// `GST_CLOCK_TIME_NONE` is the time of a frame outside of the segment.
static GstClockTime frame_time(FlourishFilter *filter, const GstVideoFrame *frame) {
    GstBaseTransform *transform = GST_BASE_TRANSFORM(filter);
    GstClockTime stamp = GST_BUFFER_PTS(frame->buffer);
    if (GST_CLOCK_TIME_IS_VALID(stamp)) return gst_segment_to_running_time(&transform->segment, GST_FORMAT_TIME, stamp);
    gint numerator = GST_VIDEO_INFO_FPS_N(&frame->info), denominator = GST_VIDEO_INFO_FPS_D(&frame->info);
    if (numerator <= 0) numerator = 30, denominator = 1;
    return filter->last_time < 0 ? 0 : (GstClockTime)filter->last_time + gst_util_uint64_scale(GST_SECOND, denominator, numerator);
}

static GstFlowReturn transform_frame_ip(GstVideoFilter *base, GstVideoFrame *frame) {
    FlourishFilter *filter = FLOURISH_FILTER(base);
    g_mutex_lock(&filter->lock);
    gboolean is_usable = filter->processor && !filter->is_stale;
    g_mutex_unlock(&filter->lock);
    if (!is_usable && !create_processor(filter, &base->in_info)) return GST_FLOW_ERROR;

    GstClockTime time = frame_time(filter, frame);
    if (!GST_CLOCK_TIME_IS_VALID(time) || time > G_MAXINT64 || (gint64)time <= filter->last_time) {
        GST_DEBUG_OBJECT(filter, "no effects on a late frame: %" GST_TIME_FORMAT, GST_TIME_ARGS(time));
        return GST_FLOW_OK;
    }
    filter->last_time = (gint64)time;
    uint8_t *planes[GST_VIDEO_MAX_PLANES];
    int32_t strides[GST_VIDEO_MAX_PLANES];
    for (guint i = 0; i < GST_VIDEO_FRAME_N_PLANES(frame); i++) {
        planes[i] = GST_VIDEO_FRAME_PLANE_DATA(frame, i);
        strides[i] = GST_VIDEO_FRAME_PLANE_STRIDE(frame, i);
    }
    flourish_status status = flourish_process(filter->processor, planes, strides, (gint64)time, NULL);
    post_events(filter, filter->processor);
    if (status != FLOURISH_OK) {
        GST_ELEMENT_ERROR(filter, STREAM, FAILED, ("%s", flourish_error_message()), (NULL));
        return GST_FLOW_ERROR;
    }
    return GST_FLOW_OK;
}

static gboolean sink_event(GstBaseTransform *base, GstEvent *event) {
    FlourishFilter *filter = FLOURISH_FILTER(base);
    // Running times begin anew after a flush.
    if (GST_EVENT_TYPE(event) == GST_EVENT_EOS || GST_EVENT_TYPE(event) == GST_EVENT_FLUSH_STOP) end_processor(filter);
    return GST_BASE_TRANSFORM_CLASS(flourish_filter_parent_class)->sink_event(base, event);
}

static gboolean stop(GstBaseTransform *base) {
    end_processor(FLOURISH_FILTER(base));
    drop_requests(FLOURISH_FILTER(base));
    return TRUE;
}

// MARK: Class

static void finalize(GObject *object) {
    FlourishFilter *filter = FLOURISH_FILTER(object);
    end_processor(filter);
    drop_requests(filter);
    flourish_filter_free_interface(filter);
    g_mutex_clear(&filter->lock);
    G_OBJECT_CLASS(flourish_filter_parent_class)->finalize(object);
}

static void flourish_filter_class_init(FlourishFilterClass *type) {
    GST_DEBUG_CATEGORY_INIT(flourish_debug, "flourish", 0, "hand-gesture reactions");
    GstElementClass *element = GST_ELEMENT_CLASS(type);
    gst_element_class_set_static_metadata(
        element, "Hand-gesture reactions", "Filter/Effect/Video",
        "Recognises hand gestures in video and draws reactions on it, in place",
        "Flourish maintainers <maintainers@flourish.invalid>");
    gst_element_class_add_static_pad_template(element, &sink_template);
    gst_element_class_add_static_pad_template(element, &source_template);

    G_OBJECT_CLASS(type)->finalize = finalize;
    GST_BASE_TRANSFORM_CLASS(type)->sink_event = sink_event;
    GST_BASE_TRANSFORM_CLASS(type)->stop = stop;
    GST_VIDEO_FILTER_CLASS(type)->set_info = set_info;
    GST_VIDEO_FILTER_CLASS(type)->transform_frame_ip = transform_frame_ip;
    flourish_filter_install_interface(type);
}

static void flourish_filter_init(FlourishFilter *filter) {
    g_mutex_init(&filter->lock);
    g_queue_init(&filter->requests);
    filter->last_time = -1;
    flourish_filter_init_interface(filter);
}

static gboolean init_plugin(GstPlugin *plugin) { return GST_ELEMENT_REGISTER(flourish, plugin); }

#define PACKAGE "flourish"
GST_PLUGIN_DEFINE(
    GST_VERSION_MAJOR, GST_VERSION_MINOR, flourish, "Hand-gesture reactions", init_plugin, FLOURISH_VERSION,
    "Apache 2.0", "Flourish", "https://flourish.invalid")
