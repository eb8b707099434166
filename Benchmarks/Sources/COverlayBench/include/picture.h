// Part of gst-capture. Apache License 2.0, see LICENSE.

#ifndef OVERLAY_BENCH_PICTURE_H
#define OVERLAY_BENCH_PICTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A rectangle of a frame, `0xAARRGGBB` premultiplied, row by row.
typedef struct {
    int x, y, width, height;
    const uint32_t *pixels;
} bench_picture;

/// Makes a `cairooverlay` (`GstElement *`) paint pictures, which are copied.
void bench_paint_pictures(void *element, const bench_picture *pictures, size_t count);

/// Makes a `cairooverlay` play back the drawing of an SVG file for this frame size: a recording of paths and strokes.
/// Returns `false` if the file cannot be drawn.
bool bench_play_recording(void *element, const char *svg_file, int width, int height);

/// Makes an `overlaycomposition` (`GstElement *`) blend pictures, which are copied, as rectangles made once.
void bench_compose(void *element, const bench_picture *pictures, size_t count);

/// Writes pictures over one another to a PNG file of this size; `false` if that fails.
bool bench_write_png(const char *path, const bench_picture *pictures, size_t count, int width, int height);

#endif
