// Part of gst-capture. Apache License 2.0, see LICENSE.
//
// The interfaces to Linux that Swift cannot import by itself, each with the reason.

#ifndef CLINUX_SHIM_H
#define CLINUX_SHIM_H

#include <errno.h>
#include <linux/input.h>
#include <linux/videodev2.h>
#include <malloc.h>
#include <spawn.h>
#include <stdint.h>
#include <sys/epoll.h>
// statfs(2): the type of a file system decides how SQLite writes there.
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/timerfd.h>
#include <sys/timex.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

// MARK: - Video4Linux2
// Structures, unions, enumerations and plain constants are imported as they are.

// The VIDIOC_* requests are macros over _IOR, _IOW and _IOWR, which take the size of a type: Swift does not import them.
static const unsigned long cv4l2_querycap = VIDIOC_QUERYCAP;
static const unsigned long cv4l2_enum_fmt = VIDIOC_ENUM_FMT;
static const unsigned long cv4l2_enum_framesizes = VIDIOC_ENUM_FRAMESIZES;
static const unsigned long cv4l2_enum_frameintervals = VIDIOC_ENUM_FRAMEINTERVALS;
static const unsigned long cv4l2_try_fmt = VIDIOC_TRY_FMT;
static const unsigned long cv4l2_query_ext_ctrl = VIDIOC_QUERY_EXT_CTRL;
static const unsigned long cv4l2_queryctrl = VIDIOC_QUERYCTRL;
static const unsigned long cv4l2_querymenu = VIDIOC_QUERYMENU;
static const unsigned long cv4l2_g_ext_ctrls = VIDIOC_G_EXT_CTRLS;
static const unsigned long cv4l2_s_ext_ctrls = VIDIOC_S_EXT_CTRLS;
static const unsigned long cv4l2_g_ctrl = VIDIOC_G_CTRL;
static const unsigned long cv4l2_s_ctrl = VIDIOC_S_CTRL;

// major(3) is a macro, and Swift's Glibc module lacks its header.
static inline unsigned int cv4l2_major(dev_t device) { return major(device); }

// MARK: - Input devices

// A macro over _IOW, as those above.
static const unsigned long cinput_grab = EVIOCGRAB;

// MARK: - Clocks

// Swift's Glibc module lacks adjtimex(2). 1 if the kernel knows the wall clock to be synchronized, 0 if not, and -1 if
// this process may not ask.
static inline int cclock_is_synchronized(void) {
    struct timex state = {0};
    int clock = adjtimex(&state);
    return clock < 0 ? -1 : clock != TIME_ERROR && !(state.status & STA_UNSYNC);
}

// MARK: - Timers
// Swift's Glibc module lacks timerfd_create(2).

// The flags are enumerators and macros of the same name: Swift imports neither as a number.
static inline int ctimerfd_create_realtime(void) {
    return timerfd_create(CLOCK_REALTIME, TFD_NONBLOCK | TFD_CLOEXEC);
}

// Arms a timer for the last moment of the clock. Setting the clock cancels it, and so does waking from suspension. A
// wrong clock can be far ahead: a timer for an earlier moment would expire again each time that it is armed.
static inline int ctimerfd_arm_until_clock_is_set(int timer) {
    struct itimerspec never = {.it_value = {.tv_sec = sizeof(time_t) > 4 ? (time_t)INT64_MAX : INT32_MAX}};
    return timerfd_settime(timer, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &never, 0);
}

// MARK: - Terminals
// Swift's Glibc module lacks epoll(7).

// Watches a descriptor for bytes that arrive, whether another process reads them or not. Returns -1 if that fails.
static inline int cepoll_watch_arrivals(int descriptor) {
    int watch = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event event = {.events = EPOLLIN | EPOLLET};
    if (watch >= 0 && epoll_ctl(watch, EPOLL_CTL_ADD, descriptor, &event) == 0) return watch;
    if (watch >= 0) close(watch);
    return -1;
}

// Waits until bytes have arrived since the last call.
static inline int cepoll_await_arrival(int watch) {
    struct epoll_event event;
    return epoll_wait(watch, &event, 1, -1);
}

// MARK: - Files

// syncfs(2), which glibc declares for GNU programs only: writes the whole file system of a descriptor, which may be open
// for reading only.
static inline int cfilesystem_sync(int descriptor) { return (int)syscall(SYS_syncfs, descriptor); }

// memfd_create(2), which glibc declares for GNU programs only: a file in memory, which no exec inherits. The name is for
// /proc alone.
static inline int cfile_in_memory(const char *name) { return (int)syscall(SYS_memfd_create, name, 1u); }

// The device, the inode, and the ID of the mount through which a file was found; 0 before Linux 5.8.
struct cfile_identity {
    uint64_t device, inode, mount;
};

// statx(2), which glibc declares for GNU programs only, of a path, or of a descriptor if the path is empty. The offsets
// are those of the kernel's structure: a second declaration of it would differ from that in the modules of SwiftNIO.
static inline int cfile_identify(int descriptor, const char *path, struct cfile_identity *identity) {
    enum { empty_path = 0x1000, inode = 0x100, mount_id = 0x1000 };
    union {
        uint32_t words[64];
        uint64_t longs[32];
    } status = {{0}};
    if (syscall(SYS_statx, descriptor, path, *path ? 0 : empty_path, inode | mount_id, &status) != 0) return -1;
    identity->device = makedev(status.words[34], status.words[35]);
    identity->inode = status.longs[4];
    identity->mount = status.words[0] & mount_id ? status.longs[18] : 0;
    return 0;
}

// renameat2(2), which glibc declares for GNU programs only, with RENAME_NOREPLACE (1): fails with EEXIST if the new name
// is taken. AT_FDCWD (-100) is a macro of fcntl.h, which also has macros that Swift's Glibc module declares itself.
static inline int crename_to_free_name(const char *old_name, const char *new_name) {
    return (int)syscall(SYS_renameat2, -100, old_name, -100, new_name, 1);
}

// openat2(2) of Linux 5.6, which glibc lacks: opens a path below a folder with RESOLVE_BENEATH (0x08) and
// RESOLVE_NO_MAGICLINKS (0x02). No link and no ".." of the path leads out of the folder.
static inline int copen_below(int folder, const char *path, int flags) {
    struct { uint64_t flags, mode, resolve; } how = {(uint64_t)flags, 0, 0x08 | 0x02};
#ifdef SYS_openat2
    return (int)syscall(SYS_openat2, folder, path, &how, sizeof how);
#else
    errno = ENOSYS;
    return -1;
#endif
}

// MARK: - Processes

// An extension of glibc 2.34 that Swift's Glibc module lacks: closes all descriptors from this one on in the new process.
extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int from);

// MARK: - Memory

// Has glibc's allocator use at most this many arenas (M_ARENA_MAX of mallopt(3)). Swift's Glibc module lacks the header.
static inline void cmalloc_limit_arenas(int count) { mallopt(M_ARENA_MAX, count); }

// Prefetches the cache line of an address for writing. It never faults, at any address.
static inline void cprefetch_for_writing(const void *address) { __builtin_prefetch(address, 1, 3); }

#endif
