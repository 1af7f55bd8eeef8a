// Hand-gesture reactions on the frames of a C or C++ program: libflourish.
//
// The guide is docs/c-library.md. docs/c-reference.md is made from this file.

#ifndef FLOURISH_H
#define FLOURISH_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A processor: recognises gestures in the frames of one video and draws reactions on them.
///
/// The pointer identifies the processor and is never dereferenced. A pointer to a destroyed processor is not reused, and
/// calls with it fail with `FLOURISH_INVALID_ARGUMENT`.
typedef struct flourish_processor flourish_processor;

/// The result of a call. Values may be added; treat unknown ones as errors.
typedef enum flourish_status {
    /// Success.
    FLOURISH_OK = 0,
    /// An argument, a setting or a name is invalid.
    FLOURISH_INVALID_ARGUMENT = 1,
    /// A file that the settings name is missing or cannot be read.
    FLOURISH_FILE_UNAVAILABLE = 2,
    /// A file that the settings name is damaged or has the wrong format.
    FLOURISH_FILE_UNUSABLE = 3,
    /// A model or a library is missing on this machine, or gestures are not available in this processor.
    FLOURISH_UNAVAILABLE = 4,
    /// The frame's time is not after that of the previous frame. The frame was not processed; the next one may be.
    FLOURISH_LATE_FRAME = 5,
    /// The processor was finished.
    FLOURISH_FINISHED = 6,
    /// Another failure, such as refused memory.
    FLOURISH_FAILED = 7
} flourish_status;

/// The pixel format of a processor's frames, 8 bits per sample.
typedef enum flourish_pixel_format {
    /// Two planes: Y, and Cb and Cr interleaved at half the width and height.
    FLOURISH_NV12 = 1,
    /// Three planes: Y, and Cb and Cr at half the width and height. Drawn on without a conversion.
    FLOURISH_I420 = 2,
    /// One plane of blue, green, red and an unused byte.
    FLOURISH_BGRX = 3,
    /// One plane of red, green, blue and alpha. Alpha becomes opaque in frames that are drawn on, except with the setting
    /// `overlay`.
    FLOURISH_RGBA = 4,
    /// One plane of blue, green and red, as of OpenCV.
    FLOURISH_BGR = 5,
    /// One plane of red, green and blue.
    FLOURISH_RGB = 6
} flourish_pixel_format;

/// The type of a setting's values.
typedef enum flourish_setting_type {
    /// `true` or `false`.
    FLOURISH_BOOLEAN = 1,
    /// A number.
    FLOURISH_NUMBER = 2,
    /// A whole number.
    FLOURISH_INTEGER = 3,
    /// A string.
    FLOURISH_STRING = 4,
    /// An array of strings.
    FLOURISH_STRINGS = 5
} flourish_setting_type;

/// A setting that applies to frames, as its users may see it.
///
/// Later versions may add fields at the end.
typedef struct flourish_setting {
    /// The table of the setting in `settings` of `flourish_create`, such as `recognition`.
    const char *table;
    /// The name in the table, such as `hold`.
    const char *name;
    /// The effect of the setting, in sentences.
    const char *help;
    flourish_setting_type type;
    /// The range of a number.
    double minimum, maximum;
    /// The default of a number; 0 or 1 for a Boolean value.
    double number;
    /// The unit of a number, such as `s`; empty for none.
    const char *unit;
    /// The default of a string; `NULL` for none.
    const char *text;
    /// The names of values, with `NULL` at the end; `NULL` for none. A palette and a layout have other values, too.
    const char *const *choices;
} flourish_setting;

/// A part of a processor that can be switched on and off while it runs.
typedef enum flourish_switch {
    /// All reactions. Effects in progress run to their end.
    FLOURISH_REACTIONS = 1,
    /// Recognition of gestures. `flourish_perform` works in both positions.
    FLOURISH_GESTURES = 2
} flourish_switch;

/// Returns the version of the library, such as `0.2.0`. The string is constant.
const char *flourish_version(void);

/// Returns the message of the last call on this thread that failed: one line with the problem and the remedy. Empty if none
/// failed.
///
/// The string is valid until the next failure on this thread.
const char *flourish_error_message(void);

/// Creates a processor, and loads the models unless gestures are switched off in the settings.
///
/// - `width`, `height`: the size of all frames in pixels, 1 to 16384.
/// - `format`: the pixel format of all frames.
/// - `settings`: a JSON object in UTF-8 (docs/c-library.md, "Settings"); `NULL` for the defaults.
/// - `processor`: receives the processor, or `NULL` after a failure.
flourish_status flourish_create(
    int32_t width, int32_t height, flourish_pixel_format format, const char *settings, flourish_processor **processor);

/// Destroys a processor. Does nothing for `NULL` or a destroyed processor.
///
/// A call that is in progress on another thread continues to its end.
void flourish_destroy(flourish_processor *processor);

/// Recognises gestures in a frame if it is due, and draws the effects in progress on it, in place.
///
/// A frame on which nothing is drawn is not written to. The memory is not used after the call. Calls with one processor
/// wait for each other.
///
/// - `planes`: the first row of each plane, as many as the format has.
/// - `strides`: for each plane the bytes from one row to the next, at least those of a row.
/// - `time`: the time stamp in nanoseconds, greater than that of the previous frame.
/// - `drawn`: receives whether the frame was drawn on, by effects, a ring, Portrait, Studio Light or auto framing; may be `NULL`.
flourish_status flourish_process(
    flourish_processor *processor, uint8_t *const planes[], const int32_t strides[], int64_t time, bool *drawn);

/// Ends the effects in progress and emits the last events, which can be read until the processor is destroyed.
flourish_status flourish_finish(flourish_processor *processor);

/// Shows the effect of a reaction from the next frame on, at its default place. An effect in progress is extended.
///
/// Does nothing while reactions are switched off.
///
/// - `reaction`: a name from `flourish_reactions`, such as `confetti`.
flourish_status flourish_perform(flourish_processor *processor, const char *reaction);

/// Shows the effect of a reaction from the next frame on, starting at a place in the picture.
///
/// - `reaction`: as for `flourish_perform`.
/// - `x`, `y`: the place in fractions of width and height, 0 to 1, from the top left corner.
flourish_status flourish_perform_at(flourish_processor *processor, const char *reaction, double x, double y);

/// Ends the effects of a reaction with the next frame.
///
/// - `reaction`: as for `flourish_perform`; `NULL` for all effects.
flourish_status flourish_cancel(flourish_processor *processor, const char *reaction);

/// Ends one effect with the next frame.
///
/// - `effect`: the `id` of the effect in its events.
flourish_status flourish_cancel_effect(flourish_processor *processor, int64_t effect);

/// Switches reactions or gestures on or off, from the next frame on.
///
/// A processor created without gestures has no models; switching them on fails with `FLOURISH_UNAVAILABLE`.
flourish_status flourish_set_switch(flourish_processor *processor, flourish_switch name, bool on);

/// Reads the position of a switch.
flourish_status flourish_get_switch(flourish_processor *processor, flourish_switch name, bool *on);

/// Switches one gesture on or off, from the next frame on.
///
/// - `gesture`: a name such as `victory`; docs/events.md lists them.
flourish_status flourish_set_gesture(flourish_processor *processor, const char *gesture, bool on);

/// Ignores gestures for a while, in the time of the frames.
///
/// - `duration`: nanoseconds from the next frame on, up to a day; 0 ends an earlier call's duration.
flourish_status flourish_snooze(flourish_processor *processor, int64_t duration);

/// Reads the names of the available reactions, as a JSON array of strings.
///
/// - `names`: receives the array, to be freed with `flourish_free`; `NULL` after a failure.
flourish_status flourish_reactions(flourish_processor *processor, char **names);

/// Returns a setting by its index, which counts from 0; `NULL` after the last one. It stays valid.
///
/// `flourish_create` also accepts the tables `sensitivity` and `bindings`, whose settings have the names of gestures,
/// and the table `processor` (docs/c-library.md, "Settings").
const flourish_setting *flourish_setting_at(int32_t index);

/// Reads the next event, a line of JSON without its line break, as docs/events.md describes.
///
/// Up to 4096 unread events are kept; then the oldest ones are lost.
///
/// - `event`: receives the line, to be freed with `flourish_free`; `NULL` if no event is waiting, and after a failure.
flourish_status flourish_next_event(flourish_processor *processor, char **event);

/// Frees a string that a call has returned. Does nothing for `NULL`.
void flourish_free(char *string);

#ifdef __cplusplus
}
#endif

#endif
