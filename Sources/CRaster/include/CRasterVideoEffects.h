// The inner loops of video effects: the matte (the mask of the people at the picture's resolution), the blur of the
// background, and light. As in CRaster.h, the functions allocate no memory and have no state, and all versions compute
// the same bits.
//
// A *grid* has one cell for each block of `factor` × `factor` pixels, row after row, without gaps. Values of a grid are
// shares, 0…1, unless stated otherwise.
#ifndef CRASTER_VIDEO_EFFECTS_H
#define CRASTER_VIDEO_EFFECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    size_t width, height;
} CRasterGrid;

/// A plane of a picture, whose samples have one byte, or two if they are deep. `stride` is in samples.
typedef struct {
    void *samples;
    size_t stride, width, height;
    bool is_deep;
} CRasterPlane;

/// The relation of a plane to a grid: the samples of a cell across and down, each 1, 2, 4, 8 or 16.
typedef struct {
    size_t across, down;
} CRasterCell;

/// The number of floats of scratch memory that a function needs for planes up to a width.
size_t craster_scratch(CRasterGrid grid, size_t width);

/// Writes the means of blocks: mean · scale + offset.
void craster_means(
    float *out, CRasterGrid grid, CRasterPlane plane, CRasterCell cell, float scale, float offset, float *scratch);

/// The map from the centres of a grid's cells to samples of an image: x = a · column + c · row + tx, y = b · column +
/// d · row + ty.
typedef struct {
    float a, b, c, d, tx, ty;
} CRasterMap;

/// Samples an image bilinearly at the cells of a grid, and multiplies it. Beyond its edges, the image continues.
void craster_sample(
    float *out, CRasterGrid grid, const float *image, size_t width, size_t height, CRasterMap map, float factor);

/// Replaces each value by the mean of the square around it. Beyond the edges, the border is repeated. `scratch` has
/// room for the grid and two rows more.
void craster_smooth(float *values, CRasterGrid grid, size_t radius, float *scratch);

/// Writes the share with which each cell follows a new picture: `resting` where luma has changed by at most `none` since
/// the former picture, 1 where it has changed by 1 / `scale` more. Replaces the former picture.
void craster_pace(
    float *pace, float *former, const float *luma, CRasterGrid grid, float resting, float none, float scale,
    float *scratch);

/// Aligns a mask with a picture by a guided filter with a colour guide (He et al., https://arxiv.org/abs/1505.00996).
/// Writes the coefficients with which luma gives the mask: mask = slope · luma + base. `base` contains the part of the
/// colours.
/// - `flatness` is added to the variance of each channel. `colour_weight` is the weight of the colours.
/// - `scratch` has room for 18 grids and two rows more.
void craster_guide(
    float *slope, float *base, CRasterGrid grid, const float *mask, const float *luma, const float *cb, const float *cr,
    size_t radius, float flatness, float colour_weight, float *scratch);

/// Writes the matte of a picture, 0 (room) … 255 (person), from the coefficients of ``craster_guide``. `low` and `high`
/// are the values that become 0 and 255. The result moves from the former matte toward the new one by the share `pace`
/// of each cell. `scale` and `offset` turn samples into luma.
void craster_matte(
    uint8_t *matte, CRasterPlane luma, CRasterGrid grid, size_t factor, const float *slope, const float *base,
    const float *pace, float low, float high, float scale, float offset, float *scratch);

/// The conversion between Y′CbCr, 0…1 and −0.5…0.5, and R′G′B′.
typedef struct {
    float red_cr, green_cb, green_cr, blue_cb, kr, kb;
} CRasterMatrix;

/// The number of entries of each table of ``CRasterLensTables``.
enum { craster_table_size = 4096 };

/// The conversions between codes and light. Bright light is enlarged, all three colours by the same factor.
typedef struct {
    /// By codes: their light, and the factor by which light is enlarged if it is the code of the brightest colour.
    const float *light, *gain;
    /// By the fourth root of light, in shares of its maximum: the code of enlarged light, and of light.
    const float *enlarged_code, *code;
    /// The greatest enlarged light, and the greatest light.
    float enlarged_peak, peak;
} CRasterLensTables;

/// Replaces the shares of people, 0…1, by the weights of the room in the blur of a lens.
void craster_room_weights(float *matte, CRasterGrid grid, float *scratch);

/// Writes the enlarged light of each cell as red, green, blue and weight, multiplied by the weight, in rows of
/// ``craster_lens_row`` pixels.
void craster_linearise(
    float *light, CRasterGrid grid, const float *luma, const float *cb, const float *cr, const float *weights,
    CRasterMatrix matrix, CRasterLensTables tables, size_t radius);

/// The pixels of a row of light: the grid's, and the margins that a disc of a radius needs.
size_t craster_lens_row(CRasterGrid grid, size_t radius);

/// Sums the light in a disc around each cell, and writes red, green, blue and weight. Replaces the light by running sums.
/// `halves` are half the widths of the disc's rows, from the middle row on, `radius + 1` of them.
void craster_disc_sums(
    float *out, CRasterGrid grid, float *light, const float *halves, size_t radius);

/// Divides sums of enlarged light by their weights, reverts the enlargement, and encodes them as Y′CbCr.
void craster_encode(
    float *luma, float *cb, float *cr, CRasterGrid grid, const float *sums, CRasterMatrix matrix,
    CRasterLensTables tables);

/// Replaces a share of the room of a plane by an enlarged grid: sample · matte + grid · (1 − matte). A plane of colours
/// has fewer samples than the matte, by `across` and `down` (1 or 2). `scale` and `offset` turn values of the grid into samples.
typedef struct {
    size_t stride, width, height, across, down;
} CRasterMatteShape;
void craster_replace(
    CRasterPlane plane, const uint8_t *matte, CRasterMatteShape matte_shape, const float *values, CRasterGrid grid,
    CRasterCell cell, float share, float scale, float offset, float maximum, float *scratch);

/// Writes the weights with which cells show certainly people, or certainly the room: small beside the other side.
void craster_side_weights(float *weights, const float *matte, CRasterGrid grid, bool is_room, float *scratch);

/// Writes values · weights.
void craster_weigh(float *out, const float *values, const float *weights, size_t count);

/// Divides values by weights.
void craster_divide(float *values, const float *weights, size_t count);

/// The change of people's samples of a plane, in values of the grid: v + add + gain · v · (1 − v), and the range in which
/// the colours of people are.
typedef struct {
    float add, gain, least, most;
} CRasterShift;

/// Replaces the room of a plane by another picture's plane of the same size: person · matte + ground · (1 − matte). At
/// the edge, the person's own colour is estimated from the colours of people and of the room nearby, in two grids, as in
/// "Approximate Fast Foreground Colour Estimation" (M. Forte, ICIP 2021), with less of what remains on the side of the
/// room's colour. `scale` and `offset` turn samples into values of the grid.
void craster_compose(
    CRasterPlane plane, CRasterPlane ground, const uint8_t *matte, CRasterMatteShape matte_shape, const float *people,
    const float *room, CRasterGrid grid, CRasterCell cell, CRasterShift light, float scale, float offset, float maximum,
    float *scratch);

/// Changes luma by light: y + light · y · (1 − y), where the light is that of people or of the room. Black and white are
/// unchanged. `scale` and `offset` turn samples into y.
void craster_light(
    CRasterPlane plane, const uint8_t *matte, const float *people, const float *room, CRasterGrid grid, size_t factor,
    float scale, float offset, float *scratch);

/// Changes the saturation of a plane of colours as much as the light changes the luma, which is still unchanged. Where
/// the light adds, only the share `keep` of the change is applied. `middle` is the code of grey.
void craster_tint(
    CRasterPlane plane, CRasterPlane luma, const uint8_t *matte, CRasterMatteShape matte_shape, const float *people,
    const float *room, CRasterGrid grid, CRasterCell cell, float scale, float offset, float keep, float middle,
    float *scratch);

// Enlarging: a part of a picture at the picture's size, for a virtual camera.

/// The four successive samples, from `first` on, that a sample of the target is mixed from, and their weights. Samples
/// beyond an edge are those of the edge. `first` never falls from one target sample to the next, and is at least −2 and
/// at most the source's size.
typedef struct {
    const int32_t *first;
    const float *weights;
} CRasterTaps;

/// The number of floats of scratch memory for ``craster_enlarge``.
size_t craster_enlarge_scratch(size_t source_width, size_t target_width);

/// Filters a plane across and then down, into a plane of the same depth. Values are limited to 0…`maximum`.
void craster_enlarge(
    CRasterPlane target, CRasterPlane source, CRasterTaps across, CRasterTaps down, float maximum, float *scratch);

#endif
