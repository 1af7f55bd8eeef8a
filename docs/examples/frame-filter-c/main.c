// Shows reactions over raw video that comes through a pipe: the shape of every C program that has frames of its own, from a
// camera, a game or a conference server.
//
//   ffmpeg -i call.mp4 -f rawvideo -pix_fmt yuv420p - |
//     frame-filter-c 1280 720 30 |
//     ffplay -f rawvideo -video_size 1280x720 -framerate 30 -
//
// Events go to the standard error as JSON Lines. `docs/c-library.md` explains the calls.
//
//   cc -std=c99 main.c -o frame-filter-c $(pkg-config --cflags --libs flourish)

#include <flourish.h>
#include <stdio.h>
#include <stdlib.h>

// Prints the events that have happened since the last call.
static void print_events(flourish_processor *processor) {
    char *event;
    while (flourish_next_event(processor, &event) == FLOURISH_OK && event) {
        fprintf(stderr, "%s\n", event);
        flourish_free(event);
    }
}

static int fail(void) {
    fprintf(stderr, "frame-filter-c: %s\n", flourish_error_message());
    return 1;
}

int main(int count, char **words) {
    int width = count > 3 ? atoi(words[1]) : 0, height = count > 3 ? atoi(words[2]) : 0;
    int rate = count > 3 ? atoi(words[3]) : 0;
    if (width < 1 || height < 1 || rate < 1) {
        fprintf(stderr, "usage: frame-filter-c WIDTH HEIGHT RATE [SETTINGS [REACTION]]\n");
        return 64;
    }
    flourish_processor *processor;
    if (flourish_create(width, height, FLOURISH_I420, count > 4 ? words[4] : NULL, &processor)) return fail();
    if (count > 5 && flourish_perform(processor, words[5])) return fail();

    // Raw video has three planes without gaps between rows.
    int half_width = (width + 1) / 2, half_height = (height + 1) / 2;
    size_t luma = (size_t)width * height, chroma = (size_t)half_width * half_height;
    uint8_t *frame = malloc(luma + 2 * chroma);
    if (!frame) return 1;
    uint8_t *planes[] = {frame, frame + luma, frame + luma + chroma};
    int32_t strides[] = {width, half_width, half_width};

    for (int64_t index = 0; fread(frame, luma + 2 * chroma, 1, stdin) == 1; index++) {
        int64_t time = index * 1000000000 / rate;
        if (flourish_process(processor, planes, strides, time, NULL)) return fail();
        print_events(processor);
        if (fwrite(frame, luma + 2 * chroma, 1, stdout) != 1) return 1;
    }
    if (flourish_finish(processor)) return fail();
    print_events(processor);
    flourish_destroy(processor);
    free(frame);
    return 0;
}
