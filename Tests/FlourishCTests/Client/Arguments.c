// Wrong arguments: a status and a message, and the processor works on.
#include "Client.h"

#include <limits.h>
#include <math.h>
#include <string.h>

static int refusals;

// Requires a status, and a message of one line that contains a text.
static void refuses(flourish_status status, flourish_status expected, const char *text) {
    const char *message = flourish_error_message();
    if (status != expected || !strstr(message, text) || strchr(message, '\n')) {
        fprintf(stderr, "status %d instead of %d, message '%s' without '%s'\n", status, expected, message, text);
        exit(1);
    }
    refusals++;
}

static void refuses_creation(int width, int height, int format, const char *settings, const char *text) {
    flourish_processor *processor = (flourish_processor *)&refusals;
    flourish_status status = flourish_create(width, height, (flourish_pixel_format)format, settings, &processor);
    refuses(status, FLOURISH_INVALID_ARGUMENT, text);
    REQUIRE(!processor);
}

static void check_creation(void) {
    refuses_creation(0, 90, FLOURISH_NV12, NULL, "0×90");
    refuses_creation(160, -90, FLOURISH_NV12, NULL, "160×-90");
    refuses_creation(16385, 90, FLOURISH_I420, NULL, "1 to 16384");
    refuses_creation(INT_MAX, INT_MAX, FLOURISH_RGBA, NULL, "1 to 16384");
    refuses_creation(INT_MIN, INT_MIN, FLOURISH_RGBA, NULL, "1 to 16384");
    refuses_creation(160, 90, 0, NULL, "0 is not a pixel format");
    refuses_creation(160, 90, 77, NULL, "77 is not a pixel format");
    refuses_creation(160, 90, FLOURISH_NV12, "", "not JSON");
    refuses_creation(160, 90, FLOURISH_NV12, "{", "not JSON");
    refuses_creation(160, 90, FLOURISH_NV12, "\xff\xfe", "settings is not UTF-8");
    refuses_creation(160, 90, FLOURISH_NV12, "[]", "must be a JSON object");
    refuses_creation(160, 90, FLOURISH_NV12, "{\"hold\": 1}", "hold must be a table");
    refuses_creation(160, 90, FLOURISH_NV12, "{\"recognition\": {\"hld\": 1}}", "did you mean recognition.hold?");
    refuses_creation(160, 90, FLOURISH_NV12, "{\"recognition\": {\"hold\": 60}}", "recognition.hold must be a number from 0 to 10");
    refuses_creation(160, 90, FLOURISH_NV12, "{\"recognition\": {\"hold\": null}}", "not null");
    refuses_creation(160, 90, FLOURISH_NV12, "{\"recognition\": {\"disabled\": [1]}}", "an array of strings");
    refuses_creation(160, 90, FLOURISH_NV12, "{\"encoding\": {\"crf\": 20}}", "encoding.crf has no effect on frames");
    refuses_creation(160, 90, FLOURISH_NV12, "{\"processor\": {\"life\": true}}", "processor.life");
    refuses_creation(160, 90, FLOURISH_NV12, "{\"processor\": {\"live\": 1}}", "true or false");
    refuses_creation(160, 90, FLOURISH_NV12, "{\"processor\": {\"matrix\": \"sepia\"}}", "bt601, bt709, bt2020");
    refuses_creation(160, 90, FLOURISH_NV12, "{\"processor\": {\"assets\": 1}}", "must be a path");

    // A JSON text that is nested more deeply than any parser's stack.
    size_t depth = 200000;
    char *nested = malloc(depth + 1);
    REQUIRE(nested);
    memset(nested, '[', depth);
    nested[depth] = 0;
    refuses_creation(160, 90, FLOURISH_NV12, nested, "not JSON");
    free(nested);

    flourish_processor *processor;
    refuses(flourish_create(160, 90, FLOURISH_NV12, NULL, NULL), FLOURISH_INVALID_ARGUMENT, "NULL");
    refuses(
        flourish_create(160, 90, FLOURISH_NV12, "{\"processor\": {\"configuration\": \"/nowhere/x.toml\"}}", &processor),
        FLOURISH_FILE_UNAVAILABLE, "/nowhere/x.toml");
    refuses(
        flourish_create(160, 90, FLOURISH_NV12, "{\"processor\": {\"models\": \"/nowhere\"}}", &processor),
        FLOURISH_UNAVAILABLE, "/nowhere/hand_landmark");
    refuses(
        flourish_create(160, 90, FLOURISH_NV12, "{\"processor\": {\"assets\": \"/nowhere\"}}", &processor),
        FLOURISH_UNAVAILABLE, "/nowhere");
}

static void check_every_function(flourish_processor *processor, const char *text) {
    flourish_status invalid = FLOURISH_INVALID_ARGUMENT;
    bool on;
    char *line = NULL;
    uint8_t *planes[3] = {0};
    int32_t strides[3] = {0};
    refuses(flourish_process(processor, planes, strides, 0, NULL), invalid, text);
    refuses(flourish_finish(processor), invalid, text);
    refuses(flourish_perform(processor, "confetti"), invalid, text);
    refuses(flourish_perform_at(processor, "confetti", 0, 0), invalid, text);
    refuses(flourish_cancel(processor, NULL), invalid, text);
    refuses(flourish_cancel_effect(processor, 1), invalid, text);
    refuses(flourish_set_switch(processor, FLOURISH_REACTIONS, true), invalid, text);
    refuses(flourish_get_switch(processor, FLOURISH_REACTIONS, &on), invalid, text);
    refuses(flourish_set_gesture(processor, "victory", true), invalid, text);
    refuses(flourish_snooze(processor, 1), invalid, text);
    refuses(flourish_reactions(processor, &line), invalid, text);
    refuses(flourish_next_event(processor, &line), invalid, text);
    REQUIRE(!line);
    flourish_destroy(processor);
}

static void check_calls(void) {
    flourish_status invalid = FLOURISH_INVALID_ARGUMENT;
    flourish_processor *processor = create(FLOURISH_I420, 160, 90, WITHOUT_GESTURES);
    bool on;
    refuses(flourish_perform(processor, NULL), invalid, "reaction is NULL");
    refuses(flourish_perform(processor, "konfetti"), invalid, "konfetti");
    refuses(flourish_perform(processor, "\xc3"), invalid, "not UTF-8");
    refuses(flourish_perform_at(processor, "confetti", 1.5, 0), invalid, "outside of the picture");
    refuses(flourish_perform_at(processor, "confetti", NAN, 0), invalid, "outside of the picture");
    refuses(flourish_cancel(processor, "konfetti"), invalid, "konfetti");
    refuses(flourish_cancel_effect(processor, 7), invalid, "7");
    refuses(flourish_cancel_effect(processor, INT64_MIN), invalid, "no effect");
    refuses(flourish_set_switch(processor, (flourish_switch)9, true), invalid, "9 is not a switch");
    refuses(flourish_get_switch(processor, (flourish_switch)9, &on), invalid, "9 is not a switch");
    refuses(flourish_get_switch(processor, FLOURISH_GESTURES, NULL), invalid, "NULL");
    refuses(flourish_set_switch(processor, FLOURISH_GESTURES, true), FLOURISH_UNAVAILABLE, "recognition.gestures");
    refuses(flourish_set_gesture(processor, "wave", true), invalid, "victory");
    refuses(flourish_set_gesture(processor, NULL, true), invalid, "NULL");
    refuses(flourish_snooze(processor, -1), invalid, "-0.000000001 s; use 0 to 86400 s");
    refuses(flourish_snooze(processor, INT64_MAX), invalid, "is 9223372036.854775807 s");
    refuses(flourish_reactions(processor, NULL), invalid, "NULL");
    refuses(flourish_next_event(processor, NULL), invalid, "NULL");

    Frame frame;
    frame_open(&frame, FLOURISH_I420, 160, 90, 0);
    refuses(flourish_process(processor, NULL, frame.strides, 0, NULL), invalid, "NULL");
    refuses(flourish_process(processor, frame.planes, NULL, 0, NULL), invalid, "NULL");
    for (int i = 0; i < 3; i++) {
        uint8_t *planes[] = {frame.planes[0], frame.planes[1], frame.planes[2]};
        planes[i] = NULL;
        refuses(flourish_process(processor, planes, frame.strides, 0, NULL), invalid, "is NULL");
        int wrong[] = {0, -1, INT_MIN, -frame.strides[i], frame.strides[i] - 1};
        for (int j = 0; j < 5; j++) {
            int32_t strides[] = {frame.strides[0], frame.strides[1], frame.strides[2]};
            strides[i] = wrong[j];
            refuses(flourish_process(processor, frame.planes, strides, 0, NULL), invalid, "a row of the plane has");
        }
    }

    // Late and repeated time stamps; the frames after them are processed.
    REQUIRE(!process(processor, &frame, -5, NULL));
    REQUIRE(!process(processor, &frame, 1000000000, NULL));
    refuses(process(processor, &frame, 1000000000, NULL), FLOURISH_LATE_FRAME, "the time 1 s is not after 1 s");
    refuses(process(processor, &frame, 999999999, NULL), FLOURISH_LATE_FRAME, "0.999999999 s is not after 1 s");
    refuses(process(processor, &frame, INT64_MIN, NULL), FLOURISH_LATE_FRAME, "-9223372036.854775808 s is not after 1 s");
    REQUIRE(!flourish_perform(processor, "confetti"));
    bool drawn = false;
    REQUIRE(!process(processor, &frame, 1000000001, &drawn) && drawn);
    REQUIRE(!process(processor, &frame, INT64_MAX, NULL));
    refuses(process(processor, &frame, INT64_MAX, NULL), FLOURISH_LATE_FRAME, "is not after");

    REQUIRE(!flourish_finish(processor));
    refuses(process(processor, &frame, INT64_MAX, NULL), FLOURISH_FINISHED, "create a new one");
    refuses(flourish_finish(processor), FLOURISH_FINISHED, "create a new one");
    REQUIRE(!flourish_perform(processor, "confetti"));
    frame_close(&frame);
    flourish_destroy(processor);
    check_every_function(processor, "destroyed");
    check_every_function(NULL, "NULL");
    check_every_function((flourish_processor *)&on, "not from flourish_create");
    flourish_free(NULL);
}

void check_arguments(void) {
    REQUIRE(!strcmp(flourish_error_message(), ""));
    check_creation();
    check_calls();
    REQUIRE(refusals > 90);
}
