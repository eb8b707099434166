// Part of gst-capture. Apache License 2.0, see LICENSE.

#include "loop.h"
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>
#include <sound/asound.h>

static void allow_all(struct snd_pcm_hw_params *terms) {
    memset(terms, 0, sizeof *terms);
    memset(terms->masks, 0xff, sizeof terms->masks);
    for (size_t index = 0; index < sizeof terms->intervals / sizeof *terms->intervals; index++)
        terms->intervals[index].max = UINT_MAX;
    terms->rmask = terms->info = UINT_MAX;
}

static void choose(struct snd_pcm_hw_params *terms, int parameter, unsigned value) {
    struct snd_mask *mask = &terms->masks[parameter - SNDRV_PCM_HW_PARAM_FIRST_MASK];
    memset(mask, 0, sizeof *mask);
    mask->bits[value / 32] = 1u << value % 32;
}

static void set(struct snd_pcm_hw_params *terms, int parameter, unsigned value) {
    struct snd_interval *interval = &terms->intervals[parameter - SNDRV_PCM_HW_PARAM_FIRST_INTERVAL];
    interval->min = interval->max = value;
    interval->integer = 1;
}

static bool set_up(int device, unsigned rate) {
    unsigned period = rate / period_rate, buffer = period * buffer_periods;
    struct snd_pcm_hw_params terms;
    allow_all(&terms);
    choose(&terms, SNDRV_PCM_HW_PARAM_ACCESS, SNDRV_PCM_ACCESS_RW_INTERLEAVED);
    choose(&terms, SNDRV_PCM_HW_PARAM_FORMAT, SNDRV_PCM_FORMAT_S16_LE);
    choose(&terms, SNDRV_PCM_HW_PARAM_SUBFORMAT, SNDRV_PCM_SUBFORMAT_STD);
    set(&terms, SNDRV_PCM_HW_PARAM_CHANNELS, 1);
    set(&terms, SNDRV_PCM_HW_PARAM_RATE, rate);
    set(&terms, SNDRV_PCM_HW_PARAM_PERIOD_SIZE, period);
    set(&terms, SNDRV_PCM_HW_PARAM_BUFFER_SIZE, buffer);
    if (ioctl(device, SNDRV_PCM_IOCTL_HW_PARAMS, &terms) < 0) return false;
    struct snd_pcm_sw_params software = {
        .tstamp_mode = SNDRV_PCM_TSTAMP_ENABLE,
        .period_step = 1,
        .avail_min = period,
        .start_threshold = buffer - period,
        .stop_threshold = buffer,
        // The positions of the kernel begin again at a multiple of the buffer, after some weeks.
        .boundary = buffer * (snd_pcm_uframes_t)(1 << 28),
        .proto = SNDRV_PCM_VERSION,
        .tstamp_type = SNDRV_PCM_TSTAMP_TYPE_MONOTONIC,
    };
    return ioctl(device, SNDRV_PCM_IOCTL_SW_PARAMS, &software) == 0 && ioctl(device, SNDRV_PCM_IOCTL_PREPARE) == 0;
}

int loop_open(unsigned card, unsigned rate) {
    char path[64];
    snprintf(path, sizeof path, "/dev/snd/pcmC%uD0p", card);
    int device = open(path, O_RDWR | O_CLOEXEC);
    if (device < 0 || set_up(device, rate)) return device;
    close(device);
    return -1;
}

bool loop_play(int device, const int16_t *samples, unsigned count) {
    struct snd_xferi transfer = {.buf = (void *)samples, .frames = count};
    return ioctl(device, SNDRV_PCM_IOCTL_WRITEI_FRAMES, &transfer) == 0;
}

bool loop_position(int device, struct position *position) {
    struct snd_pcm_status status;
    memset(&status, 0, sizeof status);
    if (ioctl(device, SNDRV_PCM_IOCTL_STATUS, &status) < 0) return false;
    position->time = status.tstamp.tv_sec * INT64_C(1000000000) + status.tstamp.tv_nsec;
    position->played = (int64_t)status.hw_ptr;
    return status.state == SNDRV_PCM_STATE_RUNNING;
}

bool loop_set_speed(unsigned card, long speed) {
    char path[64];
    snprintf(path, sizeof path, "/dev/snd/controlC%u", card);
    int control = open(path, O_RDWR | O_CLOEXEC);
    if (control < 0) return false;
    // The control of the side that records.
    struct snd_ctl_elem_value value = {
        .id = {.iface = SNDRV_CTL_ELEM_IFACE_PCM, .device = 1, .name = "PCM Rate Shift 100000"},
    };
    value.value.integer.value[0] = speed;
    bool is_set = ioctl(control, SNDRV_CTL_IOCTL_ELEM_WRITE, &value) >= 0;
    close(control);
    return is_set;
}
