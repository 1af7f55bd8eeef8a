#include "filter.h"

#include <stddef.h>

// OBS refuses a module whose headers have a higher version than its own. The functions and structures that are used here are the
// same from this version on, whatever the headers are.
#undef LIBOBS_API_VER
#define LIBOBS_API_VER MAKE_SEMANTIC_VERSION(29, 0, 0)

OBS_DECLARE_MODULE()
OBS_MODULE_USE_DEFAULT_LOCALE("obs-flourish", "en-US")

const char *obs_module_name(void) { return "Flourish"; }
const char *obs_module_description(void) { return "Hand-gesture reactions"; }

bool obs_module_load(void) {
    // OBS refuses a description that is longer than its own; the fields at the end came later than the used ones.
    obs_register_source_s(&flourish_filter_info, offsetof(struct obs_source_info, video_get_color_space));
    blog(LOG_INFO, "[Flourish] version %s", flourish_version());
    return true;
}

// All modules are loaded now, obs-websocket included.
void obs_module_post_load(void) { flourish_register_vendor(); }
