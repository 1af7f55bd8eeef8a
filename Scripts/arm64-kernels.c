// Calls the functions of CRaster.h on made-up rows, and prints a checksum of what each wrote. The arithmetic is the same on all
// processors, so the output of an arm64 build must equal that of an x86-64 build (Scripts/arm64 --run).
#include "CRaster.h"
#include <stdio.h>
#include <string.h>

enum { COUNT = 256, GROUPS = COUNT / 16, ROOM = COUNT * 4 + 64 };

static uint32_t state = 1;
static uint32_t chance(void) { return state = state * 1664525 + 1013904223, state >> 8; }

static uint16_t a[ROOM], b[ROOM], c[ROOM], d[ROOM], e[ROOM], f[ROOM], g[ROOM];
static uint16_t deep[ROOM];
static uint8_t bytes[ROOM];
static float red[ROOM], green[ROOM], blue[ROOM], table[4097], grid[ROOM], scratch[1 << 16];
static uint32_t at[ROOM], colour_at[ROOM];
static int32_t first[ROOM], end[ROOM];

/// Fills all rows; samples are at most 1 in fixed point.
static void fill(void) {
    uint16_t *rows[] = {a, b, c, d, e, f, g};
    for (size_t row = 0; row < 7; row++)
        for (size_t i = 0; i < ROOM; i++) rows[row][i] = (uint16_t)(chance() % 16385);
    for (size_t i = 0; i < ROOM; i++) {
        deep[i] = (uint16_t)(chance() % 1024);
        bytes[i] = (uint8_t)chance();
        red[i] = (float)(chance() % 1000) / 1000, green[i] = (float)(chance() % 1000) / 1000, blue[i] = (float)(chance() % 1000) / 1000;
        at[i] = chance() % COUNT, colour_at[i] = chance() % COUNT;
        grid[i] = (float)(chance() % 1000) / 1000;
    }
    for (size_t i = 0; i < 4097; i++) table[i] = (float)i / 4096;
}

static void print(const char *name) {
    uint64_t sum = 14695981039346656037u;
    const void *rows[] = {a, b, c, d, e, f, g, deep, bytes, red, green, blue, grid, first, end};
    const size_t sizes[] = {sizeof a, sizeof b, sizeof c, sizeof d, sizeof e, sizeof f, sizeof g, sizeof deep, sizeof bytes,
                            sizeof red, sizeof green, sizeof blue, sizeof grid, sizeof first, sizeof end};
    for (size_t row = 0; row < sizeof sizes / sizeof *sizes; row++)
        for (size_t i = 0; i < sizes[row]; i++) sum = (sum ^ ((const uint8_t *)rows[row])[i]) * 1099511628211u;
    printf("%-24s %016llx\n", name, (unsigned long long)sum);
}

#define TRY(name, ...)     \
    do {                   \
        fill();            \
        name(__VA_ARGS__); \
        print(#name);      \
    } while (0)

int main(void) {
    TRY(craster_add_colour, a, b, c, d, GROUPS, 9000, 5000, 200);
    TRY(craster_add, a, b, COUNT - 3, 7000);
    TRY(craster_shine, a, b, c, d, e, f, g, GROUPS, 9000, 3000, 2000, 1000);
    TRY(craster_mix, a, b, c, d, COUNT - 5, 13933, 46871, 4732);
    TRY(craster_every_second, a, b, COUNT - 1);
    TRY(craster_stretch_twofold, a, b, COUNT - 1);
    TRY(craster_stretch_fourfold, a, b, COUNT - 1);
    TRY(craster_between, a, b, c, GROUPS, 30000);
    TRY(craster_over_values, a, b, c, GROUPS);
    TRY(craster_over_alphas, a, b, GROUPS);
    TRY(craster_over_colour, a, b, c, d, e, GROUPS, 9000, 8000, 7000, 16384);
    TRY(craster_over_scaled, a, b, 40000, c, 50000, GROUPS);
    TRY(craster_scale, a, b, COUNT - 7);
    TRY(craster_average_quads, a, b, c, COUNT - 1);
    TRY(craster_average_pairs, a, b, c, COUNT - 1);

    CRasterLuma luma = {{13933, 46871, 4732, 28055, 2048, 30080}, {.2126f, .7152f, .0722f, 876, 64, 940}, false};
    TRY(craster_luma_blend, bytes, a, b, c, d, COUNT - 3, luma);
    TRY(craster_luma_add, bytes, a, COUNT - 3, luma);
    TRY(craster_luma_cover, bytes, a, b, COUNT - 3, luma);
    luma.is_deep = true;
    TRY(craster_luma_blend, deep, a, b, c, d, COUNT - 3, luma);
    TRY(craster_luma_add, deep, a, COUNT - 3, luma);
    TRY(craster_luma_cover, deep, a, b, COUNT - 3, luma);
    CRasterChroma chroma = {{28672, 20000, 8672, 16384, 64}, {448, 300, 148, 512, 1023}, false};
    TRY(craster_chroma_blend, bytes, a, b, c, d, COUNT - 3, chroma);
    TRY(craster_chroma_add, bytes, a, b, c, COUNT - 3, chroma);
    chroma.is_deep = true;
    TRY(craster_chroma_blend, deep, a, b, c, d, COUNT - 3, chroma);
    TRY(craster_chroma_add, deep, a, b, c, COUNT - 3, chroma);
    CRasterLight light = {16, 1 / 219.f, 128, 1.5748f, -.1873f, -.4681f, 1.8556f, 4095, false};
    memset(c, 0, sizeof c);
    TRY(craster_cell_light, red, green, blue, (memset(a, 0, sizeof a), a), bytes, bytes + 99, bytes + 199, at, colour_at, COUNT - 3, table, light);

    TRY(craster_ramp, a, COUNT - 1, .2f, .003f);
    TRY(craster_lift, a, b, COUNT - 1, 30000);
    TRY(craster_lift_edge, a, b, c, COUNT - 1, 30000);
    TRY(craster_pull, bytes, a, COUNT - 1, 40, false);
    TRY(craster_pull, deep, a, COUNT - 1, 160, true);
    CRasterOutline outline = {.01, .002, -.002, .01, -1, -.8, 100, 500, 320};
    TRY(craster_square_rows, first, end, 32, outline, 3);
    TRY(craster_round_rows, first, end, 32, outline, 3);
    CRasterWalk walk = {-1.2f, .1f, .011f, .0007f};
    TRY(craster_glow, a, COUNT - 3, GROUPS, walk, .4f);
    TRY(craster_disc, a, COUNT - 3, GROUPS, walk, 30);
    TRY(craster_ring, a, COUNT - 3, GROUPS, walk, .7f, 30);
    TRY(craster_paper, a, COUNT - 3, GROUPS, walk, 20, 25);
    TRY(craster_streak, a, COUNT - 3, GROUPS, walk, .8f, 20);
    TRY(craster_beam, a, COUNT - 3, GROUPS, walk, .3f, .2f);
    TRY(craster_box, a, COUNT - 3, GROUPS, walk, .6f, .4f, .1f);
    TRY(craster_arc, a, COUNT - 3, GROUPS, walk, .7f, .1f, .5f, .866f);
    TRY(craster_sparkle, a, COUNT - 3, GROUPS, walk);

    CRasterGrid cells = {16, 9};
    TRY(craster_means, grid, cells, ((CRasterPlane){bytes, 48, 48, 18, false}), ((CRasterCell){3, 2}), 1 / 255.f, 0, scratch);
    TRY(craster_smooth, grid, cells, 2, scratch);
    TRY(craster_sample, red, cells, grid, 24, 16, ((CRasterMap){1.3f, .1f, -.1f, 1.4f, .5f, .4f}), 1);
    return 0;
}
