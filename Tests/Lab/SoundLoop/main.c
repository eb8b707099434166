// Part of gst-capture. Apache License 2.0, see LICENSE.
//
// sound-loop: plays clicks to the kernel's loopback sound card (snd-aloop), whose other side is a microphone, and prints
// when the microphone hears each of them.

#include "loop.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char usage[] =
    "usage: sound-loop [-c CARD] [-s RATE] [-r PPM]\n"
    "\n"
    "Plays silence with a click of 20 ms at each full second of the monotonic clock, until it is killed. Prints a line for\n"
    "each: `click` and the nanoseconds of the monotonic clock when its first sample passed the loop.\n"
    "  -c  number of the card (0)    -s  samples a second (48000), a multiple of 1000\n"
    "  -r  deviation of the card's clock, in parts per million (0), a multiple of 10\n";

enum { second = 1000000000, most_positions = 100, largest_period = 1920 };

/// Sound with clicks that follows the clock of its card.
struct sound {
    int device;
    unsigned rate;
    /// The number of the next sample, and those of the last click and the last printed one.
    int64_t next, click, printed;
    /// The last positions, each as the place of time 0 in samples.
    double origins[most_positions];
    unsigned position_count;
};

static int fail(const char *what) {
    fprintf(stderr, "sound-loop: %s: %s\n", what, strerror(errno));
    return 74;
}

/// Returns when a sample passes the loop; NaN before the first position.
///
/// The loop moves with the ticks of the kernel (4 ms), by the time since the tick before. Between ticks, it has the
/// position of the last one. So the highest positions for their times are right, and all others are late.
static double time_of(const struct sound *sound, int64_t sample) {
    unsigned known = sound->position_count < most_positions ? sound->position_count : most_positions;
    double highest = -INFINITY;
    for (unsigned index = 0; index < known; index++) highest = fmax(highest, sound->origins[index]);
    return known > 0 ? ((double)sample - highest) * second / sound->rate : NAN;
}

static void add(struct sound *sound, const struct position *position) {
    double origin = (double)position->played - (double)position->time * sound->rate / second;
    sound->origins[sound->position_count++ % most_positions] = origin;
}

/// Makes the next samples.
static void fill(struct sound *sound, int16_t *samples, unsigned count) {
    double start = time_of(sound, sound->next);
    for (unsigned index = 0; index < count; index++) {
        int64_t number = sound->next + index;
        int64_t time = isnan(start) ? second / 2 : (int64_t)(start + (double)index * second / sound->rate);
        bool is_full = time % second < second / sound->rate;
        // Not twice for one second, if the estimate of the time has moved.
        if (is_full && number - sound->click > sound->rate / 2) sound->click = number;
        int64_t place = number - sound->click;
        bool is_click = place < sound->rate / 50;
        samples[index] = is_click ? (int16_t)(20000 * sin(2 * M_PI * 1000 * (double)place / sound->rate)) : 0;
    }
    sound->next += count;
}

/// Prints the last click once the loop is some time after it: then there are positions before and after it.
static void print(struct sound *sound, const struct position *position) {
    if (sound->click == sound->printed || position->played < sound->click + sound->rate / 2) return;
    sound->printed = sound->click;
    printf("click %lld\n", (long long)time_of(sound, sound->click));
    fflush(stdout);
}

static int play(struct sound *sound) {
    int16_t samples[largest_period];
    unsigned count = sound->rate / period_rate;
    for (;;) {
        fill(sound, samples, count);
        while (!loop_play(sound->device, samples, count))
            if (errno != EINTR) return fail("the sound ends");
        struct position position;
        if (!loop_position(sound->device, &position)) continue;
        add(sound, &position);
        print(sound, &position);
    }
}

int main(int argc, char **argv) {
    unsigned card = 0;
    long deviation = 0;
    struct sound sound = {.rate = 48000};
    int option;
    while ((option = getopt(argc, argv, "c:s:r:")) != -1) switch (option) {
        case 'c': card = (unsigned)atoi(optarg); break;
        case 's': sound.rate = (unsigned)atoi(optarg); break;
        case 'r': deviation = atol(optarg); break;
        default: fputs(usage, stderr); return 64;
        }
    bool is_rate = sound.rate >= 8000 && sound.rate <= largest_period * period_rate && sound.rate % 1000 == 0;
    if (!is_rate || deviation % 10 != 0 || argc > optind) {
        fputs(usage, stderr);
        return 64;
    }
    sound.click = sound.printed = -(int64_t)sound.rate;
    // A larger value makes the card slower.
    if (!loop_set_speed(card, 100000 - deviation / 10)) return fail("the speed of the card cannot be set");
    sound.device = loop_open(card, sound.rate);
    return sound.device < 0 ? fail("the card cannot be opened") : play(&sound);
}
