// Alpha and straight colours from drawings on black and on white.
#include "Internal.h"

/// Rounds 0 ≤ x < 2^16 to the nearest integer, and halves up. ``rounded`` rounds halves to even, and halves are frequent
/// where samples lose bits.
static inline uint16_t nearest(float x) {
    int32_t whole = (int32_t)x;
    return (uint16_t)(whole + (x - (float)whole >= 0.5f));
}

KERNEL void craster_find_alpha(
    uint16_t *restrict alpha, float *restrict scale, const uint16_t *restrict luma, const uint16_t *restrict cb,
    const uint16_t *restrict cr, const uint16_t *restrict lit, size_t count, CRasterMatting m
) {
    // The inverse of the matrix (ITU-T H.273, 8.3).
    float red_gain = 2 * (1 - m.kr), blue_gain = 2 * (1 - m.kb), per_green = 1 / (1 - m.kr - m.kb);
    EACH(i, count) {
        float grey = (float)luma[i];
        float through = ((float)lit[i] - grey) * m.per_luma;
        float shade = (grey - m.black) * m.per_luma;
        float red = shade + red_gain * (((float)cr[i] - m.neutral) * m.per_chroma);
        float blue = shade + blue_gain * (((float)cb[i] - m.neutral) * m.per_chroma);
        float green = (shade - m.kr * red - m.kb * blue) * per_green;
        float strongest = red > green ? red : green;
        strongest = strongest > blue ? strongest : blue;
        float amount = 1 - through;
        amount = amount > strongest ? amount : strongest;
        amount = amount < 0 ? 0 : amount > 1 ? 1 : amount;
        uint16_t code = nearest(amount * m.opaque);
        alpha[i] = code;
        scale[i] = code > 0 ? m.opaque / (float)code : 0;
    }
}

KERNEL void craster_straighten(
    uint16_t *restrict out, const uint16_t *restrict from, const float *restrict scale, size_t count, CRasterCode code
) {
    EACH(i, count) {
        float x = code.base + ((float)from[i] - code.zero) * code.per * scale[i];
        out[i] = nearest(x < code.least ? code.least : x > code.greatest ? code.greatest : x);
    }
}
