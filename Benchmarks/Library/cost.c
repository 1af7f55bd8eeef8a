// Measures calls of libflourish at 1080p; prints one JSON object for each pixel format. `Scripts/bench library` runs it.
#include <flourish.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { width = 1920, height = 1080, idle_frames = 3000, drawn_frames = 60 };

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Returns the median time of a call in milliseconds.
static double median(flourish_processor *processor, uint8_t *planes[], int32_t strides[], int count, int64_t *time) {
    double *times = malloc((size_t)count * sizeof *times);
    if (!times) exit(1);
    for (int i = 0; i < count; i++) {
        *time += 33333333;
        double start = now();
        if (flourish_process(processor, planes, strides, *time, NULL)) {
            fprintf(stderr, "%s\n", flourish_error_message());
            exit(1);
        }
        times[i] = (now() - start) * 1000;
    }
    qsort(times, (size_t)count, sizeof *times, compare);
    double result = times[count / 2];
    free(times);
    return result;
}

int main(void) {
    static const struct {
        flourish_pixel_format format;
        const char *name;
        int32_t strides[3];
    } formats[] = {
        {FLOURISH_I420, "I420", {width, width / 2, width / 2}}, {FLOURISH_NV12, "NV12", {width, width, 0}},
        {FLOURISH_BGRX, "BGRX", {4 * width, 0, 0}}, {FLOURISH_RGBA, "RGBA", {4 * width, 0, 0}},
        {FLOURISH_BGR, "BGR", {3 * width, 0, 0}}, {FLOURISH_RGB, "RGB", {3 * width, 0, 0}},
    };
    uint8_t *memory = malloc(4 * width * height);
    if (!memory) return 1;
    memset(memory, 100, 4 * width * height);
    uint8_t *planes[] = {memory, memory + width * height, memory + width * height + width * height / 4};
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
        flourish_processor *processor;
        if (flourish_create(width, height, formats[f].format, "{\"recognition\": {\"gestures\": false}}", &processor)) {
            fprintf(stderr, "%s\n", flourish_error_message());
            return 1;
        }
        int32_t strides[3];
        memcpy(strides, formats[f].strides, sizeof strides);
        int64_t time = 0;
        double idle = median(processor, planes, strides, idle_frames, &time);
        flourish_perform(processor, "confetti");
        double drawn = median(processor, planes, strides, drawn_frames, &time);
        printf("{\"format\": \"%s\", \"idle\": %f, \"drawn\": %f}\n", formats[f].name, idle, drawn);
        flourish_destroy(processor);
    }
    free(memory);
    return 0;
}
