// Frames of all formats, in many sizes and layouts.
#include "Client.h"

static const flourish_pixel_format formats[] = {FLOURISH_NV12, FLOURISH_I420, FLOURISH_BGRX,
                                                FLOURISH_RGBA, FLOURISH_BGR,  FLOURISH_RGB};

// Processes ten frames, with an effect from the sixth one on.
static void check_layout(flourish_pixel_format format, int width, int height, int gap) {
    flourish_processor *processor = create(format, width, height, WITHOUT_MODELS);
    Frame frame;
    frame_open(&frame, format, width, height, gap);
    bool has_changed = false;
    for (int i = 0; i < 10; i++) {
        if (i == 5) REQUIRE(!flourish_perform_at(processor, "fireworks", 0.5, 0.5));
        bool drawn;
        frame_reset(&frame);
        REQUIRE(!process(processor, &frame, (int64_t)i * 200000000, &drawn));
        REQUIRE(drawn == (i >= 5));
        REQUIRE(drawn || frame_is_unchanged(&frame));
        REQUIRE(frame_has_unchanged_gaps(&frame));
        has_changed = has_changed || !frame_is_unchanged(&frame);
    }
    REQUIRE(has_changed || width < 16 || height < 16);
    REQUIRE(!flourish_finish(processor));
    REQUIRE(count_events(processor, "\"event\":\"effectStarted\"") == 1);
    REQUIRE(count_events(processor, "") == 0);
    flourish_destroy(processor);
    frame_close(&frame);
}

// A frame is drawn on without an effect in progress, too: Portrait and Studio Light change each frame.
static void check_video_effects(void) {
    static const char *const settings[] = {
        "{\"recognition\": {\"gestures\": false}, \"effects\": {\"portrait\": 0, \"studio-light\": 0}}",
        "{\"recognition\": {\"gestures\": false}, \"effects\": {\"portrait\": 0.5}}",
        "{\"recognition\": {\"gestures\": false}, \"effects\": {\"studio-light\": 0.5}}"};
    for (int i = 0; i < 3; i++) {
        flourish_processor *processor = create(FLOURISH_RGBA, 160, 90, settings[i]);
        Frame frame;
        frame_open(&frame, FLOURISH_RGBA, 160, 90, 0);
        for (int64_t time = 0; time < 3; time++) {
            bool drawn;
            REQUIRE(!process(processor, &frame, time * 100000000, &drawn));
            REQUIRE(drawn == (i > 0));
        }
        REQUIRE(i > 0 || frame_is_unchanged(&frame));
        frame_close(&frame);
        flourish_destroy(processor);
    }
}

// The frames of two processors beside each other equal those of one alone.
void check_pairs(void) {
    uint64_t hashes[2][20];
    for (int pass = 0; pass < 3; pass++) {
        flourish_processor *processors[2] = {0};
        Frame frames[2];
        for (int p = 0; p < 2; p++) {
            frame_open(&frames[p], p ? FLOURISH_NV12 : FLOURISH_I420, 160, 90, 0);
            if (pass == 2 || pass == p) processors[p] = create(frames[p].format, 160, 90, WITHOUT_GESTURES);
        }
        for (int i = 0; i < 20; i++)
            for (int p = 0; p < 2; p++) {
                if (!processors[p]) continue;
                if (i == 3) REQUIRE(!flourish_perform(processors[p], p ? "rain" : "balloons"));
                frame_reset(&frames[p]);
                REQUIRE(!process(processors[p], &frames[p], (int64_t)i * 100000000, NULL));
                if (pass < 2) hashes[p][i] = frame_hash(&frames[p]);
                else REQUIRE(hashes[p][i] == frame_hash(&frames[p]));
            }
        REQUIRE(pass == 2 || hashes[pass][2] != hashes[pass][12]);
        for (int p = 0; p < 2; p++) {
            flourish_destroy(processors[p]);
            frame_close(&frames[p]);
        }
    }
}

void check_frames(void) {
    check_video_effects();
    static const int sizes[][2] = {{1, 1}, {2, 2}, {3, 5}, {1, 64}, {64, 1}, {17, 33}, {160, 120}, {321, 181}, {1921, 1081}};
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            check_layout(formats[f], sizes[s][0], sizes[s][1], 0);
            if (sizes[s][0] < 1000) check_layout(formats[f], sizes[s][0], sizes[s][1], 13);
        }
}
