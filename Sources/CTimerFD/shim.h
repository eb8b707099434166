// Part of gst-capture. Apache License 2.0, see LICENSE.
//
// timerfd_create(2), which is no part of Swift's Glibc. Prefix: ctimerfd_.

#ifndef CTIMERFD_SHIM_H
#define CTIMERFD_SHIM_H

#include <sys/timerfd.h>
#include <time.h>

// The flags are enumerators with macros of the same name over them: Swift imports neither as a number.
static inline int ctimerfd_create_realtime(void) {
    return timerfd_create(CLOCK_REALTIME, TFD_NONBLOCK | TFD_CLOEXEC);
}

// A timer that never ends by itself; what sets the clock cancels it, and waking up from suspension does so, too.
static inline int ctimerfd_arm_until_clock_is_set(int timer) {
    struct itimerspec never = {.it_value = {.tv_sec = 0x7fffffff}};
    return timerfd_settime(timer, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &never, 0);
}

#endif
