#include "filter.h"

OBS_DECLARE_MODULE()
OBS_MODULE_USE_DEFAULT_LOCALE("obs-flourish", "en-US")

const char *obs_module_name(void) { return "Flourish"; }
const char *obs_module_description(void) { return "Hand-gesture reactions"; }

bool obs_module_load(void) {
    obs_register_source(&flourish_filter_info);
    blog(LOG_INFO, "[Flourish] version %s", flourish_version());
    return true;
}

// All modules are loaded now, obs-websocket included.
void obs_module_post_load(void) { flourish_register_vendor(); }
