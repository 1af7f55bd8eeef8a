#define _GNU_SOURCE
#include "CSafeguard.h"
#include "Sanitized.h"

#include <stdatomic.h>

static atomic_int_fast64_t refusals;

int64_t csafeguard_refusals(void) { return atomic_load_explicit(&refusals, memory_order_relaxed); }

#if defined(__GLIBC__) && !defined(CSAFEGUARD_SANITIZED)

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>

// What is defined in the program comes before all libraries; the next definition is that of the C library, or of an
// allocator that was loaded before it.

static const size_t usual = (size_t)64 << 20;

static void note(size_t size)
{
    if (size <= usual) atomic_fetch_add_explicit(&refusals, 1, memory_order_relaxed);
}

int posix_memalign(void **memory, size_t alignment, size_t size)
{
    static int (*_Atomic next)(void **, size_t, size_t);
    int (*real)(void **, size_t, size_t) = atomic_load_explicit(&next, memory_order_relaxed);
    if (!real) {
        real = (int (*)(void **, size_t, size_t))dlsym(RTLD_NEXT, "posix_memalign");
        atomic_store_explicit(&next, real, memory_order_relaxed);
    }
    int status = real(memory, alignment, size);
    if (__builtin_expect(status == ENOMEM, 0)) note(size);
    return status;
}

void *realloc(void *memory, size_t size)
{
    static void *(*_Atomic next)(void *, size_t);
    void *(*real)(void *, size_t) = atomic_load_explicit(&next, memory_order_relaxed);
    if (!real) {
        real = (void *(*)(void *, size_t))dlsym(RTLD_NEXT, "realloc");
        atomic_store_explicit(&next, real, memory_order_relaxed);
    }
    void *moved = real(memory, size);
    // With a size of 0 a null result is not a failure: the memory was freed.
    if (__builtin_expect(!moved && size > 0, 0)) note(size);
    return moved;
}

#endif
