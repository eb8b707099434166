// Part of gst-capture. Apache License 2.0, see LICENSE.

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jerror.h>
#include <jpeglib.h>

#include "reader.h"

typedef struct {
    cpic_reader base;
    struct jpeg_decompress_struct jpeg;
    struct jpeg_error_mgr errors;
    struct jpeg_progress_mgr progress;
    jmp_buf exit;
    cpic_status status;
    /// A row of cyan, magenta, yellow and black; NULL for other pictures.
    uint8_t *inks;
} jpeg_reader;

static jpeg_reader *reader_of(j_common_ptr jpeg) { return jpeg->client_data; }

/// Beside the coefficients of the whole picture, libjpeg needs some rows, tables and pools.
#define JPEG_SLACK (64L << 20)

static cpic_status status_of(int code) {
    switch (code) {
    case JERR_OUT_OF_MEMORY:
    case JERR_NO_BACKING_STORE: return CPIC_NO_MEMORY;
    case JERR_SOF_UNSUPPORTED:
    case JERR_BAD_PRECISION:
    case JERR_ARITH_NOTIMPL:
    case JERR_NOT_COMPILED:
    case JERR_CONVERSION_NOTIMPL:
    case JERR_BAD_J_COLORSPACE:
    case JERR_COMPONENT_COUNT:
    case JERR_FRACT_SAMPLE_NOTIMPL:
    case JERR_CCIR601_NOTIMPL:
    case JERR_EMPTY_IMAGE: return CPIC_UNSUPPORTED;
    default: return CPIC_DAMAGED;
    }
}

static void leave(jpeg_reader *reader, cpic_status status) {
    reader->status = status;
    longjmp(reader->exit, 1);
}

static void on_error(j_common_ptr jpeg) {
    jpeg_reader *reader = reader_of(jpeg);
    char text[JMSG_LENGTH_MAX];
    jpeg->err->format_message(jpeg, text);
    snprintf(reader->base.message, sizeof reader->base.message, "%s", text);
    leave(reader, status_of(jpeg->err->msg_code));
}

/// Records warnings that mean lost pixels. Bytes between segments, and odd versions and tags, are common in sound files.
static void on_message(j_common_ptr jpeg, int level) {
    if (level >= 0) return;
    jpeg_reader *reader = reader_of(jpeg);
    jpeg->err->num_warnings++;
    switch (jpeg->err->msg_code) {
    case JWRN_ADOBE_XFORM:
    case JWRN_BOGUS_PROGRESSION:
    case JWRN_EXTRANEOUS_DATA:
    case JWRN_JFIF_MAJOR:
    case JWRN_BOGUS_ICC: return;
    }
    if (reader->base.is_damaged) return;
    reader->base.is_damaged = true;
    char text[JMSG_LENGTH_MAX];
    jpeg->err->format_message(jpeg, text);
    snprintf(reader->base.message, sizeof reader->base.message, "%s", text);
}

static void on_progress(j_common_ptr jpeg) {
    jpeg_reader *reader = reader_of(jpeg);
    if (reader->jpeg.input_scan_number > CPIC_MOST_SCANS) leave(reader, CPIC_TOO_MANY_SCANS);
    if (cpic_must_end(&reader->base)) leave(reader, CPIC_CANCELED);
}

static void print_nothing(j_common_ptr jpeg) { (void)jpeg; }

/// The bytes of the coefficients of the whole picture, which libjpeg keeps until the last scan.
static uint64_t coefficient_bytes(struct jpeg_decompress_struct *jpeg) {
    if (!jpeg_has_multiple_scans(jpeg)) return 0;
    uint64_t blocks = 0;
    for (int index = 0; index < jpeg->num_components; index++) {
        const jpeg_component_info *component = &jpeg->comp_info[index];
        blocks += ((uint64_t)component->width_in_blocks + component->h_samp_factor)
            * ((uint64_t)component->height_in_blocks + component->v_samp_factor);
    }
    return blocks * sizeof(JBLOCK);
}

static cpic_status start(cpic_reader *base, unsigned divisor) {
    jpeg_reader *reader = (jpeg_reader *)base;
    struct jpeg_decompress_struct *jpeg = &reader->jpeg;
    if (setjmp(reader->exit)) return reader->status;
    jpeg->scale_num = 1;
    jpeg->scale_denom = divisor;
    bool has_inks = jpeg->jpeg_color_space == JCS_CMYK || jpeg->jpeg_color_space == JCS_YCCK;
    jpeg->out_color_space = has_inks ? JCS_CMYK : JCS_EXT_RGBA;
    jpeg->mem->max_memory_to_use = (long)base->header.work_bytes + JPEG_SLACK;
    jpeg_start_decompress(jpeg);
    base->header.width = jpeg->output_width;
    base->header.height = jpeg->output_height;
    if (has_inks) {
        reader->inks = malloc((size_t)jpeg->output_width * 4);
        if (!reader->inks) return CPIC_NO_MEMORY;
    }
    return CPIC_OK;
}

/// Converts inks to red, green and blue, as browsers do: programs write CMYK as Adobe does, where 255 is no ink.
static void convert_inks(const uint8_t *inks, uint8_t *rgba, size_t width) {
    for (size_t x = 0; x < width; x++, inks += 4, rgba += 4) {
        for (int index = 0; index < 3; index++) {
            unsigned product = inks[index] * inks[3] + 128u;
            rgba[index] = (uint8_t)((product + (product >> 8)) >> 8);
        }
        rgba[3] = 255;
    }
}

static cpic_status read_samples(jpeg_reader *reader, JSAMPARRAY row) {
    if (setjmp(reader->exit)) return reader->status;
    return jpeg_read_scanlines(&reader->jpeg, row, 1) == 1 ? CPIC_OK : CPIC_DAMAGED;
}

static cpic_status read_row(cpic_reader *base, uint8_t *rgba) {
    jpeg_reader *reader = (jpeg_reader *)base;
    JSAMPROW row = reader->inks ? reader->inks : rgba;
    cpic_status status = read_samples(reader, &row);
    if (status == CPIC_OK && reader->inks) convert_inks(reader->inks, rgba, reader->jpeg.output_width);
    return status;
}

/// Sets the number of planes and the sampling of chroma if cpic_read_planes can write the samples.
static void describe_planes(struct jpeg_decompress_struct *jpeg, cpic_header *header) {
    const jpeg_component_info *parts = jpeg->comp_info;
    if (jpeg->jpeg_color_space == JCS_GRAYSCALE && jpeg->num_components == 1) {
        header->plane_count = header->across = header->down = 1;
        return;
    }
    if (jpeg->jpeg_color_space != JCS_YCbCr || jpeg->num_components != 3) return;
    int across = parts[0].h_samp_factor, down = parts[0].v_samp_factor;
    for (int index = 1; index < 3; index++) {
        if (parts[index].h_samp_factor != 1 || parts[index].v_samp_factor != 1) return;
    }
    if ((across != 1 && across != 2 && across != 4) || (down != 1 && down != 2)) return;
    header->plane_count = 3;
    header->across = (unsigned)across;
    header->down = (unsigned)down;
}

/// Copies the rows of a band of blocks that the picture has.
static void copy_band(
    jpeg_reader *reader, const cpic_planes *planes, JSAMPIMAGE bands, JDIMENSION first_row
) {
    struct jpeg_decompress_struct *jpeg = &reader->jpeg;
    for (int index = 0; index < jpeg->num_components; index++) {
        const jpeg_component_info *component = &jpeg->comp_info[index];
        unsigned across = index == 0 ? 1 : reader->base.header.across, down = index == 0 ? 1 : reader->base.header.down;
        size_t width = (jpeg->image_width + across - 1) / across, rows = (jpeg->image_height + down - 1) / down;
        size_t row = first_row / down, count = (size_t)component->v_samp_factor * DCTSIZE;
        for (size_t line = 0; line < count && row + line < rows; line++) {
            memcpy(planes->planes[index] + (row + line) * planes->strides[index], bands[index][line], width);
        }
    }
}

static cpic_status read_planes(cpic_reader *base, const cpic_planes *planes) {
    jpeg_reader *reader = (jpeg_reader *)base;
    struct jpeg_decompress_struct *jpeg = &reader->jpeg;
    if (setjmp(reader->exit)) return reader->status;
    jpeg->raw_data_out = TRUE;
    jpeg->do_fancy_upsampling = FALSE;
    jpeg->out_color_space = jpeg->jpeg_color_space;
    jpeg->mem->max_memory_to_use = (long)base->header.work_bytes + JPEG_SLACK;
    jpeg_start_decompress(jpeg);
    JSAMPARRAY bands[3];
    for (int index = 0; index < jpeg->num_components; index++) {
        const jpeg_component_info *component = &jpeg->comp_info[index];
        // libjpeg writes whole blocks. A pool of the picture has the memory, which the end of the reader frees.
        JDIMENSION units = (jpeg->image_width + jpeg->max_h_samp_factor * DCTSIZE - 1)
            / (jpeg->max_h_samp_factor * DCTSIZE);
        bands[index] = jpeg->mem->alloc_sarray(
            (j_common_ptr)jpeg, JPOOL_IMAGE, units * component->h_samp_factor * DCTSIZE,
            component->v_samp_factor * DCTSIZE);
    }
    JDIMENSION height = jpeg->max_v_samp_factor * DCTSIZE;
    while (jpeg->output_scanline < jpeg->output_height) {
        JDIMENSION row = jpeg->output_scanline;
        if (cpic_must_end(base)) return CPIC_CANCELED;
        if (jpeg_read_raw_data(jpeg, bands, height) == 0) return CPIC_DAMAGED;
        copy_band(reader, planes, bands, row);
    }
    jpeg_finish_decompress(jpeg);
    return CPIC_OK;
}

static cpic_status finish(cpic_reader *base) {
    jpeg_reader *reader = (jpeg_reader *)base;
    if (setjmp(reader->exit)) return reader->status;
    jpeg_finish_decompress(&reader->jpeg);
    return CPIC_OK;
}

static void close_reader(cpic_reader *base) {
    jpeg_reader *reader = (jpeg_reader *)base;
    jpeg_destroy_decompress(&reader->jpeg);
    free(reader->inks);
    free(reader);
}

cpic_reader *cpic_open_jpeg(const uint8_t *bytes, size_t count, cpic_status *status) {
    jpeg_reader *reader = calloc(1, sizeof *reader);
    if (!reader) return NULL;
    reader->base.start = start;
    reader->base.read_row = read_row;
    reader->base.finish = finish;
    reader->base.read_planes = read_planes;
    reader->base.close = close_reader;
    reader->jpeg.err = jpeg_std_error(&reader->errors);
    reader->errors.error_exit = on_error;
    reader->errors.emit_message = on_message;
    reader->errors.output_message = print_nothing;
    reader->jpeg.client_data = reader;
    if (setjmp(reader->exit)) {
        *status = reader->status;
        return &reader->base;
    }
    jpeg_create_decompress(&reader->jpeg);
    reader->jpeg.client_data = reader;
    reader->progress.progress_monitor = on_progress;
    reader->jpeg.progress = &reader->progress;
    jpeg_mem_src(&reader->jpeg, bytes, count);
    jpeg_read_header(&reader->jpeg, TRUE);
    reader->base.header.width = reader->jpeg.image_width;
    reader->base.header.height = reader->jpeg.image_height;
    reader->base.header.work_bytes = coefficient_bytes(&reader->jpeg);
    describe_planes(&reader->jpeg, &reader->base.header);
    *status = CPIC_OK;
    return &reader->base;
}
