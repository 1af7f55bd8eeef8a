// The host's process is untouched: signal handlers and masks, locale, environment, standard streams, folder.

#include "Client.h"

#include <fcntl.h>
#include <fenv.h>
#include <libavutil/log.h>
#include <locale.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

extern char **environ;

typedef struct {
    struct sigaction actions[65];
    sigset_t mask;
    char locale[256], folder[4096];
    char *environment[1024];
    int variables, rounding, log_level, flags[3];
    mode_t file_mask;
    struct stat streams[3];
} Host;

static void look(Host *host) {
    memset(host, 0, sizeof *host);
    for (int i = 1; i < 65; i++) sigaction(i, NULL, &host->actions[i]);
    sigprocmask(SIG_BLOCK, NULL, &host->mask);
    snprintf(host->locale, sizeof host->locale, "%s", setlocale(LC_ALL, NULL));
    REQUIRE(getcwd(host->folder, sizeof host->folder));
    for (char **entry = environ; *entry && host->variables < 1023; entry++) host->environment[host->variables++] = *entry;
    host->rounding = fegetround();
    host->log_level = av_log_get_level();
    umask(host->file_mask = umask(0));
    for (int i = 0; i < 3; i++) {
        REQUIRE(!fstat(i, &host->streams[i]));
        host->flags[i] = fcntl(i, F_GETFL);
        // Reading changes the time of a terminal.
        host->streams[i].st_atim = host->streams[i].st_mtim = host->streams[i].st_ctim = (struct timespec){0, 0};
    }
}

static volatile int logged;

static void own_log(void *object, int level, const char *format, va_list values) {
    (void)object, (void)format, (void)values;
    // Messages may be passed on, as of any user of FFmpeg; the level decides.
    if (level <= AV_LOG_ERROR) logged++;
}

static void handle(int signal) { (void)signal; }

static void use(const char *settings) {
    Frame frame;
    frame_open(&frame, FLOURISH_BGRX, 320, 180, 0);
    flourish_processor *processor = create(FLOURISH_BGRX, 320, 180, settings);
    for (int i = 0; i < 20; i++) {
        if (i == 3) REQUIRE(!flourish_perform(processor, "lasers"));
        REQUIRE(!process(processor, &frame, (int64_t)i * 200000000, NULL));
    }
    // A signal that this thread blocks stays pending, unless one of the library's threads takes it.
    sigset_t blocked, before, pending;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGUSR1);
    REQUIRE(!sigprocmask(SIG_BLOCK, &blocked, &before));
    REQUIRE(!kill(getpid(), SIGUSR1));
    usleep(20000);
    REQUIRE(!sigpending(&pending) && sigismember(&pending, SIGUSR1));
    REQUIRE(!sigprocmask(SIG_SETMASK, &before, NULL));
    REQUIRE(!flourish_finish(processor));
    flourish_destroy(processor);
    frame_close(&frame);
}

void check_host(void) {
    // Both streams are files while the library works; it writes nothing to them.
    int streams[2];
    FILE *files[2];
    for (int i = 0; i < 2; i++) {
        REQUIRE((files[i] = tmpfile()));
        REQUIRE((streams[i] = dup(i + 1)) >= 0 && dup2(fileno(files[i]), i + 1) >= 0);
    }
    struct sigaction action = {.sa_handler = handle};
    for (int i = 0; i < 4; i++) sigaction((int[]){SIGUSR1, SIGPIPE, SIGINT, SIGSEGV}[i], &action, NULL);
    setlocale(LC_ALL, "C.UTF-8");
    av_log_set_callback(own_log);
    av_log_set_level(AV_LOG_VERBOSE);
    static Host before, after;
    look(&before);
    use("{\"processor\": {\"live\": true}}");
    use(NULL);
    look(&after);
    av_log(NULL, AV_LOG_ERROR, "for the host's own callback");
    int written[2];
    for (int i = 0; i < 2; i++) {
        struct stat status;
        REQUIRE(!fstat(i + 1, &status));
        written[i] = (int)status.st_size;
        fflush(i ? stderr : stdout);
        dup2(streams[i], i + 1);
    }
    REQUIRE(!written[0] && !written[1]);
    REQUIRE(logged == 1);
    for (int i = 0; i < before.variables; i++) REQUIRE(before.environment[i] == after.environment[i]);
    for (int i = 0; i < 65; i++) {
        REQUIRE(before.actions[i].sa_handler == after.actions[i].sa_handler);
        REQUIRE(before.actions[i].sa_flags == after.actions[i].sa_flags);
    }
    REQUIRE(!memcmp(&before.mask, &after.mask, sizeof before.mask));
    REQUIRE(!strcmp(before.locale, after.locale) && !strcmp(before.folder, after.folder));
    REQUIRE(before.variables == after.variables && before.rounding == after.rounding);
    REQUIRE(before.log_level == after.log_level && before.file_mask == after.file_mask);
    REQUIRE(!memcmp(before.streams, after.streams, sizeof before.streams));
    REQUIRE(!memcmp(before.flags, after.flags, sizeof before.flags));
}
