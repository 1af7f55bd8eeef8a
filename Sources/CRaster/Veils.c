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

static KERNEL void pull8(uint8_t *restrict row, const uint16_t *restrict pass, size_t count, int16_t code) {
    // The code has 7 fraction bits; the difference to the code keeps 5 of them.
    int16_t base = (int16_t)((code >> 2) + 16);
    EACH(i, count) {
        int16_t difference = (int16_t)((row[i] << 7) - code);
        int16_t kept = (int16_t)(((int32_t)difference * (int32_t)(int16_t)pass[i]) >> 16);
        row[i] = (uint8_t)((int16_t)(kept + base) >> 5);
    }
}

static KERNEL void pull16(uint16_t *restrict row, const uint16_t *restrict pass, size_t count, float code) {
    EACH(i, count) {
        float p = (float)pass[i] * (1.0f / 16384);
        row[i] = rounded((float)row[i] * p + code * (1 - p));
    }
}

void craster_pull(void *row, const uint16_t *pass, size_t count, double code, bool is_deep) {
    if (is_deep) pull16(row, pass, count, (float)code);
    else pull8(row, pass, count, (int16_t)__builtin_round(code * 128));
}

/// Returns the entry of a table for a value that is clipped to 0…1.
static inline uint16_t entry(float x, float last) {
    float clipped = x < 1 ? x : 1;
    return (uint16_t)(int32_t)((clipped >= 0 ? clipped : 0) * last + 0.5f);
}

/// The entries of the table for R′, G′ and B′ of a group of points.
typedef struct {
    uint16_t red[GROUP], green[GROUP], blue[GROUP];
} Entries;

static inline void find(Entries *entries, const float *luma, const float *cb, const float *cr, CRasterLight k) {
    EACH(i, GROUP) {
        float y = (luma[i] - k.luma_offset) * k.luma_scale, u = cb[i] - k.chroma_offset, v = cr[i] - k.chroma_offset;
        entries->red[i] = entry(y + k.red_cr * v, k.last);
        entries->green[i] = entry(y + k.green_cb * u + k.green_cr * v, k.last);
        entries->blue[i] = entry(y + k.blue_cb * u, k.last);
    }
}

// Codes are gathered and looked up one by one, and converted in vectors.
#define LIGHT(name, Sample) \
    static KERNEL void name( \
        float *restrict red, float *restrict green, float *restrict blue, const uint16_t *restrict cells, \
        const Sample *restrict luma, const Sample *restrict cb, const Sample *restrict cr, const uint32_t *restrict at, \
        const uint32_t *restrict colour_at, size_t count, const float *restrict table, CRasterLight k \
    ) { \
        for (size_t first = 0; first < count; first += GROUP) { \
            const size_t size = count - first < GROUP ? count - first : GROUP; \
            float y[GROUP] = {0}, u[GROUP] = {0}, v[GROUP] = {0}; \
            EACH(i, size) y[i] = (float)luma[at[first + i]]; \
            EACH(i, size) u[i] = (float)cb[colour_at[first + i]]; \
            EACH(i, size) v[i] = (float)cr[colour_at[first + i]]; \
            Entries entries; \
            find(&entries, y, u, v, k); \
            EACH(i, size) { \
                const size_t cell = cells[first + i]; \
                red[cell] += table[entries.red[i]]; \
                green[cell] += table[entries.green[i]]; \
                blue[cell] += table[entries.blue[i]]; \
            } \
        } \
    }

LIGHT(cell_light8, uint8_t)
LIGHT(cell_light16, uint16_t)

void craster_cell_light(
    float *red, float *green, float *blue, const uint16_t *cells, const void *luma, const void *cb, const void *cr,
    const uint32_t *at, const uint32_t *colour_at, size_t count, const float *table, CRasterLight k
) {
    if (k.is_deep) cell_light16(red, green, blue, cells, luma, cb, cr, at, colour_at, count, table, k);
    else cell_light8(red, green, blue, cells, luma, cb, cr, at, colour_at, count, table, k);
}
