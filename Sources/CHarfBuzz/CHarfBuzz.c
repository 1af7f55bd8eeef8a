#include "CHarfBuzz.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

// The layouts and values of HarfBuzz 1.7.7 and later (hb-buffer.h, hb-common.h); its binary interface has been stable
// since version 0.9.

typedef struct {
    uint32_t codepoint, mask, cluster, var1, var2;
} glyph_info;

typedef struct {
    int32_t x_advance, y_advance, x_offset, y_offset;
    uint32_t var;
} glyph_position;

enum { LEFT_TO_RIGHT = 4, RIGHT_TO_LEFT = 5 };

#define FUNCTIONS(F)                                                                                                     \
    F(void *, hb_blob_create_from_file, (const char *))                                                                  \
    F(unsigned, hb_blob_get_length, (void *))                                                                            \
    F(void, hb_blob_destroy, (void *))                                                                                   \
    F(void *, hb_face_create, (void *, unsigned))                                                                        \
    F(unsigned, hb_face_get_upem, (void *))                                                                              \
    F(void, hb_face_destroy, (void *))                                                                                   \
    F(void *, hb_font_create, (void *))                                                                                  \
    F(void, hb_font_destroy, (void *))                                                                                   \
    F(void *, hb_buffer_create, (void))                                                                                  \
    F(int, hb_buffer_allocation_successful, (void *))                                                                    \
    F(void, hb_buffer_add_utf32, (void *, const uint32_t *, int, unsigned, int))                                         \
    F(void, hb_buffer_set_direction, (void *, int))                                                                      \
    F(void, hb_buffer_set_script, (void *, uint32_t))                                                                    \
    F(void, hb_buffer_guess_segment_properties, (void *))                                                                \
    F(glyph_info *, hb_buffer_get_glyph_infos, (void *, unsigned *))                                                     \
    F(glyph_position *, hb_buffer_get_glyph_positions, (void *, unsigned *))                                             \
    F(void, hb_buffer_destroy, (void *))                                                                                 \
    F(void, hb_shape, (void *, void *, const void *, unsigned))                                                          \
    F(void *, hb_unicode_funcs_get_default, (void))                                                                      \
    F(uint32_t, hb_unicode_script, (void *, uint32_t))

static struct {
#define DECLARE(result, name, arguments) result(*name) arguments;
    FUNCTIONS(DECLARE)
} hb;

static pthread_once_t loading = PTHREAD_ONCE_INIT;
static bool is_loaded;

/// The library is never closed.
static void load(void) {
    void *library = NULL;
    const char *names[] = {"libharfbuzz.so.0", "libharfbuzz.0.dylib", "/opt/homebrew/lib/libharfbuzz.0.dylib"};
    for (int i = 0; i < 3 && !library; i++) library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (!library) return;
    bool is_complete = true;
#define LOAD(result, name, arguments)                                                                                    \
    *(void **)&hb.name = dlsym(library, #name);                                                                          \
    is_complete = is_complete && hb.name;
    FUNCTIONS(LOAD)
    is_loaded = is_complete;
}

bool chb_is_available(void) {
    pthread_once(&loading, load);
    return is_loaded;
}

uint32_t chb_script(uint32_t character) {
    return chb_is_available() ? hb.hb_unicode_script(hb.hb_unicode_funcs_get_default(), character) : 0;
}

struct chb_font {
    void *face, *font;
};

chb_font *chb_open(const char *path, uint32_t index) {
    if (!chb_is_available()) return NULL;
    void *blob = hb.hb_blob_create_from_file(path);
    if (hb.hb_blob_get_length(blob) == 0) {
        hb.hb_blob_destroy(blob);
        return NULL;
    }
    chb_font *font = malloc(sizeof *font);
    if (font) {
        font->face = hb.hb_face_create(blob, index);
        font->font = hb.hb_font_create(font->face);
    }
    hb.hb_blob_destroy(blob);
    return font;
}

void chb_close(chb_font *font) {
    if (!font) return;
    hb.hb_font_destroy(font->font);
    hb.hb_face_destroy(font->face);
    free(font);
}

uint32_t chb_units_per_em(const chb_font *font) { return hb.hb_face_get_upem(font->face); }

int32_t chb_shape(
    const chb_font *font, const uint32_t *text, int32_t text_length, int32_t start, int32_t length, uint32_t script,
    bool is_right_to_left, chb_glyph *glyphs, int32_t capacity) {
    void *buffer = hb.hb_buffer_create();
    hb.hb_buffer_add_utf32(buffer, text, text_length, (unsigned)start, length);
    hb.hb_buffer_set_direction(buffer, is_right_to_left ? RIGHT_TO_LEFT : LEFT_TO_RIGHT);
    if (script) hb.hb_buffer_set_script(buffer, script);
    // The language, which is not set, is the one of the process: "C", since the program sets no locale.
    hb.hb_buffer_guess_segment_properties(buffer);
    hb.hb_shape(font->font, buffer, NULL, 0);
    unsigned count = 0;
    const glyph_info *infos = hb.hb_buffer_get_glyph_infos(buffer, &count);
    const glyph_position *positions = hb.hb_buffer_get_glyph_positions(buffer, &count);
    int32_t result = hb.hb_buffer_allocation_successful(buffer) && infos && positions ? (int32_t)count : -1;
    for (int32_t i = 0; i < result && i < capacity; i++) {
        glyphs[i] = (chb_glyph){
            infos[i].codepoint,      infos[i].cluster,       positions[i].x_advance,
            positions[i].y_advance, positions[i].x_offset, positions[i].y_offset};
    }
    hb.hb_buffer_destroy(buffer);
    return result;
}
