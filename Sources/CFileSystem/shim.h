// Part of gst-capture. Apache License 2.0, see LICENSE.
//
// syncfs(2), which Glibc declares for GNU programs only. Prefix: cfilesystem_.

#ifndef CFILESYSTEM_SHIM_H
#define CFILESYSTEM_SHIM_H

#include <sys/syscall.h>
#include <unistd.h>

// Writes all of the file system that a descriptor belongs to, which may be open for reading only.
static inline int cfilesystem_sync(int descriptor) { return (int)syscall(SYS_syncfs, descriptor); }

#endif
