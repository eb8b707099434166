// Part of gst-capture. Apache License 2.0, see LICENSE.

#ifndef OVERLAY_BENCH_PROCESSOR_H
#define OVERLAY_BENCH_PROCESSOR_H

/// Keeps the calling thread on the processor where it is, so that its caches stay warm. Swift sees no sched_setaffinity.
void bench_pin_thread(void);

/// Lets the calling thread go again wherever it could before.
void bench_release_thread(void);

#endif
