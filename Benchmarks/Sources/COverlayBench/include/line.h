// Part of gst-capture. Apache License 2.0, see LICENSE.

#ifndef OVERLAY_BENCH_LINE_H
#define OVERLAY_BENCH_LINE_H

#include <stdbool.h>
#include <stddef.h>

/// A few frames of one format, that are handed out in turn. Each is in a buffer that nobody else holds, as a converter
/// gives it.
typedef struct bench_supply bench_supply;

/// Makes frames; NULL where there is no memory.
bench_supply *bench_supply_new(const char *caps, size_t frame_size, unsigned frames);

/// Frees the frames, once no line uses them.
void bench_supply_free(bench_supply *supply);

/// A source without a thread and without work: it hands frames to an element on the calling thread. What it costs
/// is a pool and a call.
typedef struct bench_line bench_line;

/// What came out at the end of a pipeline for a frame that was all of one grey.
typedef struct {
    /// Bytes that are no longer grey.
    size_t changed;
    /// True where the frame is no longer in the memory that it was in.
    bool copied;
} bench_outcome;

/// Links a line to the sink pad of an element (`GstElement *`) that is playing; NULL where that does not work.
///
/// Lines can share a supply, which must outlive them: then all write to the same memory, as where it lies matters.
bench_line *bench_line_new(void *element, bench_supply *supply);

/// Pushes frames; false where the pipeline does not take them.
bool bench_line_push(bench_line *line, unsigned frames);

/// Pushes a grey frame, and looks at it where it enters `end` (`GstElement *`), after all probes that were there before.
bool bench_line_inspect(bench_line *line, void *end, bench_outcome *outcome);

/// Unlinks the line.
void bench_line_free(bench_line *line);

#endif
