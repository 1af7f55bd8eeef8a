// The inner loops of Raster: the operations on each sample of a row.
//
// They are C for one reason: clang compiles each of them twice, for any x86-64 processor and for processors with AVX2,
// and the system's loader picks one as the program starts; Swift can compile for one kind of processor only. Both do
// the same arithmetic, and so does every other processor: results are equal bit by bit.
//
// Samples of a canvas are 16-bit fixed point; 1 is 2^14 (`TileGrid.one`). *Shares* and *weights* are shares of 2^16,
// so that (x · y) >> 16 is a single vector instruction. Functions whose count is called `groups` work on this
// number of groups of 16 samples, whose memory the caller provides; other functions accept any count. Rows do not
// overlap unless the function's comment allows it.
#ifndef CRASTER_H
#define CRASTER_H

#include <stddef.h>
#include <stdint.h>

// Rows of a canvas. Channels are premultiplied.

/// Adds light of one colour, up to white.
void craster_add_colour(
    uint16_t *red, uint16_t *green, uint16_t *blue, const uint16_t *weights, size_t groups, uint16_t r, uint16_t g,
    uint16_t b);

/// Adds light to one channel, up to white.
void craster_add(uint16_t *channel, const uint16_t *weights, size_t count, uint16_t value);

/// Adds light of one colour to two rows of luma, and to colours at half their width and height, up to white. `groups`
/// are of luma and coverage; colours have half as many.
void craster_shine(
    uint16_t *upper, uint16_t *lower, uint16_t *red, uint16_t *green, uint16_t *blue, const uint16_t *upper_coverage,
    const uint16_t *lower_coverage, size_t groups, uint16_t value, uint16_t r, uint16_t g, uint16_t b);

/// The sum of three channels by weights.
void craster_mix(
    uint16_t *out, const uint16_t *red, const uint16_t *green, const uint16_t *blue, size_t count, uint16_t r,
    uint16_t g, uint16_t b);

/// Every second sample.
void craster_every_second(uint16_t *out, const uint16_t *from, size_t count);

/// Interpolates between points that are 2 samples apart: writes 2 · `points` samples, reads one point more.
void craster_stretch_twofold(uint16_t *out, const uint16_t *from, size_t points);

/// The same for points that are 4 samples apart.
void craster_stretch_fourfold(uint16_t *out, const uint16_t *from, size_t points);

/// A row between two, a share of the way from the first to the second.
void craster_between(uint16_t *out, const uint16_t *first, const uint16_t *second, size_t groups, uint16_t share);

/// Lays premultiplied values over a channel.
void craster_over_values(uint16_t *channel, const uint16_t *values, const uint16_t *alphas, size_t groups);

/// Lays alphas over alphas.
void craster_over_alphas(uint16_t *channel, const uint16_t *alphas, size_t groups);

/// Lays a premultiplied colour over four channels.
void craster_over_colour(
    uint16_t *red, uint16_t *green, uint16_t *blue, uint16_t *alpha, const uint16_t *weights, size_t groups, uint16_t r,
    uint16_t g, uint16_t b, uint16_t a);

/// Lays values over a channel, both they and their alphas scaled; the scaled values are no more than the alphas. The
/// values may be the alphas.
void craster_over_scaled(
    uint16_t *channel, const uint16_t *values, uint16_t value_scale, const uint16_t *alphas, uint16_t alpha_scale,
    size_t groups);

/// Multiplies a channel by shares.
void craster_scale(uint16_t *channel, const uint16_t *shares, size_t count);

/// Means of four neighbours in two rows, at half the width. The rows may be one.
void craster_average_quads(uint16_t *out, const uint16_t *upper, const uint16_t *lower, size_t count);

/// Means of two rows. They may be one.
void craster_average_pairs(uint16_t *out, const uint16_t *upper, const uint16_t *lower, size_t count);

// Composites a canvas's row onto samples of a picture. 8-bit samples are computed with 7 more bits, deeper ones in
// single precision.

/// The contribution of full primaries and of alpha to luma, and white: times 256, the last times 128.
typedef struct {
    uint16_t red, green, blue, scale, offset, white;
} CRasterLuma8;

/// The same per unit of the canvas; white as it is.
typedef struct {
    float red, green, blue, scale, offset, white;
} CRasterLuma16;

/// Blends matter: y · (1 − α) + luma, no brighter than white or what was there.
void craster_luma8_blend(
    uint8_t *row, const uint16_t *red, const uint16_t *green, const uint16_t *blue, const uint16_t *alpha, size_t count,
    CRasterLuma8 k);
void craster_luma16_blend(
    uint16_t *row, const uint16_t *red, const uint16_t *green, const uint16_t *blue, const uint16_t *alpha,
    size_t count, CRasterLuma16 k);

/// Adds light of which only the luma is given.
void craster_luma8_add(uint8_t *row, const uint16_t *light, size_t count, CRasterLuma8 k);
void craster_luma16_add(uint16_t *row, const uint16_t *light, size_t count, CRasterLuma16 k);

/// Blends matter of which only the luma is given.
void craster_luma8_cover(uint8_t *row, const uint16_t *luma, const uint16_t *alpha, size_t count, CRasterLuma8 k);
void craster_luma16_cover(uint16_t *row, const uint16_t *luma, const uint16_t *alpha, size_t count, CRasterLuma16 k);

/// The contribution of the three primaries and of alpha to a chroma sample: times 256. The bias, which keeps sums
/// positive, is times 128.
typedef struct {
    uint16_t rising, first_falling, second_falling, offset, bias;
} CRasterChroma8;

/// The same, signed, per unit of the canvas; the greatest code as it is.
typedef struct {
    float rising, first, second, offset, greatest;
} CRasterChroma16;

/// Blends matter into a chroma plane.
void craster_chroma8_blend(
    uint8_t *row, const uint16_t *up, const uint16_t *down1, const uint16_t *down2, const uint16_t *alpha, size_t count,
    CRasterChroma8 k);
void craster_chroma16_blend(
    uint16_t *row, const uint16_t *up, const uint16_t *down1, const uint16_t *down2, const uint16_t *alpha,
    size_t count, CRasterChroma16 k);

/// Adds light to a chroma plane.
void craster_chroma8_add(
    uint8_t *row, const uint16_t *up, const uint16_t *down1, const uint16_t *down2, size_t count, CRasterChroma8 k);
void craster_chroma16_add(
    uint16_t *row, const uint16_t *up, const uint16_t *down1, const uint16_t *down2, size_t count, CRasterChroma16 k);

// Veils. *Passes* say how much of the picture is left, 0…2^14.

/// Passes that change evenly from `start` by `step` a sample.
void craster_ramp(uint16_t *pass, size_t count, float start, float step);

/// Lets only a share of a veil lie: 1 − (1 − veil) · share.
void craster_lift(uint16_t *pass, const uint16_t *veil, size_t count, uint16_t share);

/// The same where the room's part is veiled wholly, and the rest by a share.
void craster_lift_edge(uint16_t *pass, const uint16_t *veil, const uint16_t *room, size_t count, uint16_t share);

/// Pulls samples toward a code, given times 128 or as it is.
void craster_pull8(uint8_t *row, const uint16_t *pass, size_t count, int16_t code);
void craster_pull16(uint16_t *row, const uint16_t *pass, size_t count, float code);

// Outlines of shapes: the pixels whose centres lie inside, row by row.

/// From pixels to a shape's coordinates: u = a · x + c · y + tx, v = b · x + d · y + ty; 1 / a and 1 / b, or 0 if that
/// is as good as infinite; and the number of columns.
typedef struct {
    double a, b, c, d, tx, ty, inverse_a, inverse_b, width;
} CRasterOutline;

/// The columns of four times `fours` rows, from row `y` on, where |u| and |v| are at most 1: from first to before end,
/// 0 and 0 if there is none.
void craster_square_rows(int32_t *first, int32_t *end, size_t fours, CRasterOutline at, int32_t y);
/// The same where u² + v² is at most 1.
void craster_round_rows(int32_t *first, int32_t *end, size_t fours, CRasterOutline at, int32_t y);

// Coverage of shapes, 0…65535, at `count` samples of a row; the rest of its groups becomes 0. Along a row the shapes'
// coordinates are u + i · du, v + i · dv.

typedef struct {
    float u, v, du, dv;
} CRasterWalk;

void craster_glow(uint16_t *row, size_t count, size_t groups, CRasterWalk at, float halo);
void craster_disc(uint16_t *row, size_t count, size_t groups, CRasterWalk at, float slope);
void craster_ring(uint16_t *row, size_t count, size_t groups, CRasterWalk at, float radius, float slope);
void craster_paper(uint16_t *row, size_t count, size_t groups, CRasterWalk at, float slope_u, float slope_v);
void craster_streak(uint16_t *row, size_t count, size_t groups, CRasterWalk at, float tail, float slope);
/// A beam's glow, which starts `spread` times as wide as it ends.
void craster_beam(uint16_t *row, size_t count, size_t groups, CRasterWalk at, float spread, float phase);
/// From the distance to the edge, negative inside, over one pixel.
void craster_box(
    uint16_t *row, size_t count, size_t groups, CRasterWalk at, float half_width, float half_height, float radius);
/// From the distance to the line, whose ends are the nearest beyond them.
void craster_arc(
    uint16_t *row, size_t count, size_t groups, CRasterWalk at, float radius, float half_width, float sine,
    float cosine);
void craster_sparkle(uint16_t *row, size_t count, size_t groups, CRasterWalk at);

#endif
