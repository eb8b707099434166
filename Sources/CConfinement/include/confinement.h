// Part of gst-capture. Apache License 2.0, see LICENSE.
//
// Confines the process that draws (seccomp-bpf, Landlock), and opens files for it. It is in C because a signal handler
// must be async-signal-safe, and because prctl(2), seccomp(2), Landlock and SCM_RIGHTS are macros or variadic. Prefix:
// cconf_.

#ifndef CCONFINEMENT_H
#define CCONFINEMENT_H

#include <stddef.h>
#include <stdint.h>

// Each message from the confined process to the process that opens files for it (SOCK_SEQPACKET) begins with one of
// these bytes. A path follows.

/// This file, or the files below this folder, may be opened. Ignored after CCONF_SEAL, and for /, the home folder and
/// folders above it.
static const uint8_t CCONF_ROOT = 1;
/// The list of roots is complete. It has no path. The process sends it before it reads a drawing.
static const uint8_t CCONF_SEAL = 2;
/// Open this file for reading. The answer is an errno, and a descriptor if the errno is 0.
static const uint8_t CCONF_OPEN = 3;
/// Open this folder for reading.
static const uint8_t CCONF_OPEN_FOLDER = 4;

/// The length of the longest message in bytes: one for the kind, and at most 4096 for the path.
#define CCONF_MESSAGE_BYTES 4097

/// Sends a message of one of the kinds above. Returns 0 or an errno.
int cconf_send(int socket, uint8_t kind, const char *path);

/// Answers CCONF_OPEN and CCONF_OPEN_FOLDER with an errno, and with a descriptor (SCM_RIGHTS) if the errno is 0. The
/// caller keeps the descriptor. Returns 0 or an errno.
int cconf_answer(int socket, int error, int descriptor);

/// Finds the file that a path leads to, with links resolved, without opening it. Writes the file's own path to `real`.
/// Returns a descriptor for cconf_reopen, which the caller closes, or a negative errno.
int cconf_find(const char *path, char *real, size_t size);

/// Opens a file or folder that cconf_find found, read-only. Returns a descriptor, or a negative errno: EACCES for
/// anything but regular files and folders; with is_folder, ENOTDIR for anything but folders.
int cconf_reopen(int place, int is_folder);

/// Closes all descriptors from this one on, if the kernel can (Linux 5.9).
void cconf_close_files_from(int descriptor);

/// Confines this process and all its threads permanently.
///
/// From then on, open(2) and openat(2) ask the process at the other end of `files`. All other system calls outside an
/// allow-list fail, and those of another processor mode (i386) end the process. If the kernel has Landlock, it refuses
/// the same files, TCP, signals and abstract sockets once more. Call it before the process reads hostile data and,
/// because Landlock confines the calling thread alone, before it starts a thread.
///
/// Returns 0 or an errno. After an error, the process must end.
int cconf_enter(int files);

#endif
