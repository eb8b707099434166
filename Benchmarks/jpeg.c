// Part of gst-capture. Apache License 2.0, see LICENSE.
//
// Compares the processor time of a live picture of 1920 x 1080 from YUYV with libjpeg-turbo's for the same samples in
// planes. Both encode in turn, so that other load of the machine affects both.

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <jpeglib.h>

#include "pictures.h"

enum { WIDTH = 1920, HEIGHT = 1080, ROUNDS = 60, QUALITY = 80 };

static uint8_t packed[WIDTH * HEIGHT * 2], luma[WIDTH * HEIGHT], chroma[2][WIDTH / 2 * HEIGHT];

static double seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

/// A scene with edges, gradients and a little noise, which compresses like a camera's.
static void fill(void) {
    unsigned seed = 1;
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            seed = seed * 1664525u + 1013904223u;
            double shade = 125 + 60 * sin(x / 37.0) * cos(y / 53.0) + ((x / 160 + y / 120) % 2) * 30;
            uint8_t level = (uint8_t)fmin(235, fmax(16, shade + (int)(seed >> 29) - 4));
            luma[y * WIDTH + x] = packed[(y * WIDTH + x) * 2] = level;
            uint8_t color = (uint8_t)(128 + 60 * sin((x / 2 + y) / 90.0 + x % 2 * 2));
            chroma[x % 2][y * WIDTH / 2 + x / 2] = packed[(y * WIDTH + x) * 2 + 1] = color;
        }
}

/// Keeps its memory from one picture to the next, as the writer does.
static size_t encode_planes(void) {
    static struct jpeg_compress_struct jpeg;
    static struct jpeg_error_mgr errors;
    static unsigned char file[WIDTH * HEIGHT];
    unsigned char *bytes = file;
    unsigned long count = sizeof file;
    if (!jpeg.err) {
        jpeg.err = jpeg_std_error(&errors);
        jpeg_create_compress(&jpeg);
    }
    jpeg_mem_dest(&jpeg, &bytes, &count);
    jpeg.image_width = WIDTH;
    jpeg.image_height = HEIGHT;
    jpeg.input_components = 3;
    jpeg.in_color_space = JCS_YCbCr;
    jpeg_set_defaults(&jpeg);
    jpeg_set_quality(&jpeg, QUALITY, TRUE);
    jpeg.raw_data_in = TRUE;
    jpeg.comp_info[0].v_samp_factor = 1;
    jpeg_start_compress(&jpeg, TRUE);
    for (int y = 0; y < HEIGHT; y += 8) {
        JSAMPROW rows[3][8];
        for (int row = 0; row < 8; row++) {
            rows[0][row] = luma + (y + row) * WIDTH;
            for (int part = 0; part < 2; part++) rows[1 + part][row] = chroma[part] + (y + row) * WIDTH / 2;
        }
        JSAMPARRAY planes[3] = {rows[0], rows[1], rows[2]};
        jpeg_write_raw_data(&jpeg, planes, 8);
    }
    jpeg_finish_compress(&jpeg);
    return count;
}

static size_t encode_packed(cpic_writer *writer, bool expands_levels) {
    cpic_frame frame = {
        WIDTH, HEIGHT, 3, 2, 1, {packed, packed + 1, packed + 3}, {WIDTH * 2, WIDTH * 2, WIDTH * 2}, {2, 4, 4},
        expands_levels,
    };
    const uint8_t *bytes;
    size_t count = 0;
    if (cpic_write_jpeg(writer, &frame, QUALITY, &bytes, &count) != CPIC_OK) exit(1);
    return count;
}

static size_t encode(cpic_writer *writer, int kind) {
    return kind == 0 ? encode_planes() : encode_packed(writer, kind == 2);
}

/// Writes the scene in YUYV to a file, for other programs.
static int write_scene(const char *path) {
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(packed, sizeof packed, 1, file) != 1 || fclose(file) != 0) {
        perror(path);
        return 1;
    }
    return 0;
}

int main(int count, char **arguments) {
    static const char *const names[3] = {"libjpeg-turbo, planes", "YUYV", "YUYV, video levels expanded"};
    fill();
    if (count > 1) return write_scene(arguments[1]);
    cpic_writer *writer = cpic_writer_new();
    double times[3] = {0};
    size_t sizes[3] = {0};
    for (int round = -3; round < ROUNDS; round++)
        for (int turn = 0; turn < 3; turn++) {
            // Each kind follows each other one: it would find its samples in the cache after itself.
            int kind = (round + 3 + turn * (round % 2 ? 1 : 2)) % 3;
            double start = seconds();
            sizes[kind] = encode(writer, kind);
            if (round >= 0) times[kind] += seconds() - start;
        }
    for (int kind = 0; kind < 3; kind++)
        printf("%-28s %.2f ms a picture, ratio %.2f (%zu bytes)\n", names[kind], times[kind] / ROUNDS * 1e3,
            times[kind] / times[0], sizes[kind]);
    cpic_writer_free(writer);
    return times[1] / times[0] > 1.2 || times[2] / times[0] > 1.2;
}
