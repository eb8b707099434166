// Part of gst-capture. Apache License 2.0, see LICENSE.

#include "camera.h"
#include "bytes.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { largest_picture = 1920 * 1080 * 2 };

// --- Pictures --------------------------------------------------------------------------------------------------------

static bool read_picture(const char *path, struct picture *picture) {
    FILE *file = fopen(path, "rb");
    if (!file) return false;
    picture->bytes = malloc(largest_picture);
    picture->count = picture->bytes ? fread(picture->bytes, 1, largest_picture, file) : 0;
    bool is_whole = picture->count > 0 && picture->count < largest_picture;
    fclose(file);
    if (!is_whole) {
        free(picture->bytes);
        return false;
    }
    uint8_t *fitting = realloc(picture->bytes, picture->count);
    if (fitting) picture->bytes = fitting;
    return true;
}

static void load_size(struct camera *camera, int size, const char *folder) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%dx%d", folder, jpeg_size[size].width, jpeg_size[size].height);
    struct dirent **entries;
    int count = scandir(path, &entries, NULL, alphasort);
    for (int index = 0; index < count; index++) {
        char file[5120];
        snprintf(file, sizeof file, "%s/%s", path, entries[index]->d_name);
        size_t *loaded = &camera->picture_count[size];
        bool is_hidden = entries[index]->d_name[0] == '.';
        if (!is_hidden && *loaded < largest_list && read_picture(file, &camera->pictures[size][*loaded])) ++*loaded;
        free(entries[index]);
    }
    if (count >= 0) free(entries);
}

bool camera_load(struct camera *camera, const char *folder) {
    camera->scratch = malloc(largest_picture);
    if (!camera->scratch) return false;
    for (int size = 0; size < jpeg_sizes; size++) load_size(camera, size, folder);
    camera->light = 100;
    camera_reset(camera);
    return true;
}

/// Draws bars of color as bright as light and exposure make them, and a white square that moves with the number of the
/// picture.
static void draw(struct camera *camera, struct size size) {
    static const uint8_t bars[8][3] = {{235, 128, 128}, {210, 16, 146}, {170, 166, 16}, {145, 54, 34},
                                       {106, 202, 222}, {81, 90, 240},  {41, 240, 110}, {16, 128, 128}};
    double factor = controls_luma(camera);
    size_t row = size.width * 2u;
    for (unsigned x = 0; x < size.width; x += 2) {
        const uint8_t *bar = bars[x * 8 / size.width];
        double luma = 16 + (bar[0] - 16) * factor;
        uint8_t level = luma < 235 ? (uint8_t)luma : 235;
        uint8_t pixels[] = {level, bar[1], level, bar[2]};
        memcpy(camera->scratch + x * 2, pixels, sizeof pixels);
    }
    for (unsigned y = 1; y < size.height; y++) memcpy(camera->scratch + y * row, camera->scratch, row);
    size_t left = camera->number * 8 % (size.width - 32u) * 2;
    for (unsigned y = size.height / 2u; y < size.height / 2u + 32; y++)
        for (unsigned x = 0; x < 32; x++) memcpy(camera->scratch + y * row + left + x * 2, (uint8_t[]){235, 128}, 2);
}

/// Draws a gray picture, dark or bright.
static void draw_flash(struct camera *camera, struct size size, bool is_bright) {
    size_t count = size.width * size.height * 2u;
    for (size_t byte = 0; byte < count; byte += 2) {
        camera->scratch[byte] = is_bright ? 235 : 16;
        camera->scratch[byte + 1] = 128;
    }
}

/// Returns `true` if the next picture is bright: in the first fifth of each second of the monotonic clock. Prints when the
/// first picture of each flash begins to be sent.
static bool flash(struct camera *camera) {
    enum { second = 10000000 };
    int64_t now = camera_clock();
    bool is_bright = now % second < second / 5;
    if (is_bright && !camera->was_bright) {
        printf("flash %lld\n", (long long)now * 100);
        fflush(stdout);
    }
    return camera->was_bright = is_bright;
}

/// Chooses the next picture; `false` if no file has this size.
static bool choose(struct camera *camera) {
    unsigned frame = camera->agreement[3] - 1u;
    if (camera->agreement[2] == yuyv_format) {
        if (camera->flashes) {
            draw_flash(camera, yuyv_size[frame], flash(camera));
        } else {
            draw(camera, yuyv_size[frame]);
        }
        camera->bytes = camera->scratch;
        camera->count = yuyv_size[frame].width * yuyv_size[frame].height * 2u;
        return true;
    }
    if (camera->picture_count[frame] == 0) return false;
    const struct picture *picture = &camera->pictures[frame][camera->number % camera->picture_count[frame]];
    camera->bytes = picture->bytes;
    camera->count = picture->count;
    return true;
}

static void damage(struct camera *camera) {
    if (camera->faults.junk > 0) {
        camera->faults.junk--;
        memmove(camera->scratch, camera->bytes, camera->count);
        memset(camera->scratch, 0x55, camera->count < 64 ? camera->count : 64);
        camera->bytes = camera->scratch;
    }
    if (camera->faults.cut > 0) {
        camera->faults.cut--;
        camera->count /= 2;
    }
}

// --- The stream ------------------------------------------------------------------------------------------------------

int64_t camera_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(10000000) + now.tv_nsec / 100;
}

bool camera_streams(const struct camera *camera) { return camera->alternate_setting != 0 && !camera->faults.frozen; }

bool camera_advance(struct camera *camera) {
    if (camera->alternate_setting == 0) return false;
    if (camera->position < camera->count) return true;
    int64_t now = camera_clock(), interval = read32(camera->agreement + 4);
    if (camera->faults.frozen || now < camera->due || !choose(camera)) return false;
    damage(camera);
    // A host that is late loses pictures, as with any camera; they are not sent in a burst.
    camera->due = camera->due + interval < now ? now + interval : camera->due + interval;
    camera->position = 0;
    camera->parity = !camera->parity;
    camera->number++;
    return true;
}

size_t camera_fill(struct camera *camera, uint8_t *packet, size_t room) {
    enum { header = 2, end_of_frame = 0x02, end_of_header = 0x80 };
    size_t left = camera->count - camera->position;
    if (left == 0 || room <= header) return 0;
    size_t part = left < room - header ? left : room - header;
    memcpy(packet + header, camera->bytes + camera->position, part);
    camera->position += part;
    packet[0] = header;
    packet[1] = (uint8_t)(end_of_header | camera->parity | (part == left ? end_of_frame : 0));
    return part + header;
}

static void restart(struct camera *camera) {
    camera->count = camera->position = 0;
    camera->due = camera_clock();
}

void camera_reset(struct camera *camera) {
    controls_reset(camera);
    memset(&camera->faults, 0, sizeof camera->faults);
    struct request request = {.code = set_current, .value = 1 << 8};
    uint8_t none = 0;
    negotiation_answer(camera, &request, &none);
    memcpy(camera->agreement, camera->proposal, negotiation_size);
    camera->alternate_setting = 0;
    restart(camera);
}

// --- Requests --------------------------------------------------------------------------------------------------------

/// Standard requests (USB 2.0, 9.4) that a host makes to a camera.
static int standard(struct camera *camera, const struct request *request, uint8_t *data) {
    enum { get_status = 0, get_descriptor = 6, get_configuration = 8, get_interface = 10, set_interface = 11 };
    memset(data, 0, 2);
    switch (request->code) {
    case get_status: return 2;
    case get_descriptor: return descriptor_answer(camera, (uint8_t)(request->value >> 8), (uint8_t)request->value, data);
    case get_configuration: data[0] = 1; return 1;
    case get_interface: data[0] = request->index == 1 ? camera->alternate_setting : 0; return 1;
    case set_interface:
        if (request->index != 1) return 0;
        camera->alternate_setting = (uint8_t)request->value;
        restart(camera);
        return 0;
    default: return 0;
    }
}

int camera_answer(struct camera *camera, const struct request *request, uint8_t *data) {
    enum { kind = 0x60 };
    if ((request->type & kind) == 0) return standard(camera, request, data);
    unsigned interface = request->index & 0xff;
    return interface == 0 ? controls_answer(camera, request, data) : negotiation_answer(camera, request, data);
}
