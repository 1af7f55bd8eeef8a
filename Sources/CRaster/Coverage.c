// Coverage of shapes along a row.
#include "Internal.h"

static inline float positive(float x) { return x > 0 ? x : 0; }
static inline float at_most_one(float x) { return x < 1 ? x : 1; }
static inline float unit(float x) { return at_most_one(positive(x)); }
static inline float magnitude(float x) { return __builtin_fabsf(x); }
/// The square root, which sets no errno, so that it vectorises.
static inline float root(float x) { return __builtin_elementwise_sqrt(x); }

/// Converts a coverage, 0…1, at sample `i` to a share; 0 for samples from `count` on.
static inline uint16_t kept(size_t i, size_t count, float c) {
    return (int32_t)i < (int32_t)count ? rounded(c * 65535) : 0;
}

/// Iterates over whole groups, with the shape's coordinates as `u` and `v`.
#define WALK(i) \
    for (size_t i = 0; i < groups * GROUP; i++) { \
        float f_ = (float)(int32_t)i, u = at.u + f_ * at.du, v = at.v + f_ * at.dv;
#define END_WALK }

KERNEL void craster_glow(uint16_t *restrict row, size_t count, size_t groups, CRasterWalk at, float halo) {
    WALK(i)
        float m = positive(1 - u * u - v * v), m2 = m * m;
        row[i] = kept(i, count, m2 * (halo + (1 - halo) * m2 * m2));
    END_WALK
}

KERNEL void craster_disc(uint16_t *restrict row, size_t count, size_t groups, CRasterWalk at, float slope) {
    WALK(i)
        row[i] = kept(i, count, unit((1 - root(u * u + v * v)) * slope));
    END_WALK
}

KERNEL void craster_ring(
    uint16_t *restrict row, size_t count, size_t groups, CRasterWalk at, float radius, float slope
) {
    WALK(i)
        float d = root(u * u + v * v) - radius;
        float t = positive(1 - (d < 0 ? -d : d) * slope);
        row[i] = kept(i, count, t * t * (3 - 2 * t));
    END_WALK
}

KERNEL void craster_paper(
    uint16_t *restrict row, size_t count, size_t groups, CRasterWalk at, float slope_u, float slope_v
) {
    WALK(i)
        row[i] = kept(i, count, unit((1 - magnitude(u)) * slope_u) * unit((1 - magnitude(v)) * slope_v));
    END_WALK
}

KERNEL void craster_streak(
    uint16_t *restrict row, size_t count, size_t groups, CRasterWalk at, float tail, float slope
) {
    WALK(i)
        float across = positive(1 - v * v);
        float h = (u + 1) * 0.5f;
        float fade = 1 - tail * (1 - h * h);
        row[i] = kept(i, count, across * across * unit((1 - magnitude(u)) * slope) * positive(fade));
    END_WALK
}

KERNEL void craster_beam(
    uint16_t *restrict row, size_t count, size_t groups, CRasterWalk at, float spread, float phase
) {
    WALK(i)
        float h = positive((u + 1) * 0.5f);
        float w = v / (spread + (1 - spread) * h);
        float m = positive(1 - w * w), m2 = m * m;
        float fade = positive(1 - h * h);
        float start = at_most_one(h * 24);
        // Parabolic waves approximate smoke.
        float s = h * 4.3f + phase;
        float whole = s + 8388607.5f;
        uint32_t bits;
        memcpy(&bits, &whole, sizeof bits);
        float f = s - (float)(int32_t)(bits & 0x3FFFFF);
        float smoke = 0.42f + 2.1f * f * (1 - f);
        row[i] = kept(i, count, at_most_one(m2 * (0.45f * m + 0.55f * m2 * m2) * fade * start * positive(smoke)));
    END_WALK
}

KERNEL void craster_box(
    uint16_t *restrict row, size_t count, size_t groups, CRasterWalk at, float half_width, float half_height,
    float radius
) {
    float x = half_width - 0.5f - radius, y = half_height - 0.5f - radius;
    WALK(i)
        float a = magnitude(u) * half_width - x, b = magnitude(v) * half_height - y;
        float c = positive(a), d = positive(b);
        float inner = a > b ? a : b;
        float distance = root(c * c + d * d) + (inner < 0 ? inner : 0) - radius;
        row[i] = kept(i, count, unit(0.5f - distance));
    END_WALK
}

KERNEL void craster_arc(
    uint16_t *restrict row, size_t count, size_t groups, CRasterWalk at, float radius, float half_width, float sine,
    float cosine
) {
    float scale = radius + half_width + 0.5f;
    WALK(i)
        float x = u * scale, y = magnitude(v) * scale;
        float dx = x - radius * cosine, dy = y - radius * sine;
        float along = magnitude(root(x * x + y * y) - radius);
        float to_end = root(dx * dx + dy * dy);
        float distance = sine * x - cosine * y > 0 ? along : to_end;
        row[i] = kept(i, count, unit(half_width + 0.5f - distance));
    END_WALK
}

KERNEL void craster_sparkle(uint16_t *restrict row, size_t count, size_t groups, CRasterWalk at) {
    WALK(i)
        float t = positive(1 - root(magnitude(u)) - root(magnitude(v)));
        float m = positive(1 - (u * u + v * v) * 9);
        row[i] = kept(i, count, at_most_one(t * 2.2f + m * m * 0.35f));
    END_WALK
}
