// Makes one system call fail or return early. Load it before all other libraries (LD_PRELOAD).
//
// FAULT_KIND   the counted calls: write, short, rename, open, map, memory, thread, clock; leap: clocks
//              advance by an hour from that call on; abort, fault: the process is ended in a write.
// FAULT_AT     the number of the failing call, from 1 on; 0 for none.
// FAULT_COUNT  a file of eight bytes that holds the number of calls, also after the process has ended.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char *kind;
static long at;
static atomic_long nothing;
static atomic_long *count = &nothing;

// The code of FFmpeg's libraries, and of the program.
struct area { uintptr_t from, to; };
static struct area media[16], program[4];
static int media_count, program_count;

static int is_in(const struct area *areas, int count, void *place)
{
    for (int i = 0; i < count; i++)
        if ((uintptr_t)place >= areas[i].from && (uintptr_t)place < areas[i].to) return 1;
    return 0;
}

// Records the address ranges of code.
static void add_areas(const struct dl_phdr_info *info, struct area *areas, int *count, int most)
{
    for (int i = 0; i < info->dlpi_phnum && *count < most; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type != PT_LOAD || !(part->p_flags & PF_X)) continue;
        areas[*count].from = info->dlpi_addr + part->p_vaddr;
        areas[(*count)++].to = info->dlpi_addr + part->p_vaddr + part->p_memsz;
    }
}

static int add_library(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size; (void)data;
    if (!*info->dlpi_name) add_areas(info, program, &program_count, 4);
    // Failed allocations of Swift's runtime always end the process.
    if (strstr(info->dlpi_name, "libav") || strstr(info->dlpi_name, "libswscale")) add_areas(info, media, &media_count, 16);
    return 0;
}

// True if FFmpeg allocates memory: directly, or through the program, which records failed allocations.
#define ASKED_BY_MEDIA \
    (is_in(media, media_count, __builtin_return_address(0)) \
        || (is_in(program, program_count, __builtin_return_address(0)) \
            && is_in(media, media_count, __builtin_return_address(1))))

__attribute__((constructor)) static void prepare(void)
{
    const char *counter = getenv("FAULT_COUNT"), *where = getenv("FAULT_AT");
    at = where ? atol(where) : 0;
    dl_iterate_phdr(add_library, NULL);
    int file = counter ? open(counter, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
    if (file >= 0 && ftruncate(file, sizeof(long)) == 0) {
        void *page = mmap(NULL, sizeof(long), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        if (page != MAP_FAILED) { count = page; atomic_store(count, 0); }
    }
    if (file >= 0) close(file);
    // Calls count from here on.
    kind = getenv("FAULT_KIND");
}

// Returns whether this call is the one to fail.
static int fails(const char *what)
{
    if (!kind || strcmp(kind, what) != 0) return 0;
    return atomic_fetch_add(count, 1) + 1 == at;
}

#define REAL(name) \
    static __typeof__(name) *real; \
    if (!real) real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

ssize_t write(int file, const void *bytes, size_t size)
{
    REAL(write);
    // Messages on the standard error are no output.
    if (file == 2) return real(file, bytes, size);
    if (fails("abort")) abort();
    if (fails("fault")) *(volatile char *)16 = 0;
    if (fails("write")) { errno = ENOSPC; return -1; }
    if (size > 1 && fails("short")) return real(file, bytes, size / 2);
    return real(file, bytes, size);
}

int rename(const char *from, const char *to)
{
    REAL(rename);
    if (fails("rename")) { errno = EIO; return -1; }
    return real(from, to);
}

int link(const char *from, const char *to)
{
    REAL(link);
    if (fails("rename")) { errno = EIO; return -1; }
    return real(from, to);
}

#define OPENED(name) \
int name(const char *path, int flags, ...) \
{ \
    REAL(name); \
    mode_t mode = 0; \
    if (flags & (O_CREAT | O_TMPFILE)) { va_list more; va_start(more, flags); mode = va_arg(more, mode_t); va_end(more); } \
    if (fails("open")) { errno = EMFILE; return -1; } \
    return real(path, flags, mode); \
}
OPENED(open)
OPENED(open64)

FILE *fopen(const char *path, const char *mode)
{
    REAL(fopen);
    if (fails("open")) { errno = EMFILE; return NULL; }
    return real(path, mode);
}

void *mmap(void *place, size_t size, int protection, int flags, int file, off_t offset)
{
    REAL(mmap);
    if (fails("map")) { errno = ENOMEM; return MAP_FAILED; }
    return real(place, size, protection, flags, file, offset);
}

void *mmap64(void *place, size_t size, int protection, int flags, int file, off64_t offset)
{
    REAL(mmap64);
    if (fails("map")) { errno = ENOMEM; return MAP_FAILED; }
    return real(place, size, protection, flags, file, offset);
}

int posix_memalign(void **memory, size_t alignment, size_t size)
{
    REAL(posix_memalign);
    if (ASKED_BY_MEDIA && fails("memory")) return ENOMEM;
    return real(memory, alignment, size);
}

void *realloc(void *memory, size_t size)
{
    REAL(realloc);
    if (ASKED_BY_MEDIA && fails("memory")) return NULL;
    return real(memory, size);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument)
{
    REAL(pthread_create);
    if (fails("thread")) return EAGAIN;
    return real(thread, attributes, body, argument);
}

int clock_gettime(clockid_t clock, struct timespec *time)
{
    REAL(clock_gettime);
    int counts = clock == CLOCK_MONOTONIC || clock == CLOCK_BOOTTIME;
    if (clock == CLOCK_MONOTONIC && fails("clock")) { errno = EINVAL; return -1; }
    int status = real(clock, time);
    // From that call on it is an hour later, as after a sleep.
    if (counts && kind && strcmp(kind, "leap") == 0 && status == 0 && at > 0 && atomic_fetch_add(count, 1) + 1 >= at)
        time->tv_sec += 3600;
    else if (counts && kind && strcmp(kind, "leap") == 0 && at == 0)
        atomic_fetch_add(count, 1);
    return status;
}
