// Blends a canvas's row into samples of a picture.
#include "Internal.h"

/// Converts a sum of 2^7 · code to a byte, limited to white or to the sample `under` it if that is brighter.
static inline uint8_t luma8(uint16_t under, uint16_t over, uint16_t white) {
    return (uint8_t)((uint16_t)(least((uint16_t)(under + over), greatest(under, white)) + 64) >> 7);
}

static inline uint16_t luma16(float under, float over, float white) {
    float limit = under > white ? under : white;
    float sum = under + over;
    return rounded(sum < limit ? sum : limit);
}

static inline float share(uint16_t alpha) { return (float)alpha * (1.0f / 16384); }

static KERNEL void luma8_blend(
    uint8_t *restrict row, const uint16_t *restrict red, const uint16_t *restrict green, const uint16_t *restrict blue,
    const uint16_t *restrict alpha, size_t count, CRasterLuma8 k
) {
    SPREAD(reds, k.red);
    SPREAD(greens, k.green);
    SPREAD(blues, k.blue);
    SPREAD(offsets, k.offset);
    EACH_LANE(i, lane, count, {
        uint16_t under = high((uint16_t)(row[i] << 8), through(alpha[i]));
        uint16_t over = high(twice(red[i]), reds[lane]) + high(twice(green[i]), greens[lane])
            + high(twice(blue[i]), blues[lane]) + high(twice(alpha[i]), offsets[lane]);
        row[i] = luma8(under, over, k.white);
    });
}

static KERNEL void luma16_blend(
    uint16_t *restrict row, const uint16_t *restrict red, const uint16_t *restrict green, const uint16_t *restrict blue,
    const uint16_t *restrict alpha, size_t count, CRasterLuma16 k
) {
    EACH(i, count) {
        float under = (float)row[i] * (1 - share(alpha[i]));
        float over = (float)red[i] * k.red + (float)green[i] * k.green + (float)blue[i] * k.blue
            + (float)alpha[i] * k.offset;
        row[i] = luma16(under, over, k.white);
    }
}

static KERNEL void luma8_add(uint8_t *restrict row, const uint16_t *restrict light, size_t count, CRasterLuma8 k) {
    SPREAD(scales, k.scale);
    EACH_LANE(i, lane, count, {
        row[i] = luma8((uint16_t)(row[i] << 7), high(twice(light[i]), scales[lane]), k.white);
    });
}

static KERNEL void luma16_add(uint16_t *restrict row, const uint16_t *restrict light, size_t count, CRasterLuma16 k) {
    EACH(i, count) row[i] = luma16((float)row[i], (float)light[i] * k.scale, k.white);
}

static KERNEL void luma8_cover(
    uint8_t *restrict row, const uint16_t *restrict luma, const uint16_t *restrict alpha, size_t count, CRasterLuma8 k
) {
    SPREAD(scales, k.scale);
    SPREAD(offsets, k.offset);
    EACH_LANE(i, lane, count, {
        uint16_t under = high((uint16_t)(row[i] << 8), through(alpha[i]));
        uint16_t over = high(twice(luma[i]), scales[lane]) + high(twice(alpha[i]), offsets[lane]);
        row[i] = luma8(under, over, k.white);
    });
}

static KERNEL void luma16_cover(
    uint16_t *restrict row, const uint16_t *restrict luma, const uint16_t *restrict alpha, size_t count, CRasterLuma16 k
) {
    EACH(i, count) {
        float under = (float)row[i] * (1 - share(alpha[i]));
        row[i] = luma16(under, (float)luma[i] * k.scale + (float)alpha[i] * k.offset, k.white);
    }
}

void craster_luma_blend(
    void *row, const uint16_t *red, const uint16_t *green, const uint16_t *blue, const uint16_t *alpha, size_t count,
    CRasterLuma k
) {
    if (k.is_deep) luma16_blend(row, red, green, blue, alpha, count, k.words);
    else luma8_blend(row, red, green, blue, alpha, count, k.bytes);
}

void craster_luma_add(void *row, const uint16_t *light, size_t count, CRasterLuma k) {
    if (k.is_deep) luma16_add(row, light, count, k.words);
    else luma8_add(row, light, count, k.bytes);
}

void craster_luma_cover(void *row, const uint16_t *luma, const uint16_t *alpha, size_t count, CRasterLuma k) {
    if (k.is_deep) luma16_cover(row, luma, alpha, count, k.words);
    else luma8_cover(row, luma, alpha, count, k.bytes);
}

/// `up`, `down1` and `down2` are the amounts by which the primaries raise and lower the sample, in codes times 128.
static inline uint8_t chroma8(uint16_t under, uint16_t up, uint16_t down1, uint16_t down2, uint16_t bias) {
    uint16_t sum = under + bias + up - down1 - down2;
    uint16_t floored = greatest(sum, bias) - bias;
    return (uint8_t)((uint16_t)(least(floored, 32640) + 64) >> 7);
}

static inline uint16_t chroma16(float under, uint16_t up, uint16_t down1, uint16_t down2, CRasterChroma16 k) {
    float sum = under + (float)up * k.rising + (float)down1 * k.first + (float)down2 * k.second;
    float floored = sum > 0 ? sum : 0;
    return rounded(floored < k.greatest ? floored : k.greatest);
}

static KERNEL void chroma8_blend(
    uint8_t *restrict row, const uint16_t *restrict up, const uint16_t *restrict down1, const uint16_t *restrict down2,
    const uint16_t *restrict alpha, size_t count, CRasterChroma8 k
) {
    SPREAD(rising, k.rising);
    SPREAD(first, k.first_falling);
    SPREAD(second, k.second_falling);
    SPREAD(offsets, k.offset);
    EACH_LANE(i, lane, count, {
        uint16_t under = high((uint16_t)(row[i] << 8), through(alpha[i])) + high(twice(alpha[i]), offsets[lane]);
        row[i] = chroma8(
            under, high(twice(up[i]), rising[lane]), high(twice(down1[i]), first[lane]),
            high(twice(down2[i]), second[lane]), k.bias);
    });
}

static KERNEL void chroma16_blend(
    uint16_t *restrict row, const uint16_t *restrict up, const uint16_t *restrict down1, const uint16_t *restrict down2,
    const uint16_t *restrict alpha, size_t count, CRasterChroma16 k
) {
    EACH(i, count) {
        float under = (float)row[i] * (1 - share(alpha[i])) + (float)alpha[i] * k.offset;
        row[i] = chroma16(under, up[i], down1[i], down2[i], k);
    }
}

static KERNEL void chroma8_add(
    uint8_t *restrict row, const uint16_t *restrict up, const uint16_t *restrict down1, const uint16_t *restrict down2,
    size_t count, CRasterChroma8 k
) {
    SPREAD(rising, k.rising);
    SPREAD(first, k.first_falling);
    SPREAD(second, k.second_falling);
    EACH_LANE(i, lane, count, {
        row[i] = chroma8(
            (uint16_t)(row[i] << 7), high(twice(up[i]), rising[lane]), high(twice(down1[i]), first[lane]),
            high(twice(down2[i]), second[lane]), k.bias);
    });
}

static KERNEL void chroma16_add(
    uint16_t *restrict row, const uint16_t *restrict up, const uint16_t *restrict down1, const uint16_t *restrict down2,
    size_t count, CRasterChroma16 k
) {
    EACH(i, count) row[i] = chroma16((float)row[i], up[i], down1[i], down2[i], k);
}

void craster_chroma_blend(
    void *row, const uint16_t *up, const uint16_t *down1, const uint16_t *down2, const uint16_t *alpha, size_t count,
    CRasterChroma k
) {
    if (k.is_deep) chroma16_blend(row, up, down1, down2, alpha, count, k.words);
    else chroma8_blend(row, up, down1, down2, alpha, count, k.bytes);
}

void craster_chroma_add(
    void *row, const uint16_t *up, const uint16_t *down1, const uint16_t *down2, size_t count, CRasterChroma k
) {
    if (k.is_deep) chroma16_add(row, up, down1, down2, count, k.words);
    else chroma8_add(row, up, down1, down2, count, k.bytes);
}
