// Enlarges a part of a picture with a filter of four by four samples.
#include "Internal.h"

/// Samples beside a row, which repeat its edges.
#define BESIDE 4

typedef float Four __attribute__((vector_size(16)));
typedef float Eight __attribute__((vector_size(32)));

/// The length of a filtered row: whole groups of samples.
static inline size_t row_length(size_t width) { return (width + GROUP - 1) / GROUP * GROUP; }

size_t craster_enlarge_scratch(size_t source_width, size_t target_width) {
    return source_width + 2 * BESIDE + 4 * row_length(target_width);
}

static inline int32_t limited(int32_t x, int32_t most) { return x < 0 ? 0 : x > most ? most : x; }

/// Converts the samples `first` to `end` of a row to floats. Samples beyond an edge are those of the edge.
static KERNEL void read8(float *restrict out, const uint8_t *restrict row, int32_t first, int32_t end, int32_t width) {
    int32_t inner = limited(first, width), last = limited(end, width);
    for (int32_t x = first; x < 0 && x < end; x++) out[x] = row[0];
    for (int32_t x = inner; x < last; x++) out[x] = row[x];
    for (int32_t x = first > width ? first : width; x < end; x++) out[x] = row[width - 1];
}

static KERNEL void read16(
    float *restrict out, const uint16_t *restrict row, int32_t first, int32_t end, int32_t width
) {
    int32_t inner = limited(first, width), last = limited(end, width);
    for (int32_t x = first; x < 0 && x < end; x++) out[x] = row[0];
    for (int32_t x = inner; x < last; x++) out[x] = row[x];
    for (int32_t x = first > width ? first : width; x < end; x++) out[x] = row[width - 1];
}

/// Returns four values from each of two addresses.
#define FOURS(one, other) \
    ({ \
        Four first_, second_; \
        memcpy(&first_, one, sizeof first_); \
        memcpy(&second_, other, sizeof second_); \
        __builtin_shufflevector(first_, second_, 0, 1, 2, 3, 4, 5, 6, 7); \
    })

/// Returns the products of the values and the weights of two successive samples.
#define PRODUCTS(x) (FOURS(in + first[x], in + first[(x) + 1]) * FOURS(weights + 4 * (x), weights + 4 * (x) + 4))

/// Adds the values 0 and 1, and 2 and 3, of each four: first those of `a` and then those of `b`, in each half.
#define ADDED(a, b) \
    (__builtin_shufflevector(a, b, 0, 2, 8, 10, 4, 6, 12, 14) + __builtin_shufflevector(a, b, 1, 3, 9, 11, 5, 7, 13, 15))

/// Mixes each sample of a row from four samples of another one. The sum is (0 + 1) + (2 + 3).
static KERNEL void filter_across(float *restrict out, const float *restrict in, CRasterTaps taps, size_t count) {
    const int32_t *restrict first = taps.first;
    const float *restrict weights = taps.weights;
    size_t x = 0;
    for (; x + 8 <= count; x += 8) {
        Eight ab = PRODUCTS(x), cd = PRODUCTS(x + 2), ef = PRODUCTS(x + 4), gh = PRODUCTS(x + 6);
        Eight aebf = ADDED(ab, ef), cgdh = ADDED(cd, gh);
        Eight sums = ADDED(aebf, cgdh);
        sums = __builtin_shufflevector(sums, sums, 0, 4, 2, 6, 1, 5, 3, 7);
        memcpy(out + x, &sums, sizeof sums);
    }
    for (; x < count; x++) {
        const float *from = in + first[x], *by = weights + 4 * x;
        out[x] = (from[0] * by[0] + from[1] * by[1]) + (from[2] * by[2] + from[3] * by[3]);
    }
}

typedef struct {
    const float *row[4];
    float weight[4];
} Rows;

#define MIXED(x) \
    ((a[x] * rows.weight[0] + b[x] * rows.weight[1]) + (c[x] * rows.weight[2] + d[x] * rows.weight[3]))

static KERNEL void mix_rows8(uint8_t *restrict out, Rows rows, size_t count) {
    const float *restrict a = rows.row[0], *restrict b = rows.row[1];
    const float *restrict c = rows.row[2], *restrict d = rows.row[3];
    EACH(x, count) {
        float mixed = MIXED(x);
        float raised = mixed > 0 ? mixed : 0;
        out[x] = (uint8_t)rounded(raised < 255.0f ? raised : 255.0f);
    }
}

static KERNEL void mix_rows16(uint16_t *restrict out, Rows rows, size_t count, float maximum) {
    const float *restrict a = rows.row[0], *restrict b = rows.row[1];
    const float *restrict c = rows.row[2], *restrict d = rows.row[3];
    EACH(x, count) {
        float mixed = MIXED(x);
        float raised = mixed > 0 ? mixed : 0;
        out[x] = rounded(raised < maximum ? raised : maximum);
    }
}

void craster_enlarge(
    CRasterPlane target, CRasterPlane source, CRasterTaps across, CRasterTaps down, float maximum, float *scratch
) {
    size_t length = row_length(target.width), bytes = source.is_deep ? 2 : 1;
    float *line = scratch + BESIDE, *filtered = scratch + source.width + 2 * BESIDE;
    int32_t first = across.first[0], end = across.first[target.width - 1] + 4;
    // The source rows of the four filtered rows, each at its number modulo 4.
    int32_t held[4] = {-1, -1, -1, -1};
    for (size_t y = 0; y < target.height; y++) {
        Rows rows;
        for (int32_t tap = 0; tap < 4; tap++) {
            int32_t row = limited(down.first[y] + tap, (int32_t)source.height - 1), place = row & 3;
            float *values = filtered + (size_t)place * length;
            if (held[place] != row) {
                const char *samples = (const char *)source.samples + (size_t)row * source.stride * bytes;
                if (source.is_deep) {
                    read16(line, (const uint16_t *)(const void *)samples, first, end, (int32_t)source.width);
                } else {
                    read8(line, (const uint8_t *)samples, first, end, (int32_t)source.width);
                }
                filter_across(values, line, across, target.width);
                held[place] = row;
            }
            rows.row[tap] = values;
            rows.weight[tap] = down.weights[4 * y + (size_t)tap];
        }
        char *out = (char *)target.samples + y * target.stride * bytes;
        if (source.is_deep) mix_rows16((uint16_t *)(void *)out, rows, target.width, maximum);
        else mix_rows8((uint8_t *)out, rows, target.width);
    }
}
