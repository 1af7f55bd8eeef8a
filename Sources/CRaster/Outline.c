// Computes the pixels of rows inside a shape.
#include "Internal.h"
#include <math.h>

static inline double lesser(double a, double b) { return b < a ? b : a; }
static inline double larger(double a, double b) { return b > a ? b : a; }

/// ⌈x⌉ for −1 < x < 2^31.
static inline int32_t ceiling(double x) {
    int32_t whole = (int32_t)x;
    return whole + (whole < x);
}

/// Records the pixels whose centres are between two places of a row. The first place is not below 0.
static inline void note(int32_t *first, int32_t *end, size_t i, double low, double high) {
    int is_empty = !(low < high);
    int32_t from = ceiling((is_empty ? 0 : low) - 0.5), to = ceiling((is_empty ? 0 : high) - 0.5);
    first[i] = from < to ? from : 0;
    end[i] = from < to ? to : 0;
}

#define ROWS(i, u, v) \
    for (size_t i = 0; i < 4 * fours; i++) { \
        double y_ = (double)(y + (int32_t)i) + 0.5, u = at.c * y_ + at.tx, v = at.d * y_ + at.ty;
#define END_ROWS }

KERNEL void craster_square_rows(
    int32_t *restrict first, int32_t *restrict end, size_t fours, CRasterOutline at, int32_t y
) {
    int is_level_u = at.inverse_a == 0, is_level_v = at.inverse_b == 0;
    ROWS(i, u, v)
        // If a coordinate is constant along the row, it either excludes the whole row or sets no bounds.
        double all_u = u < -1 || u > 1 ? -HUGE_VAL : HUGE_VAL, all_v = v < -1 || v > 1 ? -HUGE_VAL : HUGE_VAL;
        double p = is_level_u ? -all_u : (-1 - u) * at.inverse_a, q = is_level_u ? all_u : (1 - u) * at.inverse_a;
        double r = is_level_v ? -all_v : (-1 - v) * at.inverse_b, s = is_level_v ? all_v : (1 - v) * at.inverse_b;
        int u_rises = is_level_u || p < q, v_rises = is_level_v || r < s;
        double low = larger(0, larger(u_rises ? p : q, v_rises ? r : s));
        double high = lesser(at.width, lesser(u_rises ? q : p, v_rises ? s : r));
        note(first, end, i, low, high);
    END_ROWS
}

KERNEL void craster_round_rows(
    int32_t *restrict first, int32_t *restrict end, size_t fours, CRasterOutline at, int32_t y
) {
    // (u + a·x)² + (v + b·x)² ≤ 1
    double qa = at.a * at.a + at.b * at.b;
    ROWS(i, u, v)
        double qb = at.a * u + at.b * v;
        double discriminant = qb * qb - qa * (u * u + v * v - 1);
        double root = __builtin_sqrt(larger(discriminant, 0));
        double low = larger(0, (-qb - root) / qa), high = lesser(at.width, (-qb + root) / qa);
        note(first, end, i, low, discriminant > 0 ? high : 0);
    END_ROWS
}
