// Part of gst-capture. Apache License 2.0, see LICENSE.

#ifndef OVERLAY_BENCH_ALLOCATIONS_H
#define OVERLAY_BENCH_ALLOCATIONS_H

#include <stdbool.h>
#include <stdint.h>

/// How often the calling thread has asked for memory so far: malloc, calloc, realloc, posix_memalign, aligned_alloc and
/// memalign, of this program and of all libraries. GLib's slices count where the environment says G_SLICE=always-malloc.
uint64_t bench_allocations(void);

/// False where libraries do not call the functions that count.
bool bench_counts_allocations(void);

#endif
