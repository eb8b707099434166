// Part of gst-capture. Apache License 2.0, see LICENSE.

#ifndef OVERLAY_BENCH_LINE_H
#define OVERLAY_BENCH_LINE_H

#include <stdbool.h>
#include <stddef.h>

/// A few frames of one format that are used in turn. Each is in a buffer with a single owner, as after a converter.
typedef struct bench_supply bench_supply;

/// Makes frames; NULL if there is no memory.
bench_supply *bench_supply_new(const char *caps, size_t frame_size, unsigned frames);

/// Frees the frames, once no line uses them.
void bench_supply_free(bench_supply *supply);

/// A source without a thread and without work: it passes frames to an element on the calling thread. It costs only a
/// pool and a call.
typedef struct bench_line bench_line;

/// The output of a pipeline for a uniformly gray frame.
typedef struct {
    /// The number of bytes that are not gray.
    size_t changed;
    /// `true` if the frame is in other memory than before.
    bool copied;
} bench_outcome;

/// Links a line to the sink pad of an element (`GstElement *`) that is playing; NULL if that fails.
///
/// Lines can share a supply, which must outlive them: then all write to the same memory, as its address affects the
/// time.
bench_line *bench_line_new(void *element, bench_supply *supply);

/// Pushes frames; `false` if the pipeline refuses them.
bool bench_line_push(bench_line *line, unsigned frames);

/// Pushes a gray frame, and inspects it where it enters `end` (`GstElement *`), after all earlier probes.
bool bench_line_inspect(bench_line *line, void *end, bench_outcome *outcome);

/// Unlinks the line.
void bench_line_free(bench_line *line);

#endif
