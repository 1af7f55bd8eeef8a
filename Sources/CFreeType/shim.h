// FreeType as Swift sees it: the header, and a macro that Swift cannot import.
#ifndef CFREETYPE_SHIM_H
#define CFREETYPE_SHIM_H

#include <ft2build.h>
#include FT_FREETYPE_H
#include FT_GLYPH_H
#include FT_OUTLINE_H
#include FT_STROKER_H

// Renders 256 levels of grey; hinting moves outlines vertically only.
static const FT_Int32 cfreetype_load_rendered = FT_LOAD_RENDER | FT_LOAD_TARGET_LIGHT;

// Loads outlines as they are, and pictures in colours.
static const FT_Int32 cfreetype_load_unhinted = FT_LOAD_NO_HINTING | FT_LOAD_COLOR;

static inline FT_Bool cfreetype_is_outline(const FT_GlyphSlot slot) { return slot->format == FT_GLYPH_FORMAT_OUTLINE; }
static inline FT_Bool cfreetype_is_scalable(const FT_Face face) { return FT_IS_SCALABLE(face) != 0; }

#endif
