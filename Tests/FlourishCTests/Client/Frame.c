#include "Client.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void frame_open(Frame *frame, flourish_pixel_format format, int width, int height, int gap) {
    int half_width = (width + 1) / 2, half_height = (height + 1) / 2;
    *frame = (Frame){.format = format, .width = width, .height = height};
    switch (format) {
    case FLOURISH_NV12:
        frame->plane_count = 2;
        frame->row_bytes[0] = width, frame->row_bytes[1] = 2 * half_width;
        frame->rows[0] = height, frame->rows[1] = half_height;
        break;
    case FLOURISH_I420:
        frame->plane_count = 3;
        frame->row_bytes[0] = width, frame->row_bytes[1] = frame->row_bytes[2] = half_width;
        frame->rows[0] = height, frame->rows[1] = frame->rows[2] = half_height;
        break;
    default:
        frame->plane_count = 1;
        frame->row_bytes[0] = (format == FLOURISH_BGR || format == FLOURISH_RGB ? 3 : 4) * width;
        frame->rows[0] = height;
    }
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    for (int i = 0; i < frame->plane_count; i++) {
        frame->strides[i] = frame->row_bytes[i] + gap;
        // The last row has no gap.
        size_t size = (size_t)frame->strides[i] * (frame->rows[i] - 1) + frame->row_bytes[i];
        size_t pages = (size + page - 1) / page * page;
        frame->map_sizes[i] = pages + page;
        frame->maps[i] = mmap(NULL, pages + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        REQUIRE(frame->maps[i] != MAP_FAILED);
        REQUIRE(!mprotect((uint8_t *)frame->maps[i] + pages, page, PROT_NONE));
        frame->planes[i] = (uint8_t *)frame->maps[i] + pages - size;
        frame->copies[i] = malloc(size);
        REQUIRE(frame->copies[i]);
        for (size_t j = 0; j < size; j++) frame->copies[i][j] = (uint8_t)(40 + (j + 13 * (size_t)i) % 160);
    }
    frame_reset(frame);
}

void frame_close(Frame *frame) {
    for (int i = 0; i < frame->plane_count; i++) {
        munmap(frame->maps[i], frame->map_sizes[i]);
        free(frame->copies[i]);
    }
}

static size_t plane_size(const Frame *frame, int i) {
    return (size_t)frame->strides[i] * (frame->rows[i] - 1) + frame->row_bytes[i];
}

void frame_reset(Frame *frame) {
    for (int i = 0; i < frame->plane_count; i++) memcpy(frame->planes[i], frame->copies[i], plane_size(frame, i));
}

bool frame_is_unchanged(const Frame *frame) {
    for (int i = 0; i < frame->plane_count; i++)
        if (memcmp(frame->planes[i], frame->copies[i], plane_size(frame, i))) return false;
    return true;
}

bool frame_has_unchanged_gaps(const Frame *frame) {
    for (int i = 0; i < frame->plane_count; i++)
        for (int row = 0; row < frame->rows[i] - 1; row++) {
            size_t gap = (size_t)frame->strides[i] * row + frame->row_bytes[i];
            if (memcmp(frame->planes[i] + gap, frame->copies[i] + gap, (size_t)(frame->strides[i] - frame->row_bytes[i])))
                return false;
        }
    return true;
}

uint64_t frame_hash(const Frame *frame) {
    uint64_t hash = 14695981039346656037u;
    for (int i = 0; i < frame->plane_count; i++)
        for (int row = 0; row < frame->rows[i]; row++)
            for (int j = 0; j < frame->row_bytes[i]; j++)
                hash = (hash ^ frame->planes[i][(size_t)frame->strides[i] * row + j]) * 1099511628211u;
    return hash;
}

flourish_processor *create(flourish_pixel_format format, int width, int height, const char *settings) {
    flourish_processor *processor = NULL;
    REQUIRE(flourish_create(width, height, format, settings, &processor) == FLOURISH_OK);
    REQUIRE(processor);
    return processor;
}

flourish_status process(flourish_processor *processor, Frame *frame, int64_t time, bool *drawn) {
    return flourish_process(processor, frame->planes, frame->strides, time, drawn);
}

int count_events(flourish_processor *processor, const char *text) {
    int count = 0;
    for (;;) {
        char *event = NULL;
        REQUIRE(flourish_next_event(processor, &event) == FLOURISH_OK);
        if (!event) return count;
        REQUIRE(event[0] == '{' && !strchr(event, '\n'));
        if (strstr(event, text)) count++;
        flourish_free(event);
    }
}
