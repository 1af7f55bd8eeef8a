// FreeType as Swift sees it: the header, and a macro that Swift cannot import.
#ifndef CFREETYPE_SHIM_H
#define CFREETYPE_SHIM_H

#include <ft2build.h>
#include FT_FREETYPE_H

// Renders 256 levels of grey; hinting moves outlines vertically only.
static const FT_Int32 cfreetype_load_rendered = FT_LOAD_RENDER | FT_LOAD_TARGET_LIGHT;

#endif
