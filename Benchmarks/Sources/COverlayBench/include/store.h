// Part of gst-capture. Apache License 2.0, see LICENSE.

#ifndef OVERLAY_BENCH_STORE_H
#define OVERLAY_BENCH_STORE_H

#include <stddef.h>
#include <stdint.h>

/// Writes the same sixteen bytes at each offset: the least work of any overlay.
void bench_store(uint8_t *memory, const uint32_t *offsets, size_t count);

#endif
