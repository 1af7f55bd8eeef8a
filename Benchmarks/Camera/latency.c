// Measures `flourish camera` between a camera and a reader, both of this program. `Scripts/bench camera` runs it in a private
// PipeWire session.
//
// usage: latency FLOURISH FILM WIDTH HEIGHT RATE SECONDS EFFECT
//
// FILM has raw pictures in the format YUY2, which are shown in a loop. Each picture carries its number as black and white squares, so
// that the reader knows when it left the camera. Prints one JSON object for each phase: no reader, idle, and EFFECT all the time.
#include <CPipeWire.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { square = 16, bits = 20, copies = 3, max_pictures = 1 << bits };

static const char *const camera_name = "bench-camera", *const our_name = "bench-flourish";
static cpw_mode mode;
static const uint8_t *film;
static size_t film_size;
static cpw_stream *_Atomic camera;
static atomic_bool is_ended, is_listed, is_measuring;
static _Atomic int64_t sent[max_pictures];
static atomic_int sent_count;
static atomic_bool is_seen[max_pictures];
static double *latencies;
static atomic_int latency_count, first_seen, last_seen, unreadable;

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void pause_for(double seconds) {
    struct timespec time = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    while (nanosleep(&time, &time) && errno == EINTR) continue;
}

_Noreturn static void fail(const char *problem) {
    fprintf(stderr, "latency: %s\n", problem);
    exit(1);
}

// MARK: - The camera

/// Row of a copy of the number: at the top, in the middle and at the bottom. Effects cover one or two at most times.
static int row_of(int copy) { return copy * (mode.height - square) / (copies - 1) / 2 * 2; }

/// Writes the number and its complement, bit after bit.
static void stamp(uint8_t *picture, int stride, int number) {
    for (int copy = 0; copy < copies; copy++)
        for (int bit = 0; bit < 2 * bits; bit++) {
            const int value = ((bit < bits ? number >> bit : ~number >> (bit - bits)) & 1) ? 235 : 16;
            for (int y = 0; y < square; y++)
                for (int x = 0; x < square; x++) {
                    uint8_t *sample = picture + (size_t)(row_of(copy) + y) * (size_t)stride + 2 * (size_t)(bit * square + x);
                    sample[0] = (uint8_t)value, sample[1] = 128;
                }
        }
}

static void write_picture(void *context, const cpw_picture *picture) {
    const int number = *(const int *)context;
    const size_t row = 2 * (size_t)mode.width, size = row * (size_t)mode.height;
    const uint8_t *source = film + (size_t)number % (film_size / size) * size;
    for (int y = 0; y < mode.height; y++)
        memcpy(picture->planes[0] + (size_t)y * (size_t)picture->strides[0], source + (size_t)y * row, row);
    stamp(picture->planes[0], picture->strides[0], number);
    sent[number] = now();
}

static void *run_camera(void *unused) {
    (void)unused;
    const int64_t period = 1000000000 / mode.rate_numerator;
    int64_t next = now();
    for (int number = 0; !is_ended; next += period) {
        const int64_t rest = next - now();
        if (rest > 0) pause_for((double)rest / 1e9);
        if (number < max_pictures && cpw_deliver(camera, now(), write_picture, &number)) sent_count = ++number;
    }
    return NULL;
}

// MARK: - The reader

/// Returns the number of a picture, or -1 if an effect covers all copies.
static int number_of(const cpw_picture *picture) {
    for (int copy = 0; copy < copies; copy++) {
        int number = 0, complement = 0;
        for (int bit = 0; bit < 2 * bits; bit++) {
            const int x = bit * square + square / 2, y = row_of(copy) + square / 2;
            const int value = picture->planes[0][(size_t)y * (size_t)picture->strides[0] + (size_t)x] > 125;
            if (bit < bits) number |= value << bit;
            else complement |= value << (bit - bits);
        }
        if ((number ^ complement) == max_pictures - 1 && sent[number]) return number;
    }
    return -1;
}

static void on_picture(void *context, const cpw_picture *picture) {
    (void)context;
    if (!is_measuring) return;
    const int64_t time = now();
    const int number = number_of(picture);
    if (number < 0) {
        unreadable++;
        return;
    }
    if (is_seen[number]) return;
    is_seen[number] = true;
    if (first_seen < 0) first_seen = number;
    last_seen = number;
    latencies[latency_count++] = (double)(time - sent[number]) / 1e6;
}

static void ignore_state(void *context, cpw_state state, const char *message) { (void)context, (void)state, (void)message; }
static void ignore_mode(void *context, const cpw_mode *unused) { (void)context, (void)unused; }
static void ignore_picture(void *context, const cpw_picture *picture) { (void)context, (void)picture; }

static void on_added(void *context, const cpw_camera *added) {
    (void)context;
    if (strcmp(added->name, our_name) == 0) is_listed = true;
}
static void ignore_offer(void *context, uint32_t id, const cpw_mode *unused) { (void)context, (void)id, (void)unused; }
static void ignore_id(void *context, uint32_t id) { (void)context, (void)id; }
static void ignore_listing(void *context) { (void)context; }
static void on_lost(void *context, const char *reason) { (void)context, fail(reason); }

// MARK: - Phases

/// CPU seconds of a process.
static double cpu_of(pid_t process) {
    char path[64], text[1024];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)process);
    FILE *file = fopen(path, "r");
    if (!file || !fgets(text, sizeof text, file)) fail("flourish camera has ended");
    fclose(file);
    unsigned long user, kernel;
    if (sscanf(strrchr(text, ')') + 2, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &kernel) != 2)
        fail("/proc has another format");
    return (double)(user + kernel) / (double)sysconf(_SC_CLK_TCK);
}

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double percentile(double share) {
    const int count = latency_count;
    if (!count) return 0;
    const int rank = (int)(share * count + 0.999999);
    return latencies[rank < 1 ? 0 : rank > count ? count - 1 : rank - 1];
}

/// Requests the effect every half second, so that it is in progress all the time.
static void measure(const char *phase, pid_t process, double seconds, int control, const char *effect) {
    char line[128];
    latency_count = unreadable = 0, first_seen = last_seen = -1;
    const double cpu = cpu_of(process);
    const int64_t start = now();
    is_measuring = true;
    while (now() - start < (int64_t)(seconds * 1e9)) {
        if (effect) {
            const int length = snprintf(line, sizeof line, "{\"command\": \"perform\", \"reactionType\": \"%s\"}\n", effect);
            if (write(control, line, (size_t)length) != length) fail("the control socket does not accept a request");
        }
        pause_for(0.5);
        char replies[4096];
        while (recv(control, replies, sizeof replies, MSG_DONTWAIT) > 0) continue;
    }
    is_measuring = false;
    const double elapsed = (double)(now() - start) / 1e9, share = (cpu_of(process) - cpu) / elapsed;
    pause_for(0.2);
    qsort(latencies, (size_t)latency_count, sizeof *latencies, compare);
    const int sent_pictures = first_seen < 0 ? 0 : last_seen - first_seen + 1;
    printf(
        "{\"phase\": \"%s\", \"median\": %.3f, \"p99\": %.3f, \"longest\": %.3f, \"sent\": %d, \"missing\": %d, \"cpu\": %.5f}\n",
        phase, percentile(0.5), percentile(0.99), percentile(1), sent_pictures,
        sent_pictures - latency_count - unreadable, share);
    fflush(stdout);
}

static int connect_to(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    const int control = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    for (int turn = 0; turn < 200; turn++) {
        if (connect(control, (struct sockaddr *)&address, sizeof address) == 0) return control;
        pause_for(0.05);
    }
    fail("the control socket does not appear");
}

static cpw_session *open_session(const cpw_session_events *events) {
    char message[CPW_MESSAGE_SIZE];
    cpw_session *session = cpw_open(events, message);
    if (!session) fail(message);
    return session;
}

int main(int count, char **words) {
    if (count != 8) fail("usage: latency FLOURISH FILM WIDTH HEIGHT RATE SECONDS EFFECT");
    mode = (cpw_mode){CPW_YUY2, atoi(words[3]), atoi(words[4]), (uint32_t)atoi(words[5]), 1};
    const double seconds = atof(words[6]);
    if (mode.width < 2 * bits * square || mode.height < 64 || !mode.rate_numerator || seconds <= 0)
        fail("the picture must be 640×64 at least, the rate and the time above 0");
    const int file = open(words[2], O_RDONLY | O_CLOEXEC);
    struct stat status;
    if (file < 0 || fstat(file, &status) < 0) fail("the film cannot be read");
    film_size = (size_t)status.st_size;
    if (film_size < 2 * (size_t)mode.width * (size_t)mode.height) fail("the film has no picture of this size");
    film = mmap(NULL, film_size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file, 0);
    latencies = calloc(max_pictures, sizeof *latencies);
    if (film == MAP_FAILED || !latencies) fail("memory is exhausted");

    char message[CPW_MESSAGE_SIZE];
    const cpw_session_events events = {NULL, on_added, ignore_offer, ignore_id, ignore_id, ignore_listing, on_lost};
    const cpw_stream_events ours = {NULL, ignore_state, ignore_mode, ignore_picture};
    cpw_session *source = open_session(&events), *sink = open_session(&events);
    camera = cpw_provide(source, camera_name, camera_name, &mode, 1, &ours, message);
    if (!camera) fail(message);
    pthread_t thread;
    if (pthread_create(&thread, NULL, run_camera, NULL)) fail("no thread starts");
    pause_for(1);

    char socket_path[96], size[32];
    snprintf(socket_path, sizeof socket_path, "%s/bench-%d", getenv("XDG_RUNTIME_DIR"), (int)getpid());
    snprintf(size, sizeof size, "%dx%d", mode.width, mode.height);
    const pid_t process = fork();
    if (process == 0) {
        execl(
            words[1], words[1], "camera", "--name", our_name, "--camera", camera_name, "--video-size", size, "--framerate",
            words[5], "--control", socket_path, "--log-level", "warning", (char *)NULL);
        _exit(127);
    }
    const int control = connect_to(socket_path);
    for (int turn = 0; !is_listed; turn++) {
        if (turn == 200) fail("flourish camera does not appear");
        pause_for(0.05);
    }
    pause_for(2);
    measure("no reader", process, seconds / 2, control, NULL);

    cpw_mode wanted = mode;
    wanted.format = CPW_I420;
    const cpw_stream_events read_events = {NULL, ignore_state, ignore_mode, on_picture};
    cpw_stream *reader = cpw_read(sink, our_name, &wanted, 1, &read_events, message);
    if (!reader) fail(message);
    // The first seconds find the person and settle the rate of detection.
    pause_for(5);
    measure("idle", process, seconds, control, NULL);
    measure(words[7], process, seconds, control, words[7]);

    cpw_stream_close(reader);
    kill(process, SIGINT);
    waitpid(process, NULL, 0);
    is_ended = true;
    pthread_join(thread, NULL);
    cpw_close(sink);
    cpw_close(source);
    return 0;
}
