// The functions of HarfBuzz that Flourish uses, behind a small interface. The library is loaded at run time: every FFmpeg
// that draws subtitles brings it, and texts in effects are the only feature that needs it.
#ifndef CHARFBUZZ_H
#define CHARFBUZZ_H

#include <stdbool.h>
#include <stdint.h>

/// A font, opened for shaping.
typedef struct chb_font chb_font;

/// A glyph of a shaped run. Distances are in units of the font, y upward.
typedef struct {
    /// The glyph's number in the font; 0 if the font has none for the character.
    uint32_t glyph;
    /// The index of the first character that the glyph stands for.
    uint32_t cluster;
    int32_t x_advance, y_advance, x_offset, y_offset;
} chb_glyph;

/// Loads the library; returns whether it is there.
bool chb_is_available(void);

/// Returns the script of a character as the four letters of ISO 15924 in one number, such as 'Arab'.
uint32_t chb_script(uint32_t character);

/// Opens a font file; `NULL` if it cannot be read.
chb_font *chb_open(const char *path, uint32_t index);
void chb_close(chb_font *font);

/// The number of the font's units in the height of its text.
uint32_t chb_units_per_em(const chb_font *font);

/// Shapes the characters `start..<start + length` of a text, of which the others are the context. Writes at most
/// `capacity` glyphs from left to right.
///
/// Returns the number of glyphs; more than `capacity` if they do not fit, and -1 without memory.
int32_t chb_shape(
    const chb_font *font, const uint32_t *text, int32_t text_length, int32_t start, int32_t length, uint32_t script,
    bool is_right_to_left, chb_glyph *glyphs, int32_t capacity);

#endif
