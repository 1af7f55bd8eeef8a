// The blur of a lens that is not focused on the background: each point of light becomes a disc.
#include "Grid.h"

/// The pixels of zero light on each side of a row.
static inline size_t margin(size_t radius) { return radius + 2; }

size_t craster_lens_row(CRasterGrid grid, size_t radius) { return grid.width + 2 * margin(radius) + 1; }

static inline float looked_up(const float *table, float share) {
    float place = share * (craster_table_size - 1);
    place = place < 0 ? 0 : place > craster_table_size - 1 ? craster_table_size - 1 : place;
    return table[(uint32_t)(place + 0.5f)];
}

static inline float brightest_of(float a, float b, float c) {
    float most = a > b ? a : b;
    return most > c ? most : c;
}

/// Returns the fourth root of light that is not negative.
static inline float fourth_root(float light) { return __builtin_sqrtf(__builtin_sqrtf(light > 0 ? light : 0)); }

KERNEL void craster_room_weights(float *restrict matte, CRasterGrid grid, float *restrict scratch) {
    size_t n = grid.width;
    // A cell beside a person may contain some of the person's colour, which the matte does not show.
    for (size_t y = 0; y < grid.height; y++) {
        const float *line = matte + y * n, *upper = y > 0 ? line - n : line;
        const float *lower = y + 1 < grid.height ? line + n : line;
        float *tall = scratch + y * n;
        EACH(x, n) {
            float most = line[x] > upper[x] ? line[x] : upper[x];
            tall[x] = most > lower[x] ? most : lower[x];
        }
    }
    for (size_t y = 0; y < grid.height; y++) {
        const float *tall = scratch + y * n;
        float *line = matte + y * n;
        EACH(x, n) {
            float left = tall[x > 0 ? x - 1 : 0], right = tall[at_most(x + 1, n - 1)], most = tall[x];
            most = left > most ? left : most;
            most = right > most ? right : most;
            float room = 1 - most;
            // Where a disc contains no room at all, the person's own light is better than none.
            line[x] = room * room + 1e-5f;
        }
    }
}

KERNEL void craster_linearise(
    float *restrict light, CRasterGrid grid, const float *restrict luma, const float *restrict cb,
    const float *restrict cr, const float *restrict weights, CRasterMatrix k, CRasterLensTables tables, size_t radius
) {
    size_t row = craster_lens_row(grid, radius);
    for (size_t y = 0; y < grid.height; y++) {
        float *pixel = light + (y * row + margin(radius)) * 4;
        memset(light + y * row * 4, 0, row * 4 * sizeof *light);
        for (size_t x = 0; x < grid.width; x++, pixel += 4) {
            size_t i = y * grid.width + x;
            float red = luma[i] + k.red_cr * cr[i], green = luma[i] + k.green_cb * cb[i] + k.green_cr * cr[i];
            float blue = luma[i] + k.blue_cb * cb[i], brightest = brightest_of(red, green, blue);
            float weight = weights[i], enlarged = looked_up(tables.gain, brightest) * weight;
            pixel[0] = looked_up(tables.light, red) * enlarged;
            pixel[1] = looked_up(tables.light, green) * enlarged;
            pixel[2] = looked_up(tables.light, blue) * enlarged;
            pixel[3] = weight;
        }
    }
}

KERNEL void craster_disc_sums(
    float *restrict out, CRasterGrid grid, float *restrict light, const float *restrict halves, size_t radius
) {
    size_t row = craster_lens_row(grid, radius), n = grid.width * 4;
    // The light of a row becomes the sums of all light before each pixel.
    for (size_t y = 0; y < grid.height; y++) {
        float *line = light + y * row * 4;
        float sum[4] = {0, 0, 0, 0};
        for (size_t x = 0; x < row; x++) {
            for (size_t c = 0; c < 4; c++) {
                float next = sum[c] + line[4 * x + c];
                line[4 * x + c] = sum[c];
                sum[c] = next;
            }
        }
    }
    for (size_t y = 0; y < grid.height; y++) {
        float *target = out + y * n;
        EACH(i, n) target[i] = 0;
        size_t first = y < radius ? 0 : y - radius, last = at_most(y + radius, grid.height - 1);
        for (size_t other = first; other <= last; other++) {
            float half = halves[other < y ? y - other : other - y];
            if (half < 0) continue;
            size_t whole = (size_t)half;
            float share = half - (float)whole;
            const float *sums = light + (other * row + margin(radius)) * 4;
            const float *right = sums + 4 * (whole + 1), *left = sums - 4 * whole;
            const float *far_right = right + 4, *far_left = left - 4;
            EACH(i, n) {
                float inner = right[i] - left[i], outer = far_right[i] - far_left[i];
                target[i] += inner + (outer - inner) * share;
            }
        }
    }
}

KERNEL void craster_encode(
    float *restrict luma, float *restrict cb, float *restrict cr, CRasterGrid grid, const float *restrict sums,
    CRasterMatrix k, CRasterLensTables tables
) {
    size_t count = grid.width * grid.height;
    float kg = 1 - k.kr - k.kb, to_cb = 0.5f / (1 - k.kb), to_cr = 0.5f / (1 - k.kr);
    float enlarged_scale = 1 / tables.enlarged_peak, scale = 1 / tables.peak;
    for (size_t i = 0; i < count; i++) {
        const float *pixel = sums + 4 * i;
        float weight = 1 / (pixel[3] > 1e-12f ? pixel[3] : 1e-12f);
        float brightest = brightest_of(pixel[0], pixel[1], pixel[2]) * weight * enlarged_scale;
        float reduced = weight * scale / looked_up(tables.gain, looked_up(tables.enlarged_code, fourth_root(brightest)));
        float code[3];
        for (size_t c = 0; c < 3; c++) code[c] = looked_up(tables.code, fourth_root(pixel[c] * reduced));
        float y = k.kr * code[0] + kg * code[1] + k.kb * code[2];
        luma[i] = y;
        cb[i] = (code[2] - y) * to_cb;
        cr[i] = (code[0] - y) * to_cr;
    }
}

#define REPLACE(NAME, SAMPLE, MAXIMUM, ...) \
    static KERNEL void NAME( \
        SAMPLE *restrict plane, CRasterPlane shape, const uint8_t *restrict matte, CRasterMatteShape matte_shape, \
        const float *restrict values, CRasterGrid grid, CRasterCell cell, float share, float scale, float offset, \
        __VA_ARGS__ float *restrict scratch \
    ) { \
        size_t size = widened_size(grid.width, cell.across); \
        float *mixed = scratch + size, *shares = mixed + grid.width + 2; \
        for (size_t y = 0; y < shape.height; y++) { \
            Between rows = between(y, cell.down, grid.height); \
            const float *room = widened(scratch, mixed, values, grid.width, rows, cell.across); \
            room_shares(shares, matte, matte_shape, y, shape.width); \
            float threshold[GROUP]; \
            thresholds(threshold, y); \
            SAMPLE *line = plane + y * shape.stride; \
            EACH_LANE(x, lane, shape.width, { \
                float value = (float)line[x]; \
                float mixture = value + (room[x] * scale + offset + threshold[lane] - value) * (shares[x] * share); \
                line[x] = (SAMPLE)rounded(mixture < 0 ? 0 : mixture > MAXIMUM ? MAXIMUM : mixture); \
            }); \
        } \
    }

#define COMMA ,
REPLACE(replace8, uint8_t, 255.0f, )
REPLACE(replace16, uint16_t, maximum, float maximum COMMA)

void craster_replace(
    CRasterPlane plane, const uint8_t *matte, CRasterMatteShape matte_shape, const float *values, CRasterGrid grid,
    CRasterCell cell, float share, float scale, float offset, float maximum, float *scratch
) {
    if (plane.is_deep) {
        replace16(
            plane.samples, plane, matte, matte_shape, values, grid, cell, share, scale, offset, maximum, scratch);
    } else {
        replace8(plane.samples, plane, matte, matte_shape, values, grid, cell, share, scale, offset, scratch);
    }
}

// Light.

/// Turns the room's shares of a row into the changes of luma.
static inline __attribute__((always_inline)) void light_row(
    float *restrict shares, const float *restrict people, const float *restrict room, size_t count
) {
    EACH(x, count) shares[x] = people[x] + (room[x] - people[x]) * shares[x];
}

#define LIGHT(NAME, SAMPLE) \
    static KERNEL void NAME( \
        SAMPLE *restrict plane, CRasterPlane shape, const uint8_t *restrict matte, const float *restrict people, \
        const float *restrict room, CRasterGrid grid, size_t factor, float scale, float offset, \
        float *restrict scratch \
    ) { \
        size_t size = widened_size(grid.width, factor); \
        float *mixed = scratch + 2 * size, *shares = mixed + grid.width + 2; \
        CRasterMatteShape whole = {shape.width, shape.width, shape.height, 1, 1}; \
        float back = 1 / scale; \
        for (size_t y = 0; y < shape.height; y++) { \
            Between rows = between(y, factor, grid.height); \
            const float *on_people = widened(scratch, mixed, people, grid.width, rows, factor); \
            const float *on_room = widened(scratch + size, mixed, room, grid.width, rows, factor); \
            room_shares(shares, matte, whole, y, shape.width); \
            light_row(shares, on_people, on_room, shape.width); \
            float threshold[GROUP]; \
            thresholds(threshold, y); \
            SAMPLE *line = plane + y * shape.stride; \
            EACH_LANE(x, lane, shape.width, { \
                float value = (float)line[x] * scale + offset; \
                float limited = value < 0 ? 0 : value > 1 ? 1 : value; \
                float change = shares[x] * limited * (1 - limited) * back; \
                float result = (float)line[x] + change + (change == 0 ? 0 : threshold[lane]); \
                line[x] = (SAMPLE)rounded(result < 0 ? 0 : result); \
            }); \
        } \
    }

LIGHT(light8, uint8_t)
LIGHT(light16, uint16_t)

void craster_light(
    CRasterPlane plane, const uint8_t *matte, const float *people, const float *room, CRasterGrid grid, size_t factor,
    float scale, float offset, float *scratch
) {
    if (plane.is_deep) light16(plane.samples, plane, matte, people, room, grid, factor, scale, offset, scratch);
    else light8(plane.samples, plane, matte, people, room, grid, factor, scale, offset, scratch);
}

#define TINT(NAME, SAMPLE) \
    static KERNEL void NAME( \
        SAMPLE *restrict plane, CRasterPlane shape, const SAMPLE *restrict luma, const uint8_t *restrict matte, \
        CRasterMatteShape matte_shape, size_t luma_stride, const float *restrict people, const float *restrict room, \
        CRasterGrid grid, CRasterCell cell, float scale, float offset, float keep, float middle, \
        float *restrict scratch \
    ) { \
        size_t size = widened_size(grid.width, cell.across); \
        float *mixed = scratch + 2 * size, *shares = mixed + grid.width + 2; \
        for (size_t y = 0; y < shape.height; y++) { \
            Between rows = between(y, cell.down, grid.height); \
            const float *on_people = widened(scratch, mixed, people, grid.width, rows, cell.across); \
            const float *on_room = widened(scratch + size, mixed, room, grid.width, rows, cell.across); \
            room_shares(shares, matte, matte_shape, y, shape.width); \
            light_row(shares, on_people, on_room, shape.width); \
            const SAMPLE *brightness = luma + at_most(y * matte_shape.down, matte_shape.height - 1) * luma_stride; \
            size_t step = matte_shape.across, last = matte_shape.width - 1; \
            SAMPLE *line = plane + y * shape.stride; \
            EACH(x, shape.width) { \
                float value = (float)brightness[at_most(x * step, last)] * scale + offset; \
                value = value < 0 ? 0 : value > 1 ? 1 : value; \
                float change = shares[x] * (1 - value); \
                float colour = (float)line[x] - middle; \
                float result = middle + colour * (1 + (change > 0 ? change * keep : change)); \
                line[x] = (SAMPLE)rounded(result < 0 ? 0 : result > 2 * middle - 1 ? 2 * middle - 1 : result); \
            } \
        } \
    }

TINT(tint8, uint8_t)
TINT(tint16, uint16_t)

void craster_tint(
    CRasterPlane plane, CRasterPlane luma, const uint8_t *matte, CRasterMatteShape matte_shape, const float *people,
    const float *room, CRasterGrid grid, CRasterCell cell, float scale, float offset, float keep, float middle,
    float *scratch
) {
    if (plane.is_deep) {
        tint16(
            plane.samples, plane, luma.samples, matte, matte_shape, luma.stride, people, room, grid, cell, scale,
            offset, keep, middle, scratch);
    } else {
        tint8(
            plane.samples, plane, luma.samples, matte, matte_shape, luma.stride, people, room, grid, cell, scale,
            offset, keep, middle, scratch);
    }
}
