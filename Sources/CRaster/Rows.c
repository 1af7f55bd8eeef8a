// Rows of a canvas.
#include "Internal.h"

static inline void average_quads(
    uint16_t *restrict out, const uint16_t *upper, const uint16_t *lower, size_t count
) {
    // Samples are halved before they are added, since shares use all 16 bits.
    EACH(i, count) {
        uint16_t left = (upper[2 * i] >> 1) + (lower[2 * i] >> 1);
        uint16_t right = (upper[2 * i + 1] >> 1) + (lower[2 * i + 1] >> 1);
        out[i] = (left >> 1) + (right >> 1);
    }
}

KERNEL void craster_add_colour(
    uint16_t *restrict red, uint16_t *restrict green, uint16_t *restrict blue, const uint16_t *restrict weights,
    size_t groups, uint16_t r, uint16_t g, uint16_t b
) {
    SPREAD(rs, r);
    SPREAD(gs, g);
    SPREAD(bs, b);
    EACH_LANE(i, lane, groups * GROUP, {
        uint16_t w = weights[i];
        red[i] = capped(red[i] + high(w, rs[lane]));
        green[i] = capped(green[i] + high(w, gs[lane]));
        blue[i] = capped(blue[i] + high(w, bs[lane]));
    });
}

KERNEL void craster_add(uint16_t *restrict channel, const uint16_t *restrict weights, size_t count, uint16_t value) {
    SPREAD(values, value);
    EACH_LANE(i, lane, count, { channel[i] = capped(channel[i] + high(weights[i], values[lane])); });
}

KERNEL void craster_shine(
    uint16_t *restrict upper, uint16_t *restrict lower, uint16_t *restrict red, uint16_t *restrict green,
    uint16_t *restrict blue, const uint16_t *restrict upper_coverage, const uint16_t *restrict lower_coverage,
    size_t groups, uint16_t value, uint16_t r, uint16_t g, uint16_t b
) {
    SPREAD(values, value);
    SPREAD(rs, r);
    SPREAD(gs, g);
    SPREAD(bs, b);
    for (size_t group = 0; group + 1 < groups; group += 2) {
        for (size_t half = 0; half < 2; half++) {
            size_t at = (group + half) * GROUP;
            EACH(i, GROUP) upper[at + i] = capped(upper[at + i] + high(upper_coverage[at + i], values[i]));
            EACH(i, GROUP) lower[at + i] = capped(lower[at + i] + high(lower_coverage[at + i], values[i]));
        }
        size_t at = group / 2 * GROUP;
        uint16_t mean[GROUP];
        average_quads(mean, upper_coverage + 2 * at, lower_coverage + 2 * at, GROUP);
        EACH(i, GROUP) red[at + i] = capped(red[at + i] + high(mean[i], rs[i]));
        EACH(i, GROUP) green[at + i] = capped(green[at + i] + high(mean[i], gs[i]));
        EACH(i, GROUP) blue[at + i] = capped(blue[at + i] + high(mean[i], bs[i]));
    }
    if (groups & 1) {
        // A single last group. This is the usual case, since most sparks are narrower than a group.
        size_t at = (groups - 1) * GROUP;
        EACH(i, GROUP) upper[at + i] = capped(upper[at + i] + high(upper_coverage[at + i], values[i]));
        EACH(i, GROUP) lower[at + i] = capped(lower[at + i] + high(lower_coverage[at + i], values[i]));
        uint16_t mean[GROUP / 2];
        average_quads(mean, upper_coverage + at, lower_coverage + at, GROUP / 2);
        EACH(i, GROUP / 2) red[at / 2 + i] = capped(red[at / 2 + i] + high(mean[i], rs[i]));
        EACH(i, GROUP / 2) green[at / 2 + i] = capped(green[at / 2 + i] + high(mean[i], gs[i]));
        EACH(i, GROUP / 2) blue[at / 2 + i] = capped(blue[at / 2 + i] + high(mean[i], bs[i]));
    }
}

KERNEL void craster_mix(
    uint16_t *restrict out, const uint16_t *restrict red, const uint16_t *restrict green, const uint16_t *restrict blue,
    size_t count, uint16_t r, uint16_t g, uint16_t b
) {
    SPREAD(rs, r);
    SPREAD(gs, g);
    SPREAD(bs, b);
    EACH_LANE(i, lane, count, {
        out[i] = high(red[i], rs[lane]) + high(green[i], gs[lane]) + high(blue[i], bs[lane]);
    });
}

KERNEL void craster_every_second(uint16_t *restrict out, const uint16_t *restrict from, size_t count) {
    EACH(i, count) out[i] = from[2 * i];
}

/// A vector of eight samples. The compiler does not vectorise plain loops over pairs of neighbours, since pairs
/// overlap.
typedef uint16_t Eight __attribute__((vector_size(16)));

static inline Eight eight(const uint16_t *from) {
    Eight samples;
    memcpy(&samples, from, sizeof samples);
    return samples;
}

static inline void stretch(uint16_t *restrict out, const uint16_t *restrict from, size_t points) {
    size_t k = 0;
    for (; k + 8 <= points; k += 8) {
        Eight here = eight(from + k), next = eight(from + k + 1);
        Eight middle = (here >> 1) + (next >> 1);
        Eight first = __builtin_shufflevector(here, middle, 0, 8, 1, 9, 2, 10, 3, 11);
        Eight second = __builtin_shufflevector(here, middle, 4, 12, 5, 13, 6, 14, 7, 15);
        memcpy(out + 2 * k, &first, sizeof first);
        memcpy(out + 2 * k + 8, &second, sizeof second);
    }
    for (; k < points; k++) {
        out[2 * k] = from[k];
        out[2 * k + 1] = (from[k] >> 1) + (from[k + 1] >> 1);
    }
}

KERNEL void craster_stretch_twofold(uint16_t *restrict out, const uint16_t *restrict from, size_t points) {
    stretch(out, from, points);
}

/// Stretches twofold twice, in parts that stay in the fastest cache. A direct fourfold stretch would have to store four
/// interleaved streams, sample by sample.
KERNEL void craster_stretch_fourfold(uint16_t *restrict out, const uint16_t *restrict from, size_t points) {
    enum { PART = 64 };
    uint16_t between[2 * PART + 1];
    for (size_t first = 0; first < points; first += PART) {
        size_t count = points - first < PART ? points - first : PART;
        stretch(between, from + first, count);
        between[2 * count] = from[first + count];
        stretch(out + 4 * first, between, 2 * count);
    }
}

KERNEL void craster_between(
    uint16_t *restrict out, const uint16_t *restrict first, const uint16_t *restrict second, size_t groups,
    uint16_t share
) {
    SPREAD(shares, share);
    EACH_LANE(i, lane, groups * GROUP, {
        out[i] = first[i] - high(first[i], shares[lane]) + high(second[i], shares[lane]);
    });
}

KERNEL void craster_over_values(
    uint16_t *restrict channel, const uint16_t *restrict values, const uint16_t *restrict alphas, size_t groups
) {
    EACH_OF_GROUPS(i, groups) channel[i] = capped(high(twice(channel[i]), through(alphas[i])) + values[i]);
}

KERNEL void craster_over_alphas(uint16_t *restrict channel, const uint16_t *restrict alphas, size_t groups) {
    EACH_OF_GROUPS(i, groups) channel[i] = high(twice(channel[i]), through(alphas[i])) + alphas[i];
}

KERNEL void craster_over_colour(
    uint16_t *restrict red, uint16_t *restrict green, uint16_t *restrict blue, uint16_t *restrict alpha,
    const uint16_t *restrict weights, size_t groups, uint16_t r, uint16_t g, uint16_t b, uint16_t a
) {
    SPREAD(rs, r);
    SPREAD(gs, g);
    SPREAD(bs, b);
    SPREAD(as, a);
    EACH_LANE(i, lane, groups * GROUP, {
        uint16_t w = weights[i];
        uint16_t hidden = high(w, as[lane]);
        uint16_t rest = through(hidden);
        red[i] = capped(high(twice(red[i]), rest) + high(w, rs[lane]));
        green[i] = capped(high(twice(green[i]), rest) + high(w, gs[lane]));
        blue[i] = capped(high(twice(blue[i]), rest) + high(w, bs[lane]));
        alpha[i] = high(twice(alpha[i]), rest) + hidden;
    });
}

KERNEL void craster_over_scaled(
    uint16_t *restrict channel, const uint16_t *values, uint16_t value_scale, const uint16_t *alphas,
    uint16_t alpha_scale, size_t groups
) {
    SPREAD(value_scales, value_scale);
    SPREAD(alpha_scales, alpha_scale);
    EACH_LANE(i, lane, groups * GROUP, {
        uint16_t rest = through(high(alphas[i], alpha_scales[lane]));
        channel[i] = high(twice(channel[i]), rest) + high(values[i], value_scales[lane]);
    });
}

KERNEL void craster_scale(uint16_t *restrict channel, const uint16_t *restrict shares, size_t count) {
    EACH(i, count) channel[i] = high(channel[i], shares[i]);
}

KERNEL void craster_average_quads(
    uint16_t *restrict out, const uint16_t *upper, const uint16_t *lower, size_t count
) {
    average_quads(out, upper, lower, count);
}

KERNEL void craster_average_pairs(
    uint16_t *restrict out, const uint16_t *upper, const uint16_t *lower, size_t count
) {
    EACH(i, count) out[i] = (upper[i] >> 1) + (lower[i] >> 1);
}
