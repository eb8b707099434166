// Part of gst-capture. Apache License 2.0, see LICENSE.
//
// System calls by number, for tests: syscall(2) is variadic, which Swift cannot call.

#ifndef CSYSTEMCALL_SHIM_H
#define CSYSTEMCALL_SHIM_H

#include <errno.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/// The result of a system call, or a negative errno.
static inline long csystem_call(long number, long a, long b, long c, long d, long e, long f)
{
    long result = syscall(number, a, b, c, d, e, f);
    return result == -1 ? -errno : result;
}

#endif
