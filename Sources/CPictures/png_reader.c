// Part of gst-capture. Apache License 2.0, see LICENSE.

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <png.h>

#include "reader.h"

typedef struct {
    cpic_reader base;
    png_structp png;
    png_infop info;
    cpic_status status;
    const uint8_t *bytes;
    size_t count, place;
    /// The whole picture of an interlaced file; NULL for others.
    uint8_t *whole;
    size_t next_row;
} png_reader;

static void on_error(png_structp png, png_const_charp message) {
    png_reader *reader = png_get_error_ptr(png);
    snprintf(reader->base.message, sizeof reader->base.message, "%s", message);
    if (reader->status == CPIC_OK) reader->status = CPIC_DAMAGED;
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp message) {
    (void)png;
    (void)message;
}

static void read_bytes(png_structp png, png_bytep target, size_t count) {
    png_reader *reader = png_get_io_ptr(png);
    if (count > reader->count - reader->place) png_error(png, "Unexpected end of file");
    memcpy(target, reader->bytes + reader->place, count);
    reader->place += count;
}

static uint64_t row_bytes(const png_reader *reader) { return (uint64_t)reader->base.header.width * 4; }

/// Decodes the passes of an interlaced file.
static void read_passes(png_reader *reader, int passes) {
    for (int pass = 0; pass < passes; pass++) {
        for (uint32_t y = 0; y < reader->base.header.height; y++) {
            if (cpic_must_end(&reader->base)) {
                reader->status = CPIC_CANCELED;
                png_longjmp(reader->png, 1);
            }
            png_read_row(reader->png, reader->whole + y * row_bytes(reader), NULL);
        }
    }
}

static cpic_status start(cpic_reader *base, unsigned divisor) {
    (void)divisor;
    png_reader *reader = (png_reader *)base;
    if (setjmp(png_jmpbuf(reader->png))) return reader->status;
    // Palettes, gray and 16 bits become red, green, blue and alpha of 8 bits.
    png_set_expand(reader->png);
    png_set_scale_16(reader->png);
    png_set_gray_to_rgb(reader->png);
    png_set_add_alpha(reader->png, 255, PNG_FILLER_AFTER);
    int passes = png_set_interlace_handling(reader->png);
    png_read_update_info(reader->png, reader->info);
    if (png_get_rowbytes(reader->png, reader->info) != row_bytes(reader)) return CPIC_UNSUPPORTED;
    if (passes == 1) return CPIC_OK;
    reader->whole = calloc(base->header.height, row_bytes(reader));
    if (!reader->whole) return CPIC_NO_MEMORY;
    read_passes(reader, passes);
    return CPIC_OK;
}

static cpic_status read_row(cpic_reader *base, uint8_t *rgba) {
    png_reader *reader = (png_reader *)base;
    if (setjmp(png_jmpbuf(reader->png))) return reader->status;
    if (reader->whole) {
        memcpy(rgba, reader->whole + reader->next_row * row_bytes(reader), row_bytes(reader));
    } else {
        png_read_row(reader->png, rgba, NULL);
    }
    reader->next_row++;
    return CPIC_OK;
}

static cpic_status finish(cpic_reader *base) {
    png_reader *reader = (png_reader *)base;
    if (setjmp(png_jmpbuf(reader->png))) return reader->status;
    png_read_end(reader->png, NULL);
    return CPIC_OK;
}

static void close_reader(cpic_reader *base) {
    png_reader *reader = (png_reader *)base;
    png_destroy_read_struct(&reader->png, &reader->info, NULL);
    free(reader->whole);
    free(reader);
}

cpic_reader *cpic_open_png(const uint8_t *bytes, size_t count, cpic_status *status) {
    png_reader *reader = calloc(1, sizeof *reader);
    if (!reader) return NULL;
    reader->base.start = start;
    reader->base.read_row = read_row;
    reader->base.finish = finish;
    reader->base.close = close_reader;
    reader->bytes = bytes;
    reader->count = count;
    reader->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, reader, on_error, on_warning);
    reader->info = reader->png ? png_create_info_struct(reader->png) : NULL;
    if (!reader->info) {
        close_reader(&reader->base);
        return NULL;
    }
    if (setjmp(png_jmpbuf(reader->png))) {
        *status = reader->status;
        return &reader->base;
    }
    png_set_read_fn(reader->png, reader, read_bytes);
    // A wrong checksum is an error in every chunk, not only in those that the picture needs.
    png_set_crc_action(reader->png, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
    // Texts, profiles and other chunks are skipped: a small file can have huge ones.
    png_set_keep_unknown_chunks(reader->png, PNG_HANDLE_CHUNK_NEVER, NULL, -1);
    png_set_user_limits(reader->png, 0x7FFFFFFF / 8, 0x7FFFFFFF);
    png_read_info(reader->png, reader->info);
    cpic_header *header = &reader->base.header;
    header->width = png_get_image_width(reader->png, reader->info);
    header->height = png_get_image_height(reader->png, reader->info);
    header->has_alpha = (png_get_color_type(reader->png, reader->info) & PNG_COLOR_MASK_ALPHA)
        || png_get_valid(reader->png, reader->info, PNG_INFO_tRNS);
    if (png_get_interlace_type(reader->png, reader->info) != PNG_INTERLACE_NONE)
        header->work_bytes = row_bytes(reader) * header->height;
    *status = CPIC_OK;
    return &reader->base;
}
