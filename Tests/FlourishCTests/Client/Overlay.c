// Effects alone, with transparency.
#include "Client.h"

#include <string.h>

#define OVERLAY "{\"recognition\": {\"gestures\": false}, \"processor\": {\"models\": \"/nonexistent\", \"overlay\": true}}"

// An overlay drawn over a frame looks like the frame with the effects drawn on it.
static void check_overlay_of(const char *reaction, double limit) {
    enum { WIDTH = 160, HEIGHT = 120 };
    flourish_processor *plain = create(FLOURISH_RGBA, WIDTH, HEIGHT, WITHOUT_MODELS);
    flourish_processor *alone = create(FLOURISH_RGBA, WIDTH, HEIGHT, OVERLAY);
    Frame drawn, overlay;
    frame_open(&drawn, FLOURISH_RGBA, WIDTH, HEIGHT, 0);
    frame_open(&overlay, FLOURISH_RGBA, WIDTH, HEIGHT, 20);
    int transparent = 0, visible = 0;
    for (int i = 0; i < 20; i++) {
        if (i == 2) REQUIRE(!flourish_perform(plain, reaction) && !flourish_perform(alone, reaction));
        bool is_drawn[2];
        frame_reset(&drawn), frame_reset(&overlay);
        REQUIRE(!process(plain, &drawn, (int64_t)i * 100000000, &is_drawn[0]));
        REQUIRE(!process(alone, &overlay, (int64_t)i * 100000000, &is_drawn[1]));
        REQUIRE(is_drawn[0] == (i >= 2) && is_drawn[1] == is_drawn[0]);
        REQUIRE(frame_has_unchanged_gaps(&overlay));
        REQUIRE(is_drawn[1] || frame_is_unchanged(&overlay));
        if (!is_drawn[1]) continue;
        double sum = 0;
        for (int y = 0; y < HEIGHT; y++)
            for (int x = 0; x < WIDTH; x++) {
                const uint8_t *over = overlay.planes[0] + y * overlay.strides[0] + 4 * x;
                const uint8_t *under = drawn.copies[0] + y * drawn.strides[0] + 4 * x;
                const uint8_t *wanted = drawn.planes[0] + y * drawn.strides[0] + 4 * x;
                for (int c = 0; c < 3; c++)
                    sum += abs((over[c] * over[3] + under[c] * (255 - over[3])) / 255 - wanted[c]);
                transparent += over[3] == 0, visible += over[3] > 0;
            }
        // The pattern's colours are outside of what 8 bits of Y'CbCr hold exactly.
        REQUIRE(sum / (3 * WIDTH * HEIGHT) < limit);
    }
    REQUIRE(visible > 0);
    REQUIRE(transparent > 0);
    flourish_destroy(plain), flourish_destroy(alone);
    frame_close(&drawn), frame_close(&overlay);
}

void check_overlay(void) {
    flourish_processor *processor;
    REQUIRE(flourish_create(160, 120, FLOURISH_NV12, OVERLAY, &processor) == FLOURISH_INVALID_ARGUMENT);
    REQUIRE(strstr(flourish_error_message(), "rgba"));
    // The light of confetti's cannons only covers in an overlay.
    check_overlay_of("confetti", 4);
    check_overlay_of("balloons", 3);
    check_overlay_of("heart", 3);
}
