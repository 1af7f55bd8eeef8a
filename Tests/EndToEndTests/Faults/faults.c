// Makes one call of the system fail, or come back short: to be loaded before all other libraries (LD_PRELOAD).
//
// FAULT_KIND  which calls are counted: write, short, rename, open, map, memory, thread, clock; leap:
//             clocks tell an hour more from that call on; abort, fault: the process is ended in a write.
// FAULT_AT    which of them fails, from 1 on; 0 for none.
// FAULT_TOLD  a file of eight bytes in which their number is kept, whatever ends the process.
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

// Where FFmpeg's libraries lie, and the program.
struct area { uintptr_t from, to; };
static struct area media[16], program[4];
static int media_count, program_count;

static int lies_in(const struct area *areas, int count, void *place)
{
    for (int i = 0; i < count; i++)
        if ((uintptr_t)place >= areas[i].from && (uintptr_t)place < areas[i].to) return 1;
    return 0;
}

// Notes where code lies.
static void note(const struct dl_phdr_info *info, struct area *areas, int *count, int most)
{
    for (int i = 0; i < info->dlpi_phnum && *count < most; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type != PT_LOAD || !(part->p_flags & PF_X)) continue;
        areas[*count].from = info->dlpi_addr + part->p_vaddr;
        areas[(*count)++].to = info->dlpi_addr + part->p_vaddr + part->p_memsz;
    }
}

static int note_library(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size; (void)data;
    if (!*info->dlpi_name) note(info, program, &program_count, 4);
    // What Swift's runtime asks for and does not get ends the process: that cannot be otherwise.
    if (strstr(info->dlpi_name, "libav") || strstr(info->dlpi_name, "libswscale")) note(info, media, &media_count, 16);
    return 0;
}

// Whether FFmpeg asks for memory: by itself, or through the program, which notes what is refused.
#define ASKED_BY_MEDIA \
    (lies_in(media, media_count, __builtin_return_address(0)) \
        || (lies_in(program, program_count, __builtin_return_address(0)) \
            && lies_in(media, media_count, __builtin_return_address(1))))

__attribute__((constructor)) static void prepare(void)
{
    const char *told = getenv("FAULT_TOLD"), *where = getenv("FAULT_AT");
    at = where ? atol(where) : 0;
    dl_iterate_phdr(note_library, NULL);
    int file = told ? open(told, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
    if (file >= 0 && ftruncate(file, sizeof(long)) == 0) {
        void *page = mmap(NULL, sizeof(long), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        if (page != MAP_FAILED) { count = page; atomic_store(count, 0); }
    }
    if (file >= 0) close(file);
    // From here on.
    kind = getenv("FAULT_KIND");
}

// Whether this call is the one.
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
    // What is told to people is no output.
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
