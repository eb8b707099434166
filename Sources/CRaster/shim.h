// Part of gst-capture. Apache License 2.0, see LICENSE.
//
// Cairo, Pango, librsvg and GdkPixbuf for Swift, and just what Swift cannot import by itself: each with its reason.
// Prefix: craster_.

#ifndef CRASTER_SHIM_H
#define CRASTER_SHIM_H

#include <cairo.h>
#include <errno.h>
#include <gdk-pixbuf/gdk-pixbuf.h>
#include <librsvg/rsvg.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pango/pangocairo.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/// Closes all files but standard input, output and error, where the kernel is able to (Linux 5.9). Swift sees no
/// declaration of close_range.
static inline void craster_close_inherited_files(void)
{
    syscall(SYS_close_range, 3, ~0U, 0);
}

/// Lets this process start no program and open no connection any more, for good; 0 where that holds.
///
/// prctl is variadic, and a filter's instructions are made by macros. It guards against a drawing that names addresses,
/// and against the plain kind of exploit; the calls of other processor modes (i386) are not its concern, as a drawing
/// that chooses those already runs code of its own.
static inline int craster_forbid_programs_and_network(void)
{
#define CRASTER_REFUSE(call)                                                                                           \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (call), 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES)
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        CRASTER_REFUSE(SYS_execve),
        CRASTER_REFUSE(SYS_execveat),
        CRASTER_REFUSE(SYS_socket),
        CRASTER_REFUSE(SYS_connect),
        CRASTER_REFUSE(SYS_ptrace),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
#undef CRASTER_REFUSE
    struct sock_fprog program = { sizeof filter / sizeof *filter, filter };
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return -1;
    // A kernel without seccomp draws all the same.
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0 || errno == EINVAL ? 0 : -1;
}

#endif
