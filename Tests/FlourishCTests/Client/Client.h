// Shared by the checks of libflourish, which run in a C program under sanitizers.
#ifndef CLIENT_H
#define CLIENT_H

#include <flourish.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

// Ends the program unless a condition holds.
#define REQUIRE(condition) \
    do { \
        if (!(condition)) { \
            fprintf(stderr, "%s:%d: %s; last message: %s\n", __FILE__, __LINE__, #condition, flourish_error_message()); \
            exit(1); \
        } \
    } while (0)

// No model of hands is loaded.
#define WITHOUT_GESTURES "{\"recognition\": {\"gestures\": false}}"
// No model of people is found either, which takes most of the time of a short video. Effects are in front of people.
#define WITHOUT_MODELS "{\"recognition\": {\"gestures\": false}, \"processor\": {\"models\": \"/nonexistent\"}}"

// A frame in memory of its own. Each plane ends at a page that cannot be touched, so that a write after the last row ends the
// program.
typedef struct {
    flourish_pixel_format format;
    int width, height, plane_count;
    uint8_t *planes[3], *copies[3];
    int32_t strides[3];
    int row_bytes[3], rows[3];
    void *maps[3];
    size_t map_sizes[3];
} Frame;

// Makes a frame with `gap` bytes between rows, filled with a pattern.
void frame_open(Frame *frame, flourish_pixel_format format, int width, int height, int gap);
void frame_close(Frame *frame);
// Fills the frame with the pattern again.
void frame_reset(Frame *frame);
// Returns whether the pixels are those of the pattern.
bool frame_is_unchanged(const Frame *frame);
// Returns whether the bytes between the rows are those of the pattern.
bool frame_has_unchanged_gaps(const Frame *frame);
// Returns a hash of the pixels.
uint64_t frame_hash(const Frame *frame);

flourish_processor *create(flourish_pixel_format format, int width, int height, const char *settings);
flourish_status process(flourish_processor *processor, Frame *frame, int64_t time, bool *drawn);
// Reads all events. Returns the number of those whose line contains a text.
int count_events(flourish_processor *processor, const char *text);

// The checks; each ends the program if it fails.
void check_arguments(void);
void check_frames(void);
void check_control(void);
void check_host(void);
void check_leaks(void);
void check_overlay(void);
void check_pairs(void);
void check_threads(void);

#endif
