// A program with libobs and the filter, in place of OBS Studio: loads the module by the rules of this libobs, adds the filter to a grey
// source, presses the hotkey of a reaction, and looks at the composed frames.
//
// usage: host PLUGIN DATA PICTURE
//
// PICTURE receives the frame that the reaction changes most, as PPM.
#include <X11/Xlib.h>
#include <obs-module.h>
#include <obs-nix-platform.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <util/platform.h>

enum { WIDTH = 640, HEIGHT = 360, TIMEOUT = 60 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/// The newest frame before the reaction, and the one that differs most from it.
static uint8_t plain[HEIGHT][WIDTH][4], best[HEIGHT][WIDTH][4];
static bool is_plain = true;
static size_t best_changed, frame_count;

static void fail(const char *message) {
    fprintf(stderr, "error: %s\n", message);
    exit(1);
}

// MARK: The source

static const char *get_name(void *) { return "Grey"; }
static void *create(obs_data_t *, obs_source_t *source) { return source; }
static void destroy(void *) {}
static uint32_t get_width(void *) { return WIDTH; }
static uint32_t get_height(void *) { return HEIGHT; }

static void render(void *, gs_effect_t *) {
    gs_effect_t *effect = obs_get_base_effect(OBS_EFFECT_SOLID);
    struct vec4 color;
    vec4_set(&color, 0.4f, 0.4f, 0.4f, 1);
    gs_effect_set_vec4(gs_effect_get_param_by_name(effect, "color"), &color);
    while (gs_effect_loop(effect, "Solid")) gs_draw_sprite(NULL, 0, WIDTH, HEIGHT);
}

static struct obs_source_info grey = {
    .id = "grey",
    .type = OBS_SOURCE_TYPE_INPUT,
    .output_flags = OBS_SOURCE_VIDEO | OBS_SOURCE_CUSTOM_DRAW,
    .get_name = get_name,
    .create = create,
    .destroy = destroy,
    .get_width = get_width,
    .get_height = get_height,
    .video_render = render,
};

// MARK: Frames and hotkeys

static void receive(void *, struct video_data *frame) {
    size_t changed = 0;
    pthread_mutex_lock(&lock);
    frame_count++;
    for (size_t y = 0; y < HEIGHT; y++) {
        const uint8_t *row = frame->data[0] + y * frame->linesize[0];
        if (is_plain) memcpy(plain[y], row, sizeof plain[y]);
        for (size_t x = 0; x < WIDTH; x++) {
            const uint8_t *pixel = row + x * 4, *before = plain[y][x];
            changed += abs(pixel[0] - before[0]) > 8 || abs(pixel[1] - before[1]) > 8 || abs(pixel[2] - before[2]) > 8;
        }
    }
    if (changed > best_changed) {
        best_changed = changed;
        for (size_t y = 0; y < HEIGHT; y++) memcpy(best[y], frame->data[0] + y * frame->linesize[0], sizeof best[y]);
    }
    pthread_mutex_unlock(&lock);
}

static bool find(void *data, obs_hotkey_id id, obs_hotkey_t *key) {
    if (!strcmp(obs_hotkey_get_name(key), "flourish.perform.balloons")) *(obs_hotkey_id *)data = id;
    return true;
}

/// Presses a hotkey until the frames have been changed in so many places: the filter drops a request while it waits too long for its
/// first frame.
static void press(obs_hotkey_id key, size_t wanted) {
    for (int i = 0; i < TIMEOUT * 10; i++) {
        pthread_mutex_lock(&lock);
        // The first frames are black.
        if (plain[HEIGHT / 2][WIDTH / 2][0]) is_plain = false;
        bool is_shown = !is_plain;
        pthread_mutex_unlock(&lock);
        if (is_shown && i % 50 == 0) {
            obs_hotkey_trigger_routed_callback(key, true);
            obs_hotkey_trigger_routed_callback(key, false);
        }
        os_sleep_ms(100);
        pthread_mutex_lock(&lock);
        bool is_drawn = best_changed > wanted;
        pthread_mutex_unlock(&lock);
        if (is_drawn) return;
    }
    fail(frame_count ? "the reaction is not drawn" : "libobs composes no frame");
}

static void write_picture(const char *path) {
    FILE *file = fopen(path, "wb");
    if (!file) fail("the picture cannot be written");
    fprintf(file, "P6 %d %d 255\n", WIDTH, HEIGHT);
    pthread_mutex_lock(&lock);
    for (size_t y = 0; y < HEIGHT; y++)
        for (size_t x = 0; x < WIDTH; x++) fwrite(best[y][x], 1, 3, file);
    pthread_mutex_unlock(&lock);
    fclose(file);
}

// MARK: libobs

static void start_video(void) {
    struct obs_video_info video = {
        .graphics_module = "libobs-opengl",
        .fps_num = 30,
        .fps_den = 1,
        .base_width = WIDTH,
        .base_height = HEIGHT,
        .output_width = WIDTH,
        .output_height = HEIGHT,
        .output_format = VIDEO_FORMAT_NV12,
        .gpu_conversion = true,
        .colorspace = VIDEO_CS_709,
        .range = VIDEO_RANGE_PARTIAL,
        .scale_type = OBS_SCALE_BILINEAR,
    };
    if (obs_reset_video(&video) != OBS_VIDEO_SUCCESS) fail("libobs has no graphics");
}

int main(int count, char **arguments) {
    if (count != 4) fail("usage: host PLUGIN DATA PICTURE");
    XInitThreads();
    Display *display = XOpenDisplay(NULL);
    if (!display) fail("there is no X server");
    obs_set_nix_platform(OBS_NIX_PLATFORM_X11_EGL);
    obs_set_nix_platform_display(display);
    if (!obs_startup("en-US", NULL, NULL)) fail("libobs does not start");
    start_video();

    obs_module_t *module;
    int result = obs_open_module(&module, arguments[1], arguments[2]);
    if (result != MODULE_SUCCESS) {
        fprintf(stderr, "error: libobs %s refuses the module (%d)\n", obs_get_version_string(), result);
        return 1;
    }
    if (!obs_init_module(module)) fail("the module does not load");
    obs_post_load_modules();
    const char *name = obs_source_get_display_name("flourish_reactions");
    if (!name || strcmp(name, "Flourish Reactions")) fail("the filter, or its texts, are missing");

    obs_register_source(&grey);
    obs_source_t *source = obs_source_create("grey", "Grey", NULL, NULL);
    obs_data_t *settings = obs_data_create();
    obs_data_set_bool(settings, "gestures", false);
    obs_source_t *filter = obs_source_create("flourish_reactions", "Reactions", settings, NULL);
    obs_data_release(settings);
    if (!source || !filter) fail("the source or the filter is not created");
    obs_source_filter_add(source, filter);
    obs_set_output_source(0, source);
    struct video_scale_info rgba = {.format = VIDEO_FORMAT_RGBA, .width = WIDTH, .height = HEIGHT};
    obs_add_raw_video_callback(&rgba, receive, NULL);

    obs_hotkey_id key = OBS_INVALID_HOTKEY_ID;
    for (int i = 0; i < TIMEOUT * 10 && key == OBS_INVALID_HOTKEY_ID; i++) {
        os_sleep_ms(100);
        obs_enum_hotkeys(find, &key);
    }
    if (key == OBS_INVALID_HOTKEY_ID) fail("the filter has no hotkey");
    obs_hotkey_enable_callback_rerouting(true);
    os_sleep_ms(500);
    press(key, WIDTH * HEIGHT / 50);
    os_sleep_ms(1500);
    write_picture(arguments[3]);

    obs_remove_raw_video_callback(receive, NULL);
    obs_set_output_source(0, NULL);
    obs_source_filter_remove(source, filter);
    obs_source_release(filter);
    obs_source_release(source);
    printf("libobs %s: loaded, and %zu %% of the frame drawn\n", obs_get_version_string(), best_changed * 100 / (WIDTH * HEIGHT));
    obs_shutdown();
    XCloseDisplay(display);
    long left = bnum_allocs();
    if (left) fprintf(stderr, "error: %ld allocations are left\n", left);
    return left != 0;
}
