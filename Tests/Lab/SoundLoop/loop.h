// Part of gst-capture. Apache License 2.0, see LICENSE.
//
// A sound card of ALSA that plays, by the calls of the kernel: one channel of 16 bits.

#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Periods a second, and periods of the buffer.
enum { period_rate = 100, buffer_periods = 20 };

/// The position of the sound that plays.
struct position {
    /// Nanoseconds of the monotonic clock.
    int64_t time;
    /// The number of samples that were played until then.
    int64_t played;
};

/// Opens the first device for playback of a card, for a number of samples a second that is a multiple of 100; returns its
/// descriptor, or -1.
int loop_open(unsigned card, unsigned rate);

/// Plays samples after those before them; waits while the buffer is full. `false` if it failed: with EPIPE, the sound has
/// stopped, because samples came too late.
bool loop_play(int device, const int16_t *samples, unsigned count);

/// Reads the position; `false` if it failed.
bool loop_position(int device, struct position *position);

/// Sets the speed of a loopback card, of which 100,000 is normal; `false` if it failed.
bool loop_set_speed(unsigned card, long speed);
