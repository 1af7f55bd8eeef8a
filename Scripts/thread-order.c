// Reports the synchronization of Swift's Mutex to ThreadSanitizer. `Scripts/test --sanitize thread` loads it before all
// other libraries (LD_PRELOAD).
//
// An uncontended Mutex is locked and unlocked in code that is built for the sanitizer. A contended one is handled by
// libswiftSynchronization, which calls the kernel and is not built for it: the sanitizer misses the order between the
// thread that unlocks and the one that waits, and reports false races.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

#define SWIFT_SELF __attribute__((swift_context))
#define SWIFT_CALL __attribute__((swiftcall))

// A process without the sanitizer, such as ffmpeg, does not have these.
extern void __tsan_acquire(void *place) __attribute__((weak));
extern void __tsan_release(void *place) __attribute__((weak));

// Synchronization._MutexHandle._lockSlow(_: UInt32)
SWIFT_CALL void lock_slow(uint32_t thread, SWIFT_SELF void *mutex) __asm__("$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF");
// Synchronization._MutexHandle._unlockSlow()
SWIFT_CALL void unlock_slow(SWIFT_SELF void *mutex) __asm__("$s15Synchronization12_MutexHandleV11_unlockSlowyyF");

SWIFT_CALL void lock_slow(uint32_t thread, SWIFT_SELF void *mutex)
{
    typedef SWIFT_CALL void (*Lock)(uint32_t, SWIFT_SELF void *);
    static Lock real;
    if (!real) real = (Lock)dlsym(RTLD_NEXT, "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF");
    real(thread, mutex);
    if (__tsan_acquire) __tsan_acquire(mutex);
}

SWIFT_CALL void unlock_slow(SWIFT_SELF void *mutex)
{
    typedef SWIFT_CALL void (*Unlock)(SWIFT_SELF void *);
    static Unlock real;
    if (!real) real = (Unlock)dlsym(RTLD_NEXT, "$s15Synchronization12_MutexHandleV11_unlockSlowyyF");
    if (__tsan_release) __tsan_release(mutex);
    real(mutex);
}
