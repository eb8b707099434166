// Part of gst-capture. Apache License 2.0, see LICENSE.

#ifndef OVERLAY_BENCH_ALLOCATIONS_H
#define OVERLAY_BENCH_ALLOCATIONS_H

#include <stdbool.h>
#include <stdint.h>

/// The number of memory requests of the calling thread so far: malloc, calloc, realloc, posix_memalign, aligned_alloc
/// and memalign, of this program and of all libraries. GLib's slices count if the environment has
/// G_SLICE=always-malloc.
uint64_t bench_allocations(void);

/// `false` if libraries do not call the counting functions.
bool bench_counts_allocations(void);

#endif
