// The matte: the mask of the people at the picture's resolution.
#include "Grid.h"

size_t craster_scratch(CRasterGrid grid, size_t width) {
    return 4 * (widened_size(grid.width, 16) + grid.width + 2 + width + 2 * GROUP);
}

#define MEANS(NAME, SAMPLE) \
    static KERNEL void NAME( \
        float *restrict out, CRasterGrid grid, const SAMPLE *restrict plane, CRasterPlane shape, CRasterCell cell, \
        float scale, float offset, float *restrict scratch \
    ) { \
        uint32_t *sums = (uint32_t *)scratch; \
        for (size_t row = 0; row < grid.height; row++) { \
            size_t first = row * cell.down, end = at_most(first + cell.down, shape.height); \
            if (first >= end) { \
                memcpy(out + row * grid.width, out + (row - 1) * grid.width, grid.width * sizeof *out); \
                continue; \
            } \
            EACH(x, shape.width) sums[x] = 0; \
            for (size_t y = first; y < end; y++) { \
                const SAMPLE *line = plane + y * shape.stride; \
                EACH(x, shape.width) sums[x] += line[x]; \
            } \
            float *target = out + row * grid.width; \
            size_t whole = at_most(shape.width / cell.across, grid.width); \
            float factor = scale / (float)((end - first) * cell.across); \
            for (size_t i = 0; i < whole; i++) { \
                uint32_t sum = 0; \
                for (size_t k = 0; k < cell.across; k++) sum += sums[i * cell.across + k]; \
                target[i] = (float)sum * factor + offset; \
            } \
            for (size_t i = whole; i < grid.width; i++) { \
                uint32_t sum = 0, count = 0; \
                for (size_t x = i * cell.across; x < shape.width; x++, count++) sum += sums[x]; \
                target[i] = count == 0 \
                    ? target[i - 1] : (float)sum * scale / (float)((end - first) * count) + offset; \
            } \
        } \
    }

MEANS(means8, uint8_t)
MEANS(means16, uint16_t)

void craster_means(
    float *out, CRasterGrid grid, CRasterPlane plane, CRasterCell cell, float scale, float offset, float *scratch
) {
    if (plane.is_deep) means16(out, grid, plane.samples, plane, cell, scale, offset, scratch);
    else means8(out, grid, plane.samples, plane, cell, scale, offset, scratch);
}

KERNEL void craster_sample(
    float *restrict out, CRasterGrid grid, const float *restrict image, size_t width, size_t height, CRasterMap map,
    float factor
) {
    float right = (float)(width - 1), bottom = (float)(height - 1);
    for (size_t row = 0; row < grid.height; row++) {
        EACH(i, grid.width) {
            float x = map.a * (float)i + map.c * (float)row + map.tx;
            float y = map.b * (float)i + map.d * (float)row + map.ty;
            x = x < 0 ? 0 : x > right ? right : x;
            y = y < 0 ? 0 : y > bottom ? bottom : y;
            uint32_t left = (uint32_t)x, top = (uint32_t)y;
            uint32_t next = left + 1 < width ? 1 : 0;
            const float *upper = image + top * width + left;
            const float *lower = top + 1 < height ? upper + width : upper;
            float across = x - (float)left, down = y - (float)top;
            float above = upper[0] + (upper[next] - upper[0]) * across;
            float below = lower[0] + (lower[next] - lower[0]) * across;
            out[row * grid.width + i] = (above + (below - above) * down) * factor;
        }
    }
}

static inline __attribute__((always_inline)) void box(
    float *restrict values, CRasterGrid grid, size_t radius, float *restrict rows
) {
    size_t n = grid.width, m = grid.height;
    float *padded = rows + n * m;
    for (size_t y = 0; y < m; y++) {
        float *line = values + y * n, *sum = rows + y * n;
        for (size_t x = 0; x < radius; x++) padded[x] = line[0], padded[radius + n + x] = line[n - 1];
        memcpy(padded + radius, line, n * sizeof *line);
        EACH(x, n) sum[x] = padded[x];
        for (size_t shift = 1; shift <= 2 * radius; shift++) {
            const float *shifted = padded + shift;
            EACH(x, n) sum[x] += shifted[x];
        }
    }
    float *sums = padded;
    EACH(x, n) sums[x] = 0;
    for (size_t k = 0; k < 2 * radius; k++) {
        size_t y = k < radius ? 0 : at_most(k - radius, m - 1);
        EACH(x, n) sums[x] += rows[y * n + x];
    }
    float scale = 1 / (float)((2 * radius + 1) * (2 * radius + 1));
    for (size_t y = 0; y < m; y++) {
        const float *entering = rows + at_most(y + radius, m - 1) * n;
        const float *leaving = rows + (y < radius ? 0 : y - radius) * n;
        float *line = values + y * n;
        EACH(x, n) {
            float sum = sums[x] + entering[x];
            line[x] = sum * scale;
            sums[x] = sum - leaving[x];
        }
    }
}

KERNEL void craster_smooth(float *restrict values, CRasterGrid grid, size_t radius, float *restrict scratch) {
    box(values, grid, radius, scratch);
}

KERNEL void craster_guide(
    float *restrict slope, float *restrict base, CRasterGrid grid, const float *restrict mask,
    const float *restrict luma, const float *restrict cb, const float *restrict cr, size_t radius, float flatness,
    float colour_weight, float *restrict scratch
) {
    size_t count = grid.width * grid.height;
    float *mp = scratch, *my = mp + count, *mu = my + count, *mv = mu + count;
    float *py = mv + count, *pu = py + count, *pv = pu + count;
    float *yy = pv + count, *yu = yy + count, *yv = yu + count, *uu = yv + count, *uv = uu + count, *vv = uv + count;
    float *rest = vv + count;
    EACH(i, count) {
        float p = mask[i], y = luma[i], u = cb[i] * colour_weight, v = cr[i] * colour_weight;
        mp[i] = p, my[i] = y, mu[i] = u, mv[i] = v;
        py[i] = p * y, pu[i] = p * u, pv[i] = p * v;
        yy[i] = y * y, yu[i] = y * u, yv[i] = y * v, uu[i] = u * u, uv[i] = u * v, vv[i] = v * v;
    }
    for (float *plane = mp; plane < rest; plane += count) box(plane, grid, radius, rest);
    EACH(i, count) {
        float y = my[i], u = mu[i], v = mv[i], p = mp[i];
        float a = yy[i] - y * y + flatness, b = yu[i] - y * u, c = yv[i] - y * v;
        float d = uu[i] - u * u + flatness, e = uv[i] - u * v, f = vv[i] - v * v + flatness;
        float r = py[i] - p * y, s = pu[i] - p * u, t = pv[i] - p * v;
        // Cramer's rule for a symmetric matrix.
        float A = d * f - e * e, B = c * e - b * f, C = b * e - c * d;
        float D = a * f - c * c, E = b * c - a * e, F = a * d - b * b;
        float determinant = a * A + b * B + c * C;
        float inverse = 1 / (determinant > 1e-18f ? determinant : 1e-18f);
        float ky = (A * r + B * s + C * t) * inverse;
        float ku = (B * r + D * s + E * t) * inverse;
        float kv = (C * r + E * s + F * t) * inverse;
        py[i] = ky, pu[i] = ku, pv[i] = kv, mp[i] = p - ky * y - ku * u - kv * v;
    }
    box(py, grid, radius, rest);
    box(pu, grid, radius, rest);
    box(pv, grid, radius, rest);
    box(mp, grid, radius, rest);
    EACH(i, count) {
        slope[i] = py[i];
        base[i] = mp[i] + (pu[i] * cb[i] + pv[i] * cr[i]) * colour_weight;
    }
}

#define MATTE(NAME, SAMPLE) \
    static KERNEL void NAME( \
        uint8_t *restrict matte, const SAMPLE *restrict luma, CRasterPlane shape, CRasterGrid grid, size_t factor, \
        const float *restrict slope, const float *restrict base, const float *restrict pace, float low, float high, \
        float scale, float offset, float *restrict scratch \
    ) { \
        size_t size = widened_size(grid.width, factor); \
        float *mixed = scratch + 3 * size; \
        float gain = 255 / (high - low); \
        for (size_t y = 0; y < shape.height; y++) { \
            Between rows = between(y, factor, grid.height); \
            const float *slopes = widened(scratch, mixed, slope, grid.width, rows, factor); \
            const float *bases = widened(scratch + size, mixed, base, grid.width, rows, factor); \
            const float *paces = widened(scratch + 2 * size, mixed, pace, grid.width, rows, factor); \
            const SAMPLE *line = luma + y * shape.stride; \
            uint8_t *target = matte + y * shape.width; \
            EACH(x, shape.width) { \
                float value = bases[x] + slopes[x] * ((float)line[x] * scale + offset); \
                value = (value - low) * gain; \
                value = value < 0 ? 0 : value > 255 ? 255 : value; \
                float former = (float)target[x]; \
                target[x] = (uint8_t)rounded(former + (value - former) * paces[x]); \
            } \
        } \
    }

MATTE(matte8, uint8_t)
MATTE(matte16, uint16_t)

void craster_matte(
    uint8_t *matte, CRasterPlane luma, CRasterGrid grid, size_t factor, const float *slope, const float *base,
    const float *pace, float low, float high, float scale, float offset, float *scratch
) {
    if (luma.is_deep) {
        matte16(matte, luma.samples, luma, grid, factor, slope, base, pace, low, high, scale, offset, scratch);
    } else {
        matte8(matte, luma.samples, luma, grid, factor, slope, base, pace, low, high, scale, offset, scratch);
    }
}

KERNEL void craster_pace(
    float *restrict pace, float *restrict former, const float *restrict luma, CRasterGrid grid, float resting,
    float none, float scale, float *restrict scratch
) {
    size_t count = grid.width * grid.height;
    EACH(i, count) {
        float change = luma[i] - former[i];
        pace[i] = change < 0 ? -change : change;
        former[i] = luma[i];
    }
    box(pace, grid, 1, scratch);
    EACH(i, count) {
        float motion = (pace[i] - none) * scale;
        motion = motion < 0 ? 0 : motion > 1 ? 1 : motion;
        pace[i] = resting + (1 - resting) * motion;
    }
}
