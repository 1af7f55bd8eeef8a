// Hundreds of processors; the memory and the descriptors of the process stay.
#include "Client.h"

// The sanitizer of addresses keeps freed memory for a while; it reports each leak when the program ends, so few
// processors are enough.
#if defined(__has_feature)
#define KEEPS_FREED_MEMORY __has_feature(address_sanitizer)
#else
#define KEEPS_FREED_MEMORY 0
#endif
enum { COUNT = KEEPS_FREED_MEMORY ? 80 : 300, FIRST = COUNT / 4 };

#include <dirent.h>
#include <string.h>
#include <unistd.h>

// The resident memory in bytes.
static long resident(void) {
    FILE *file = fopen("/proc/self/statm", "r");
    long size = 0, pages = 0;
    REQUIRE(file && fscanf(file, "%ld %ld", &size, &pages) == 2);
    fclose(file);
    return pages * sysconf(_SC_PAGESIZE);
}

static int entries(const char *folder) {
    DIR *directory = opendir(folder);
    REQUIRE(directory);
    int count = 0;
    while (readdir(directory)) count++;
    closedir(directory);
    return count;
}

static void use(Frame *frame, const char *settings, bool draws) {
    flourish_processor *processor = create(frame->format, frame->width, frame->height, settings);
    if (draws) REQUIRE(!flourish_perform(processor, "confetti"));
    for (int i = 0; i < 3; i++) REQUIRE(!process(processor, frame, (int64_t)i * 100000000, NULL));
    flourish_destroy(processor);
}

void check_leaks(void) {
    Frame frame;
    frame_open(&frame, FLOURISH_NV12, 96, 64, 0);
    for (int i = 0; i < 5; i++) use(&frame, "{\"processor\": {\"live\": true}}", true);
    long before = 0;
    int descriptors = 0;
    for (int i = 0; i < COUNT; i++) {
        // The first ones fill caches.
        if (i == FIRST) before = resident(), descriptors = entries("/proc/self/fd");
        use(&frame, i % 20 ? WITHOUT_MODELS : WITHOUT_GESTURES, i % 4 == 0);
    }
    long growth = resident() - before;
    REQUIRE(entries("/proc/self/fd") == descriptors);
    // Threads of released processors end a moment later.
    for (int i = 0; i < 100 && entries("/proc/self/task") > 8; i++) usleep(50000);
    REQUIRE(entries("/proc/self/task") <= 8);
    fprintf(stderr, "%d processors: %ld kB\n", COUNT - FIRST, growth / 1024);
    // A leak of 5 kB for each.
    REQUIRE(KEEPS_FREED_MEMORY || growth < (COUNT - FIRST) * 5 * 1024);
    frame_close(&frame);
}
