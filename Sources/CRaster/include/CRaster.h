// The inner loops of the Swift target Raster: operations on each sample of a row. The functions allocate no memory and
// have no state, so any thread may call them.
//
// The functions are in C because clang can compile a function twice, for any x86-64 processor and for processors with
// AVX2. The system's loader selects a version when the program starts. Swift compiles for one kind of processor only.
// The arithmetic is the same in both versions and on other processors: results are equal bit by bit.
//
// Samples of a canvas are 16-bit fixed point; 1 is 2^14 (`BandGrid.one`). *Shares* and *weights* are fixed point with 1
// = 2^16, so that (x · y) >> 16 is a single vector instruction. Functions with a parameter `groups` process that number
// of groups of 16 samples. The caller's rows must have memory for whole groups. Other functions accept any count of
// samples. Rows do not overlap unless the function's comment allows it.
#ifndef CRASTER_H
#define CRASTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "CRasterVideoEffects.h"

// Rows of a canvas. Channels are premultiplied.

/// Adds light of one colour, up to white.
void craster_add_colour(
    uint16_t *red, uint16_t *green, uint16_t *blue, const uint16_t *weights, size_t groups, uint16_t r, uint16_t g,
    uint16_t b);

/// Adds light to one channel, up to white.
void craster_add(uint16_t *channel, const uint16_t *weights, size_t count, uint16_t value);

/// Adds light of one colour to two rows of luma, and to a row of colours at half the width and height, up to white.
/// `groups` is the number of groups of luma and coverage; colours have half as many.
void craster_shine(
    uint16_t *upper, uint16_t *lower, uint16_t *red, uint16_t *green, uint16_t *blue, const uint16_t *upper_coverage,
    const uint16_t *lower_coverage, size_t groups, uint16_t value, uint16_t r, uint16_t g, uint16_t b);

/// Writes the weighted sum of three channels.
void craster_mix(
    uint16_t *out, const uint16_t *red, const uint16_t *green, const uint16_t *blue, size_t count, uint16_t r,
    uint16_t g, uint16_t b);

/// Copies every second sample. `count` is the number of samples written.
void craster_every_second(uint16_t *out, const uint16_t *from, size_t count);

/// Interpolates between points that are 2 samples apart: writes 2 · `points` samples, reads one point more.
void craster_stretch_twofold(uint16_t *out, const uint16_t *from, size_t points);

/// Interpolates between points that are 4 samples apart: writes 4 · `points` samples, reads one point more.
void craster_stretch_fourfold(uint16_t *out, const uint16_t *from, size_t points);

/// Interpolates between two rows; `share` is the share of the second.
void craster_between(uint16_t *out, const uint16_t *first, const uint16_t *second, size_t groups, uint16_t share);

/// Composites premultiplied values over a channel.
void craster_over_values(uint16_t *channel, const uint16_t *values, const uint16_t *alphas, size_t groups);

/// Composites alphas over a channel of alphas.
void craster_over_alphas(uint16_t *channel, const uint16_t *alphas, size_t groups);

/// Composites a premultiplied colour, multiplied by `weights`, over four channels.
void craster_over_colour(
    uint16_t *red, uint16_t *green, uint16_t *blue, uint16_t *alpha, const uint16_t *weights, size_t groups, uint16_t r,
    uint16_t g, uint16_t b, uint16_t a);

/// Composites values over a channel, after scaling the values and their alphas. A scaled value must not exceed its
/// scaled alpha. `values` and `alphas` may be the same row.
void craster_over_scaled(
    uint16_t *channel, const uint16_t *values, uint16_t value_scale, const uint16_t *alphas, uint16_t alpha_scale,
    size_t groups);

/// Multiplies a channel by shares.
void craster_scale(uint16_t *channel, const uint16_t *shares, size_t count);

/// Writes the means of four neighbours in two rows, at half the width. `upper` and `lower` may be the same row.
void craster_average_quads(uint16_t *out, const uint16_t *upper, const uint16_t *lower, size_t count);

/// Writes the means of two rows, which may be the same row.
void craster_average_pairs(uint16_t *out, const uint16_t *upper, const uint16_t *lower, size_t count);

// Functions that composite a canvas's row onto a picture's row, whose samples have one byte, or two if the coefficients
// are `is_deep`. 8-bit samples are computed with 7 fraction bits, deeper samples in single precision. *Matter* hides the
// picture behind it; *light* is added to it.

/// Coefficients for 8-bit luma, in codes times 256: of each primary at 1, of a luma of 1 (`scale`), and of an alpha of
/// 1 (`offset`). `white` is the code of white times 128.
typedef struct {
    uint16_t red, green, blue, scale, offset, white;
} CRasterLuma8;

/// The coefficients for deeper luma, in codes per unit of the canvas (1 / 2^14). `white` is the code of white.
typedef struct {
    float red, green, blue, scale, offset, white;
} CRasterLuma16;

typedef struct {
    CRasterLuma8 bytes;
    CRasterLuma16 words;
    bool is_deep;
} CRasterLuma;

/// Blends matter: y · (1 − α) + luma, limited to white, or to y · (1 − α) if that is brighter.
void craster_luma_blend(
    void *row, const uint16_t *red, const uint16_t *green, const uint16_t *blue, const uint16_t *alpha, size_t count,
    CRasterLuma k);
/// Adds light of which only the luma is given.
void craster_luma_add(void *row, const uint16_t *light, size_t count, CRasterLuma k);
/// Blends matter of which only the luma is given.
void craster_luma_cover(void *row, const uint16_t *luma, const uint16_t *alpha, size_t count, CRasterLuma k);

/// Coefficients for an 8-bit chroma sample, in codes times 256: of the primary that raises it, of the two primaries
/// that lower it, and of an alpha of 1 (`offset`). `bias`, a code times 128, keeps sums positive.
typedef struct {
    uint16_t rising, first_falling, second_falling, offset, bias;
} CRasterChroma8;

/// The coefficients for deeper chroma, signed, in codes per unit of the canvas. `greatest` is the highest code.
typedef struct {
    float rising, first, second, offset, greatest;
} CRasterChroma16;

typedef struct {
    CRasterChroma8 bytes;
    CRasterChroma16 words;
    bool is_deep;
} CRasterChroma;

/// Blends matter into a chroma plane. `up` is the channel of the primary that raises the sample; `down1` and `down2`
/// are those of the primaries that lower it.
void craster_chroma_blend(
    void *row, const uint16_t *up, const uint16_t *down1, const uint16_t *down2, const uint16_t *alpha, size_t count,
    CRasterChroma k);
/// Adds light to a chroma plane.
void craster_chroma_add(
    void *row, const uint16_t *up, const uint16_t *down1, const uint16_t *down2, size_t count, CRasterChroma k);

/// The coefficients that turn codes of Y′CbCr into R′G′B′, 0…1, and the last entry of a table of their light.
typedef struct {
    float luma_offset, luma_scale, chroma_offset, red_cr, green_cb, green_cr, blue_cb, last;
    bool is_deep;
} CRasterLight;

/// Adds the light of a row's points to that of their cells. `at` and `colour_at` are the places of the points in a row of
/// luma and of colours, `cells` their cells.
void craster_cell_light(
    float *red, float *green, float *blue, const uint16_t *cells, const void *luma, const void *cb, const void *cr,
    const uint32_t *at, const uint32_t *colour_at, size_t count, const float *table, CRasterLight k);

// Veils: layers of one colour over a picture. A *pass* is the share of the picture that remains visible, 0…2^14.

/// Writes passes that change evenly, from `start` by `step` a sample.
void craster_ramp(uint16_t *pass, size_t count, float start, float step);

/// Reduces a veil to a share of its strength: pass = 1 − (1 − veil) · share.
void craster_lift(uint16_t *pass, const uint16_t *veil, size_t count, uint16_t share);

/// Reduces a veil to a share of its strength, except where `room` (a share) is 1: pass = 1 − (1 − veil) · (share + room
/// · (1 − share)).
void craster_lift_edge(uint16_t *pass, const uint16_t *veil, const uint16_t *room, size_t count, uint16_t share);

/// Moves samples toward a code: sample · pass + code · (1 − pass). The samples have one byte, or two if they are deep.
void craster_pull(void *row, const uint16_t *pass, size_t count, double code, bool is_deep);

// Outlines of shapes: for each row, the range of pixels whose centres are inside the shape.

/// The map from pixels to a shape's coordinates: u = a · x + c · y + tx, v = b · x + d · y + ty. `inverse_a` and
/// `inverse_b` are 1 / a and 1 / b, or 0 if a or b is practically 0. `width` is the number of columns.
typedef struct {
    double a, b, c, d, tx, ty, inverse_a, inverse_b, width;
} CRasterOutline;

/// Writes the ranges of columns, from `first` to before `end`, in which |u| and |v| are at most 1. Writes 4 · `fours`
/// ranges, one for each row from row `y` on. A row without such columns has 0 and 0.
void craster_square_rows(int32_t *first, int32_t *end, size_t fours, CRasterOutline at, int32_t y);
/// Writes the ranges of columns in which u² + v² is at most 1, as above.
void craster_round_rows(int32_t *first, int32_t *end, size_t fours, CRasterOutline at, int32_t y);

// Functions that write the coverage of a shape, 0…65535, at `count` samples of a row. The remaining samples of the
// groups become 0. At sample i, the shape's coordinates are u + i · du and v + i · dv.

typedef struct {
    float u, v, du, dv;
} CRasterWalk;

/// A soft round light. `halo`, 0…1, is the share of its wide, faint part.
void craster_glow(uint16_t *row, size_t count, size_t groups, CRasterWalk at, float halo);
/// The disc u² + v² ≤ 1. The coverage falls by `slope` per unit of the radius up to the edge.
void craster_disc(uint16_t *row, size_t count, size_t groups, CRasterWalk at, float slope);
/// A soft ring, whose coverage is 1 at `radius` and 0 from 1 / `slope` on either side.
void craster_ring(uint16_t *row, size_t count, size_t groups, CRasterWalk at, float radius, float slope);
/// The square |u|, |v| ≤ 1. The coverage falls by `slope_u` and `slope_v` per unit up to the edges.
void craster_paper(uint16_t *row, size_t count, size_t groups, CRasterWalk at, float slope_u, float slope_v);
/// A trail along u, from −1 to 1. The share `tail`, 0…1, of its brightness is missing at the start.
void craster_streak(uint16_t *row, size_t count, size_t groups, CRasterWalk at, float tail, float slope);
/// A beam's glow along u, from −1 to 1, which starts `spread` times as wide as it ends. `phase` moves its smoke along
/// the beam.
void craster_beam(uint16_t *row, size_t count, size_t groups, CRasterWalk at, float spread, float phase);
/// A rectangle with rounded corners. The coverage changes over one pixel at the edge. Lengths are in pixels.
void craster_box(
    uint16_t *row, size_t count, size_t groups, CRasterWalk at, float half_width, float half_height, float radius);
/// An arc with round ends, symmetric about the axis v = 0. `sine` and `cosine` are those of the angle from this axis to
/// an end. Lengths are in pixels.
void craster_arc(
    uint16_t *row, size_t count, size_t groups, CRasterWalk at, float radius, float half_width, float sine,
    float cosine);
/// A star with four points.
void craster_sparkle(uint16_t *row, size_t count, size_t groups, CRasterWalk at);

// Alpha and straight colours, from drawings on black and on white in 4:4:4 with samples of two bytes.

/// The codes of a drawing: those of black and of no colour, the shares per code, the matrix's weights of red and blue,
/// and the code of full alpha.
typedef struct {
    float black, neutral, per_luma, per_chroma, kr, kb, opaque;
} CRasterMatting;

/// Writes alpha, 0…`opaque`, and the factors that make colours straight: 1 / alpha, or 0 where the drawing is empty.
/// `luma`, `cb` and `cr` are of the drawing on black, `lit` is luma of that on white.
void craster_find_alpha(
    uint16_t *alpha, float *scale, const uint16_t *luma, const uint16_t *cb, const uint16_t *cr, const uint16_t *lit,
    size_t count, CRasterMatting matting);

/// The conversion of a plane: the code of zero and the factor of the source, and the code of zero and the limits of the
/// result.
typedef struct {
    float zero, per, base, least, greatest;
} CRasterCode;

/// Multiplies the samples' distance from zero by `scale`, and converts them.
void craster_straighten(uint16_t *out, const uint16_t *from, const float *scale, size_t count, CRasterCode code);

#endif
