// Checks of the element in a harness. Usage: harness CHECK; the exit code is 0 if it holds.
#include <gst/check/gstharness.h>
#include <gst/video/video.h>
#include <stdlib.h>
#include <string.h>

#define REQUIRE(condition)                                                             \
    do {                                                                               \
        if (!(condition)) {                                                            \
            g_printerr("%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition);   \
            exit(1);                                                                   \
        }                                                                              \
    } while (0)

static const char *const formats[] = {"I420", "NV12", "BGRx", "RGBA", "BGR", "RGB"};

/// A harness with the element, without models.
typedef struct {
    GstHarness *harness;
    GstElement *element;
    GstBus *bus;
    GstVideoInfo info;
} Fixture;

static void set_caps(Fixture *fixture, const char *format, int width, int height) {
    gst_video_info_init(&fixture->info);
    gst_video_info_set_format(&fixture->info, gst_video_format_from_string(format), width, height);
    fixture->info.fps_n = 10, fixture->info.fps_d = 1;
    gst_harness_set_src_caps(fixture->harness, gst_video_info_to_caps(&fixture->info));
}

static Fixture open_fixture(const char *format, int width, int height, const char *properties) {
    Fixture fixture;
    char *description = g_strdup_printf("flourish name=filter %s", properties);
    fixture.harness = gst_harness_new_parse(description);
    g_free(description);
    fixture.element = gst_harness_find_element(fixture.harness, "flourish");
    fixture.bus = gst_bus_new();
    gst_element_set_bus(fixture.element, fixture.bus);
    set_caps(&fixture, format, width, height);
    return fixture;
}

static void close_fixture(Fixture *fixture) {
    gst_element_set_bus(fixture->element, NULL);
    gst_object_unref(fixture->element);
    gst_harness_teardown(fixture->harness);
    gst_object_unref(fixture->bus);
}

/// Returns a buffer with a pattern, whose rows have a gap of the given number of bytes.
static GstBuffer *make_buffer(const GstVideoInfo *info, int gap, GstClockTime time) {
    gsize offsets[GST_VIDEO_MAX_PLANES];
    gint strides[GST_VIDEO_MAX_PLANES];
    gsize size = 0;
    for (guint i = 0; i < GST_VIDEO_INFO_N_PLANES(info); i++) {
        const GstVideoFormatInfo *format = info->finfo;
        strides[i] = GST_VIDEO_INFO_PLANE_STRIDE(info, i) + gap;
        offsets[i] = size;
        gint rows = GST_VIDEO_FORMAT_INFO_SCALE_HEIGHT(format, i, GST_VIDEO_INFO_HEIGHT(info));
        size += (gsize)strides[i] * (gsize)rows;
    }
    guint8 *bytes = g_malloc(size);
    for (gsize i = 0; i < size; i++) bytes[i] = (guint8)(40 + i % 160);
    GstBuffer *buffer = gst_buffer_new_wrapped(bytes, size);
    gst_buffer_add_video_meta_full(
        buffer, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_INFO_FORMAT(info), (guint)GST_VIDEO_INFO_WIDTH(info),
        (guint)GST_VIDEO_INFO_HEIGHT(info), GST_VIDEO_INFO_N_PLANES(info), offsets, strides);
    GST_BUFFER_PTS(buffer) = time;
    return buffer;
}

/// Pushes a frame and returns whether it was drawn on. Bytes between rows must be unchanged.
static gboolean push(Fixture *fixture, int gap, GstClockTime time) {
    GstBuffer *expected = make_buffer(&fixture->info, gap, time);
    GstBuffer *buffer = make_buffer(&fixture->info, gap, time);
    REQUIRE(gst_harness_push(fixture->harness, buffer) == GST_FLOW_OK);
    GstBuffer *output = gst_harness_pull(fixture->harness);
    REQUIRE(output);
    // In place: the same buffer.
    REQUIRE(output == buffer);
    GstMapInfo drawn, pattern;
    REQUIRE(gst_buffer_map(output, &drawn, GST_MAP_READ));
    REQUIRE(gst_buffer_map(expected, &pattern, GST_MAP_READ));
    REQUIRE(drawn.size == pattern.size);
    gboolean has_changed = memcmp(drawn.data, pattern.data, drawn.size) != 0;
    const GstVideoMeta *meta = gst_buffer_get_video_meta(output);
    for (guint i = 0; i < meta->n_planes; i++) {
        gsize rows = (gsize)GST_VIDEO_FORMAT_INFO_SCALE_HEIGHT(fixture->info.finfo, i, meta->height);
        gsize row_bytes = (gsize)GST_VIDEO_INFO_PLANE_STRIDE(&fixture->info, i);
        for (gsize row = 0; row < rows; row++) {
            gsize start = meta->offset[i] + row * (gsize)meta->stride[i] + row_bytes;
            REQUIRE(!memcmp(drawn.data + start, pattern.data + start, (gsize)meta->stride[i] - row_bytes));
        }
    }
    gst_buffer_unmap(output, &drawn);
    gst_buffer_unmap(expected, &pattern);
    gst_buffer_unref(output);
    gst_buffer_unref(expected);
    return has_changed;
}

static gboolean perform(Fixture *fixture, const char *reaction) {
    gboolean is_accepted = FALSE;
    g_signal_emit_by_name(fixture->element, "perform", reaction, &is_accepted);
    return is_accepted;
}

/// Removes the messages from the bus; returns the names of the events with commas between them.
static char *take_events(Fixture *fixture) {
    GString *names = g_string_new(NULL);
    GstMessage *message;
    while ((message = gst_bus_pop(fixture->bus))) {
        REQUIRE(GST_MESSAGE_TYPE(message) != GST_MESSAGE_ERROR);
        const GstStructure *fields = gst_message_get_structure(message);
        if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ELEMENT && gst_structure_has_name(fields, "flourish")) {
            const char *json = gst_structure_get_string(fields, "json");
            REQUIRE(json && json[0] == '{');
            g_string_append_printf(names, "%s%s", names->len ? "," : "", gst_structure_get_string(fields, "event"));
        }
        gst_message_unref(message);
    }
    return g_string_free(names, FALSE);
}

static void require_events(Fixture *fixture, const char *expected) {
    char *names = take_events(fixture);
    if (strcmp(names, expected)) {
        g_printerr("the events are %s, not %s\n", names, expected);
        exit(1);
    }
    g_free(names);
}

#define STARTED "effectStarted,effectsInProgress"
#define ENDED "effectEnded,effectsInProgress,streamEnded"
#define WITHOUT_MODELS "gestures=false"

// MARK: Checks

/// All formats, odd sizes, and rows with gaps: idle frames are unchanged, and effects are drawn.
static void check_formats(void) {
    static const int sizes[][2] = {{1, 1}, {17, 33}, {64, 1}, {161, 121}};
    for (guint f = 0; f < G_N_ELEMENTS(formats); f++)
        for (guint s = 0; s < G_N_ELEMENTS(sizes); s++)
            for (int gap = 0; gap <= 20; gap += 20) {
                Fixture fixture = open_fixture(formats[f], sizes[s][0], sizes[s][1], WITHOUT_MODELS);
                REQUIRE(!push(&fixture, gap, 0));
                REQUIRE(perform(&fixture, "fireworks"));
                gboolean is_drawn = FALSE;
                for (guint i = 1; i < 6; i++) is_drawn = push(&fixture, gap, i * 200 * GST_MSECOND) || is_drawn;
                REQUIRE(is_drawn || sizes[s][0] < 100);
                REQUIRE(gst_harness_push_event(fixture.harness, gst_event_new_eos()));
                require_events(&fixture, "streamStarted," STARTED "," ENDED);
                close_fixture(&fixture);
            }
}

/// A change of size and format ends the effects, and the next frames have effects of their own.
static void check_caps(void) {
    Fixture fixture = open_fixture("NV12", 160, 90, WITHOUT_MODELS);
    REQUIRE(perform(&fixture, "rain"));
    push(&fixture, 0, 0);
    REQUIRE(push(&fixture, 0, GST_SECOND));
    set_caps(&fixture, "BGRx", 321, 181);
    REQUIRE(!push(&fixture, 0, 2 * GST_SECOND));
    REQUIRE(perform(&fixture, "rain"));
    push(&fixture, 0, 3 * GST_SECOND);
    REQUIRE(push(&fixture, 0, 4 * GST_SECOND));
    require_events(&fixture, "streamStarted," STARTED "," ENDED ",streamStarted," STARTED);
    close_fixture(&fixture);
}

/// After a flush, running times begin anew. Requests between the flush and the next frame are kept.
static void check_flush(void) {
    Fixture fixture = open_fixture("I420", 160, 90, WITHOUT_MODELS);
    REQUIRE(perform(&fixture, "balloons"));
    push(&fixture, 0, 10 * GST_SECOND);
    REQUIRE(push(&fixture, 0, 11 * GST_SECOND));
    REQUIRE(gst_harness_push_event(fixture.harness, gst_event_new_flush_start()));
    REQUIRE(gst_harness_push_event(fixture.harness, gst_event_new_flush_stop(TRUE)));
    require_events(&fixture, "streamStarted," STARTED "," ENDED);
    REQUIRE(perform(&fixture, "lasers"));
    GstSegment segment;
    gst_segment_init(&segment, GST_FORMAT_TIME);
    segment.start = segment.time = 5 * GST_SECOND;
    REQUIRE(gst_harness_push_event(fixture.harness, gst_event_new_segment(&segment)));
    push(&fixture, 0, 5 * GST_SECOND);
    REQUIRE(push(&fixture, 0, 6 * GST_SECOND));
    require_events(&fixture, "streamStarted," STARTED);
    close_fixture(&fixture);
}

/// A second segment without a flush, as of a playlist, continues.
static void check_segments(void) {
    Fixture fixture = open_fixture("I420", 160, 90, WITHOUT_MODELS);
    push(&fixture, 0, 0);
    REQUIRE(perform(&fixture, "rain"));
    push(&fixture, 0, GST_SECOND);
    GstSegment segment;
    gst_segment_init(&segment, GST_FORMAT_TIME);
    segment.base = 1500 * GST_MSECOND;
    REQUIRE(gst_harness_push_event(fixture.harness, gst_event_new_segment(&segment)));
    REQUIRE(push(&fixture, 0, 0));
    REQUIRE(push(&fixture, 0, GST_SECOND));
    require_events(&fixture, "streamStarted," STARTED);
    close_fixture(&fixture);
}

/// Late, repeated and missing time stamps: frames pass, and effects continue.
static void check_times(void) {
    Fixture fixture = open_fixture("RGBA", 160, 90, WITHOUT_MODELS);
    push(&fixture, 0, 0);
    REQUIRE(perform(&fixture, "fireworks"));
    push(&fixture, 0, GST_SECOND);
    REQUIRE(push(&fixture, 0, 2 * GST_SECOND));
    REQUIRE(!push(&fixture, 0, 2 * GST_SECOND));
    REQUIRE(!push(&fixture, 0, GST_SECOND));
    REQUIRE(push(&fixture, 0, GST_CLOCK_TIME_NONE));
    REQUIRE(push(&fixture, 0, GST_CLOCK_TIME_NONE));
    close_fixture(&fixture);
}

/// A buffer that is shared with another branch is copied before it is drawn on.
static void check_shared_buffers(void) {
    Fixture fixture = open_fixture("I420", 160, 90, WITHOUT_MODELS);
    REQUIRE(perform(&fixture, "rain"));
    push(&fixture, 0, 0);
    GstBuffer *shared = make_buffer(&fixture.info, 0, GST_SECOND), *copy = make_buffer(&fixture.info, 0, GST_SECOND);
    REQUIRE(gst_harness_push(fixture.harness, gst_buffer_ref(shared)) == GST_FLOW_OK);
    GstBuffer *output = gst_harness_pull(fixture.harness);
    GstMapInfo map;
    REQUIRE(output != shared);
    REQUIRE(gst_buffer_map(copy, &map, GST_MAP_READ));
    REQUIRE(!gst_buffer_memcmp(shared, 0, map.data, map.size));
    REQUIRE(gst_buffer_memcmp(output, 0, map.data, map.size));
    gst_buffer_unmap(copy, &map);
    gst_buffer_unref(copy);
    gst_buffer_unref(shared);
    gst_buffer_unref(output);
    close_fixture(&fixture);
}

/// Signals and properties while frames pass.
static void check_control(void) {
    Fixture fixture = open_fixture("I420", 160, 90, WITHOUT_MODELS);
    push(&fixture, 0, 0);
    gboolean is_done = TRUE;
    REQUIRE(!perform(&fixture, "konfetti"));
    g_signal_emit_by_name(fixture.element, "cancel-effect", (gint64)9, &is_done);
    REQUIRE(!is_done);
    g_signal_emit_by_name(fixture.element, "perform-at", "heart", 1.5, 0.5, &is_done);
    REQUIRE(!is_done);
    g_signal_emit_by_name(fixture.element, "snooze", (guint64)GST_SECOND, &is_done);
    REQUIRE(is_done);
    g_signal_emit_by_name(fixture.element, "perform-at", "heart", 0.25, 0.5, &is_done);
    REQUIRE(is_done);
    push(&fixture, 0, GST_SECOND);
    REQUIRE(push(&fixture, 0, 1500 * GST_MSECOND));
    g_signal_emit_by_name(fixture.element, "cancel", NULL, &is_done);
    REQUIRE(is_done);
    REQUIRE(!push(&fixture, 0, 2 * GST_SECOND));
    require_events(&fixture, "streamStarted," STARTED ",effectEnded,effectsInProgress");

    // The switch takes no new processor; intensity does.
    g_object_set(fixture.element, "reactions", FALSE, NULL);
    perform(&fixture, "rain");
    REQUIRE(!push(&fixture, 0, 3 * GST_SECOND));
    g_object_set(fixture.element, "reactions", TRUE, "reaction", "rain", NULL);
    push(&fixture, 0, 4 * GST_SECOND);
    REQUIRE(push(&fixture, 0, 5 * GST_SECOND));
    require_events(&fixture, STARTED);
    g_object_set(fixture.element, "intensity", 0.5, NULL);
    double intensity;
    g_object_get(fixture.element, "intensity", &intensity, NULL);
    REQUIRE(intensity == 0.5);
    REQUIRE(!push(&fixture, 0, 6 * GST_SECOND));
    require_events(&fixture, ENDED ",streamStarted");

    // Models are loaded when gestures are switched on.
    g_object_set(fixture.element, "gestures", TRUE, NULL);
    REQUIRE(!push(&fixture, 0, 7 * GST_SECOND));
    require_events(&fixture, "streamEnded,streamStarted");
    g_object_set(fixture.element, "gestures", FALSE, NULL);
    REQUIRE(!push(&fixture, 0, 8 * GST_SECOND));
    require_events(&fixture, "");
    close_fixture(&fixture);
}

/// An invalid setting ends the stream with an error message that names it.
static void check_errors(void) {
    Fixture fixture = open_fixture("I420", 160, 90, WITHOUT_MODELS " sensitivity=extreme");
    GstMessage *message = gst_bus_pop_filtered(fixture.bus, GST_MESSAGE_ERROR);
    if (!message) {
        gst_harness_push(fixture.harness, make_buffer(&fixture.info, 0, 0));
        message = gst_bus_pop_filtered(fixture.bus, GST_MESSAGE_ERROR);
    }
    REQUIRE(message);
    GError *error;
    gst_message_parse_error(message, &error, NULL);
    REQUIRE(error->domain == GST_LIBRARY_ERROR && error->code == GST_LIBRARY_ERROR_SETTINGS);
    REQUIRE(strstr(error->message, "sensitivity") && strstr(error->message, "extreme"));
    g_error_free(error);
    gst_message_unref(message);
    close_fixture(&fixture);
}

static gpointer send_requests(gpointer data) {
    Fixture *fixture = data;
    static const char *const reactions[] = {"rain", "heart", "confetti", "konfetti"};
    for (guint i = 0; i < 200; i++) {
        gboolean is_done;
        perform(fixture, reactions[i % 4]);
        if (i % 7 == 0) g_signal_emit_by_name(fixture->element, "cancel", NULL, &is_done);
        if (i % 50 == 0) g_object_set(fixture->element, "seed", (int)i, NULL);
        if (i % 10 == 0) g_object_set(fixture->element, "reactions", i % 20 == 0, NULL);
        g_usleep(500);
    }
    return NULL;
}

/// Four threads send requests and set properties while frames pass, with flushes and changes of caps in between.
static void check_threads(void) {
    Fixture fixture = open_fixture("I420", 64, 36, WITHOUT_MODELS);
    GThread *threads[4];
    for (guint i = 0; i < 4; i++) threads[i] = g_thread_new("requests", send_requests, &fixture);
    for (guint i = 0; i < 200; i++) {
        if (i % 40 == 39) set_caps(&fixture, formats[i / 40], 64, 36);
        if (i % 60 == 59) {
            REQUIRE(gst_harness_push_event(fixture.harness, gst_event_new_flush_start()));
            REQUIRE(gst_harness_push_event(fixture.harness, gst_event_new_flush_stop(TRUE)));
            GstSegment segment;
            gst_segment_init(&segment, GST_FORMAT_TIME);
            REQUIRE(gst_harness_push_event(fixture.harness, gst_event_new_segment(&segment)));
        }
        push(&fixture, 0, i * 33 * GST_MSECOND);
    }
    for (guint i = 0; i < 4; i++) g_thread_join(threads[i]);
    close_fixture(&fixture);
}

int main(int count, char **words) {
    static const struct {
        const char *name;
        void (*function)(void);
    } checks[] = {
        {"formats", check_formats}, {"caps", check_caps},       {"flush", check_flush},
        {"segments", check_segments}, {"times", check_times},   {"shared-buffers", check_shared_buffers},
        {"control", check_control}, {"errors", check_errors},   {"threads", check_threads},
    };
    gst_init(&count, &words);
    for (guint i = 0; count == 2 && i < G_N_ELEMENTS(checks); i++)
        if (!strcmp(words[1], checks[i].name)) {
            checks[i].function();
            return 0;
        }
    g_printerr("usage: harness CHECK\n");
    return 64;
}
