// Veils over a picture, and its light.
#include "Internal.h"

KERNEL void craster_ramp(uint16_t *restrict pass, size_t count, float start, float step) {
    EACH(i, count) pass[i] = rounded(start + step * (float)(int32_t)i);
}

KERNEL void craster_lift(uint16_t *restrict pass, const uint16_t *restrict veil, size_t count, uint16_t share) {
    SPREAD(shares, share);
    EACH_LANE(i, lane, count, { pass[i] = ONE - high(ONE - veil[i], shares[lane]); });
}

KERNEL void craster_lift_edge(
    uint16_t *restrict pass, const uint16_t *restrict veil, const uint16_t *restrict room, size_t count, uint16_t share
) {
    SPREAD(rest, 65535 - share);
    EACH_LANE(i, lane, count, { pass[i] = ONE - high(ONE - veil[i], share + high(room[i], rest[lane])); });
}

KERNEL void craster_pull8(uint8_t *restrict row, const uint16_t *restrict pass, size_t count, int16_t code) {
    // The code has 7 fraction bits; the difference to the code keeps 5 of them.
    int16_t base = (int16_t)((code >> 2) + 16);
    EACH(i, count) {
        int16_t difference = (int16_t)((row[i] << 7) - code);
        int16_t kept = (int16_t)(((int32_t)difference * (int32_t)(int16_t)pass[i]) >> 16);
        row[i] = (uint8_t)((int16_t)(kept + base) >> 5);
    }
}

KERNEL void craster_pull16(uint16_t *restrict row, const uint16_t *restrict pass, size_t count, float code) {
    EACH(i, count) {
        float p = (float)pass[i] * (1.0f / 16384);
        row[i] = rounded((float)row[i] * p + code * (1 - p));
    }
}

/// Returns the entry of a table for a value that is clipped to 0…1.
static inline uint16_t entry(float x, float last) {
    float clipped = x < 1 ? x : 1;
    return (uint16_t)(int32_t)((clipped >= 0 ? clipped : 0) * last + 0.5f);
}

KERNEL void craster_entries(
    uint16_t *restrict red, uint16_t *restrict green, uint16_t *restrict blue, const uint16_t *restrict luma,
    const uint16_t *restrict cb, const uint16_t *restrict cr, size_t count, CRasterEntries k
) {
    EACH(i, count) {
        float y = ((float)luma[i] - k.luma_offset) * k.luma_scale;
        float u = (float)cb[i] - k.chroma_offset, v = (float)cr[i] - k.chroma_offset;
        red[i] = entry(y + k.red_cr * v, k.last);
        green[i] = entry(y + k.green_cb * u + k.green_cr * v, k.last);
        blue[i] = entry(y + k.blue_cb * u, k.last);
    }
}
