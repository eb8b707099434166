// Part of gst-capture. Apache License 2.0, see LICENSE.

#ifndef OVERLAY_BENCH_PROCESSOR_H
#define OVERLAY_BENCH_PROCESSOR_H

/// Keeps the calling thread on its current processor, so that its caches stay warm. Swift does not import
/// sched_setaffinity.
void bench_pin_thread(void);

/// Restores the processors of the calling thread.
void bench_release_thread(void);

#endif
