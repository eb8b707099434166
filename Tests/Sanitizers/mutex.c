// Part of gst-capture. Apache License 2.0, see LICENSE.
//
// Reports the locking of Swift's Mutex to ThreadSanitizer. A free lock is taken inline, in instrumented code. If two
// threads contend for it, they use libswiftSynchronization and the kernel (futex(2), FUTEX_LOCK_PI), which are not
// instrumented, so that access to the protected data looks like a race. These functions take precedence over the
// library's: they call them, and report the operation. `self` is the lock's word, in the register of Swift's context.

#if __has_feature(thread_sanitizer)

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

extern void __tsan_acquire(void *address);
extern void __tsan_release(void *address);

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *self

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

SWIFT void gst_capture_lock(uint32_t thread, SELF) __asm__(LOCK);
SWIFT bool gst_capture_try_lock(SELF) __asm__(TRY_LOCK);
SWIFT void gst_capture_unlock(SELF) __asm__(UNLOCK);

SWIFT void gst_capture_lock(uint32_t thread, SELF) {
    SWIFT void (*lock)(uint32_t, SELF) = dlsym(RTLD_NEXT, LOCK);
    lock(thread, self);
    __tsan_acquire(self);
}

SWIFT bool gst_capture_try_lock(SELF) {
    SWIFT bool (*try_lock)(SELF) = dlsym(RTLD_NEXT, TRY_LOCK);
    bool is_locked = try_lock(self);
    if (is_locked) __tsan_acquire(self);
    return is_locked;
}

SWIFT void gst_capture_unlock(SELF) {
    SWIFT void (*unlock)(SELF) = dlsym(RTLD_NEXT, UNLOCK);
    __tsan_release(self);
    unlock(self);
}

#endif
