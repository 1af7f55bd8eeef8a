// People before another background: their own colours at the edge, and the mixture with the new background.
#include "Grid.h"

/// The weight of a cell that certainly shows the other side. Where nothing else is near, it gives the cell's own colour.
static const float least_weight = 1e-5f;

KERNEL void craster_side_weights(
    float *restrict weights, const float *restrict matte, CRasterGrid grid, bool is_room, float *restrict scratch
) {
    size_t n = grid.width;
    float slope = is_room ? -1 : 1, base = is_room ? 1 : 0;
    // A cell beside the other side may contain some of its colour, which the matte does not show.
    for (size_t y = 0; y < grid.height; y++) {
        const float *line = matte + y * n, *upper = y > 0 ? line - n : line;
        const float *lower = y + 1 < grid.height ? line + n : line;
        float *tall = scratch + y * n;
        EACH(x, n) {
            float own = base + slope * line[x], above = base + slope * upper[x], below = base + slope * lower[x];
            float less = own < above ? own : above;
            tall[x] = less < below ? less : below;
        }
    }
    for (size_t y = 0; y < grid.height; y++) {
        const float *tall = scratch + y * n;
        float *line = weights + y * n;
        EACH(x, n) {
            float left = tall[x > 0 ? x - 1 : 0], right = tall[at_most(x + 1, n - 1)], less = tall[x];
            less = left < less ? left : less;
            less = right < less ? right : less;
            line[x] = less * less + least_weight;
        }
    }
}

KERNEL void craster_weigh(float *restrict out, const float *restrict values, const float *restrict weights, size_t count) {
    EACH(i, count) out[i] = values[i] * weights[i];
}

KERNEL void craster_divide(float *restrict values, const float *restrict weights, size_t count) {
    EACH(i, count) values[i] = values[i] / weights[i];
}

// What remains of a sample beyond the expected mixture is detail of the person. Where it lies on the side of the room's
// colour, the matte may be too large instead, so less of it is kept.
#define COMPOSE(NAME, SAMPLE) \
    static KERNEL void NAME( \
        SAMPLE *restrict plane, CRasterPlane shape, const SAMPLE *restrict ground, size_t ground_stride, \
        const uint8_t *restrict matte, CRasterMatteShape matte_shape, const float *restrict people, \
        const float *restrict room, CRasterGrid grid, CRasterCell cell, CRasterShift light, float scale, float offset, \
        float maximum, float *restrict scratch \
    ) { \
        size_t size = widened_size(grid.width, cell.across); \
        float *mixed = scratch + 2 * size, *shares = mixed + grid.width + 2; \
        float back = 1 / scale; \
        for (size_t y = 0; y < shape.height; y++) { \
            Between rows = between(y, cell.down, grid.height); \
            const float *on_people = widened(scratch, mixed, people, grid.width, rows, cell.across); \
            const float *in_room = widened(scratch + size, mixed, room, grid.width, rows, cell.across); \
            room_shares(shares, matte, matte_shape, y, shape.width); \
            SAMPLE *line = plane + y * shape.stride; \
            const SAMPLE *behind = ground + y * ground_stride; \
            EACH(x, shape.width) { \
                float value = (float)line[x] * scale + offset; \
                float share = shares[x] < 1e-4f ? 0 : shares[x], own = 1 - share; \
                float expected = on_people[x] * own + in_room[x] * share, rest = value - expected; \
                float weight = rest * (in_room[x] - on_people[x]) > 0 ? own * own * own * own : own; \
                float colour = on_people[x] + weight * rest; \
                colour = colour < light.least ? light.least : colour > light.most ? light.most : colour; \
                colour = share == 0 ? value : colour; \
                colour += light.add + light.gain * colour * (1 - colour); \
                float person = (colour - offset) * back; \
                float result = person * own + (float)behind[x] * share; \
                line[x] = (SAMPLE)rounded(result < 0 ? 0 : result > maximum ? maximum : result); \
            } \
        } \
    }

COMPOSE(compose8, uint8_t)
COMPOSE(compose16, uint16_t)

void craster_compose(
    CRasterPlane plane, CRasterPlane ground, const uint8_t *matte, CRasterMatteShape matte_shape, const float *people,
    const float *room, CRasterGrid grid, CRasterCell cell, CRasterShift light, float scale, float offset, float maximum,
    float *scratch
) {
    if (plane.is_deep) {
        compose16(
            plane.samples, plane, ground.samples, ground.stride, matte, matte_shape, people, room, grid, cell, light,
            scale, offset, maximum, scratch);
    } else {
        compose8(
            plane.samples, plane, ground.samples, ground.stride, matte, matte_shape, people, room, grid, cell, light,
            scale, offset, maximum, scratch);
    }
}
