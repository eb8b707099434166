// Part of gst-capture. Apache License 2.0, see LICENSE.
//
// The one function of posix_spawn that Swift's Glibc leaves out: it is an extension of glibc 2.34.

#ifndef CSPAWN_SHIM_H
#define CSPAWN_SHIM_H

#include <spawn.h>

// Closes all files from this descriptor on in the program that is started.
extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int from);

#endif
