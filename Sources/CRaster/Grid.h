// Helpers for functions that enlarge the rows of a grid.
#ifndef CRASTER_GRID_H
#define CRASTER_GRID_H

#include "Internal.h"

static inline size_t at_most(size_t x, size_t y) { return x < y ? x : y; }

/// The rows above and below a place, and the share of the row below.
typedef struct {
    size_t above, below;
    float share;
} Between;

static inline Between between(size_t sample, size_t per_cell, size_t cells) {
    float place = ((float)sample + 0.5f) / (float)per_cell - 0.5f;
    if (place < 0) place = 0;
    size_t above = at_most((size_t)place, cells - 1);
    return (Between){above, at_most(above + 1, cells - 1), place - (float)above};
}

#define WIDEN(FACTOR) \
    for (size_t i = 0; i <= count; i++) { \
        float left = mixed[i], rise = mixed[i + 1] - mixed[i]; \
        for (size_t k = 0; k < FACTOR; k++) out[i * FACTOR + k] = left + rise * (((float)k + 0.5f) / FACTOR); \
    }

/// The number of floats that ``widened`` writes.
static inline size_t widened_size(size_t count, size_t factor) { return (count + 1) * factor + 2 * GROUP; }

/// Interpolates between two rows of a grid, and enlarges the result. Returns the address of the first sample.
static inline const float *widened(
    float *restrict out, float *restrict mixed, const float *restrict values, size_t count, Between rows, size_t factor
) {
    const float *upper = values + rows.above * count, *lower = values + rows.below * count;
    EACH(i, count) mixed[i + 1] = upper[i] + (lower[i] - upper[i]) * rows.share;
    if (factor == 1) {
        memcpy(out, mixed + 1, count * sizeof *out);
        return out;
    }
    mixed[0] = mixed[1];
    mixed[count + 1] = mixed[count];
    switch (factor) {
    case 2: WIDEN(2) break;
    case 4: WIDEN(4) break;
    case 8: WIDEN(8) break;
    default: WIDEN(16) break;
    }
    return out + factor / 2;
}

/// Rounds and limits to 0…255. The comparison with 0 is first, so that the conversion is of a number in range.
static inline uint8_t byte(float x) {
    float limited = x < 0 ? 0 : x > 255 ? 255 : x;
    return (uint8_t)rounded(limited);
}

/// The thresholds with which values are rounded, −0.5…0.5, so that a smooth area shows no steps. The pattern repeats
/// every 4 rows and 16 samples.
static inline void thresholds(float *out, size_t row) {
    static const float pattern[4][4] = {{0, 8, 2, 10}, {12, 4, 14, 6}, {3, 11, 1, 9}, {15, 7, 13, 5}};
    for (size_t i = 0; i < GROUP; i++) out[i] = (pattern[row & 3][i & 3] - 7.5f) / 16;
}

/// Writes the room's share of a row, 0…1, at the samples of a plane.
static inline __attribute__((always_inline)) void room_shares(
    float *restrict shares, const uint8_t *restrict matte, CRasterMatteShape shape, size_t row, size_t count
) {
    const uint8_t *upper = matte + at_most(row * shape.down, shape.height - 1) * shape.stride;
    const uint8_t *lower = matte + at_most(row * shape.down + shape.down - 1, shape.height - 1) * shape.stride;
    if (shape.across == 1) {
        EACH(x, count) shares[x] = 1 - (float)(upper[x] + lower[x]) * (1.0f / 510);
        return;
    }
    size_t pairs = at_most(count, shape.width / 2);
    EACH(x, pairs) {
        shares[x] = 1 - (float)(upper[2 * x] + upper[2 * x + 1] + lower[2 * x] + lower[2 * x + 1]) * (1.0f / 1020);
    }
    for (size_t x = pairs; x < count; x++) {
        shares[x] = 1 - (float)(upper[shape.width - 1] + lower[shape.width - 1]) * (1.0f / 510);
    }
}

#endif
