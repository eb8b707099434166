// Part of gst-capture. Apache License 2.0, see LICENSE.

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

#include "pictures.h"

/// The most rows of a component that libjpeg takes at once: 8 for each of 2 vertical samples.
#define MOST_ROWS (2 * DCTSIZE)

struct cpic_writer {
    struct jpeg_compress_struct jpeg;
    struct jpeg_error_mgr errors;
    struct jpeg_destination_mgr target;
    jmp_buf exit;
    char message[256];
    uint8_t *bytes;
    size_t room;
    /// Rows of samples that are not as libjpeg reads them in the frame.
    uint8_t *rows;
    size_t rows_room;
};

static cpic_writer *writer_of(j_common_ptr jpeg) { return jpeg->client_data; }

static void on_error(j_common_ptr jpeg) {
    cpic_writer *writer = writer_of(jpeg);
    char text[JMSG_LENGTH_MAX];
    jpeg->err->format_message(jpeg, text);
    snprintf(writer->message, sizeof writer->message, "%s", text);
    longjmp(writer->exit, 1);
}

static void on_message(j_common_ptr jpeg, int level) {
    (void)jpeg;
    (void)level;
}

static void print_nothing(j_common_ptr jpeg) { (void)jpeg; }

static void fail(cpic_writer *writer, const char *message) {
    snprintf(writer->message, sizeof writer->message, "%s", message);
    longjmp(writer->exit, 1);
}

// MARK: The file

static void set_target(cpic_writer *writer, size_t used) {
    writer->target.next_output_byte = writer->bytes + used;
    writer->target.free_in_buffer = writer->room - used;
}

static void grow(cpic_writer *writer, size_t room) {
    uint8_t *bytes = realloc(writer->bytes, room);
    if (!bytes) fail(writer, "no memory for the file");
    writer->bytes = bytes;
    writer->room = room;
}

static void begin_file(j_compress_ptr jpeg) {
    cpic_writer *writer = writer_of((j_common_ptr)jpeg);
    if (!writer->bytes) grow(writer, 256 << 10);
    set_target(writer, 0);
}

static boolean continue_file(j_compress_ptr jpeg) {
    cpic_writer *writer = writer_of((j_common_ptr)jpeg);
    size_t used = writer->room;
    grow(writer, used * 2);
    set_target(writer, used);
    return TRUE;
}

static void end_file(j_compress_ptr jpeg) { (void)jpeg; }

// MARK: Samples

typedef uint8_t levels __attribute__((vector_size(16)));
typedef uint16_t wide_levels __attribute__((vector_size(32)));

/// Expands 16 video levels (16...235, chroma 16...240) to the full range, as LevelKernel of FrameMeasures does. The
/// products fit 16 bits; left to itself, the compiler takes 32, which takes four times as long.
static inline levels expanded(levels video, uint16_t gain, uint16_t rounding) {
    levels raised = __builtin_elementwise_max(video, (levels){} + 16) - 16;
    wide_levels products = __builtin_convertvector(raised, wide_levels) * gain + rounding;
    return __builtin_elementwise_add_sat(raised, __builtin_convertvector(products >> 10, levels));
}

static inline void expand_samples(uint8_t *samples, size_t count, uint16_t gain, uint16_t rounding) {
    levels video = {};
    memcpy(&video, samples, count);
    video = expanded(video, gain, rounding);
    memcpy(samples, &video, count);
}

static void expand_row(uint8_t *row, size_t count, uint16_t gain, uint16_t rounding) {
    size_t whole = count - count % sizeof(levels);
    for (size_t index = 0; index < whole; index += sizeof(levels))
        expand_samples(row + index, sizeof(levels), gain, rounding);
    expand_samples(row + whole, count - whole, gain, rounding);
}

/// Copies samples with a constant distance. It is inlined with constants, so that compilers turn each loop into SIMD
/// code.
static inline __attribute__((always_inline)) void copy_samples(
    const uint8_t *restrict source, size_t step, uint8_t *restrict target, size_t count) {
    for (size_t index = 0; index < count; index++) target[index] = source[index * step];
}

static void copy_row(const uint8_t *source, size_t step, uint8_t *target, size_t count) {
    switch (step) {
    case 1: memcpy(target, source, count); break;
    case 2: copy_samples(source, 2, target, count); break;
    default: copy_samples(source, 4, target, count); break;
    }
}

typedef struct {
    const uint8_t *samples;
    size_t stride, step;
    size_t width, height;
    /// The samples of a row that libjpeg reads: whole blocks.
    size_t padded;
    /// true if libjpeg reads the rows of the frame itself.
    bool is_direct;
    bool is_chroma;
    /// The rows of a band.
    size_t rows;
    uint8_t *copies;
} component;

static void fill_row(const component *part, size_t y, uint8_t *target, bool expands_levels) {
    copy_row(part->samples + y * part->stride, part->step, target, part->width);
    if (expands_levels) expand_row(target, part->width, part->is_chroma ? 142 : 168, part->is_chroma ? 1024 : 512);
    memset(target + part->width, target[part->width - 1], part->padded - part->width);
}

/// Points to the rows of a band. Rows below the frame repeat its last one.
static void set_rows(const component *part, size_t band, JSAMPROW *rows, bool expands_levels) {
    size_t first = band * part->rows;
    for (size_t index = 0; index < part->rows; index++) {
        size_t y = first + index;
        if (y >= part->height) {
            rows[index] = index > 0 ? rows[index - 1] : (JSAMPROW)part->samples;
        } else if (part->is_direct) {
            rows[index] = (JSAMPROW)(part->samples + y * part->stride);
        } else {
            rows[index] = part->copies + index * part->padded;
            fill_row(part, y, rows[index], expands_levels);
        }
    }
}

static void prepare(cpic_writer *writer, const cpic_frame *frame, component parts[3]) {
    size_t room = 0;
    for (unsigned index = 0; index < frame->components; index++) {
        component *part = &parts[index];
        unsigned across = index ? frame->across : 1, down = index ? frame->down : 1;
        part->samples = frame->planes[index];
        part->stride = frame->strides[index];
        part->step = frame->steps[index];
        part->width = (frame->width + across - 1) / across;
        part->height = (frame->height + down - 1) / down;
        part->padded = (part->width + DCTSIZE - 1) / DCTSIZE * DCTSIZE;
        part->is_direct = part->step == 1 && !frame->expands_levels && part->padded == part->width;
        part->is_chroma = index > 0;
        part->rows = DCTSIZE * (index || frame->components == 1 ? 1 : frame->down);
        if (!part->is_direct) room += part->padded * part->rows;
    }
    if (room > writer->rows_room) {
        uint8_t *rows = realloc(writer->rows, room);
        if (!rows) fail(writer, "no memory for rows");
        writer->rows = rows;
        writer->rows_room = room;
    }
    uint8_t *copies = writer->rows;
    for (unsigned index = 0; index < frame->components; index++) {
        parts[index].copies = copies;
        if (!parts[index].is_direct) copies += parts[index].padded * parts[index].rows;
    }
}

static void begin(struct jpeg_compress_struct *jpeg, const cpic_frame *frame, int quality) {
    jpeg->image_width = frame->width;
    jpeg->image_height = frame->height;
    jpeg->input_components = (int)frame->components;
    jpeg->in_color_space = frame->components == 1 ? JCS_GRAYSCALE : JCS_YCbCr;
    jpeg_set_defaults(jpeg);
    jpeg_set_quality(jpeg, quality, TRUE);
    jpeg->raw_data_in = TRUE;
    for (unsigned index = 0; index < frame->components; index++) {
        bool is_luma = index == 0 && frame->components > 1;
        jpeg->comp_info[index].h_samp_factor = is_luma ? (int)frame->across : 1;
        jpeg->comp_info[index].v_samp_factor = is_luma ? (int)frame->down : 1;
    }
    jpeg_start_compress(jpeg, TRUE);
}

static void write_bands(cpic_writer *writer, const cpic_frame *frame) {
    component parts[3] = {0};
    prepare(writer, frame, parts);
    JSAMPROW rows[3][MOST_ROWS];
    JSAMPARRAY planes[3] = {rows[0], rows[1], rows[2]};
    JDIMENSION height = (JDIMENSION)parts[0].rows;
    for (size_t band = 0; writer->jpeg.next_scanline < frame->height; band++) {
        for (unsigned index = 0; index < frame->components; index++)
            set_rows(&parts[index], band, rows[index], frame->expands_levels);
        jpeg_write_raw_data(&writer->jpeg, planes, height);
    }
}

cpic_status cpic_write_jpeg(
    cpic_writer *writer, const cpic_frame *frame, int quality, const uint8_t **bytes, size_t *count) {
    if (setjmp(writer->exit)) {
        jpeg_abort_compress(&writer->jpeg);
        return CPIC_UNSUPPORTED;
    }
    begin(&writer->jpeg, frame, quality);
    write_bands(writer, frame);
    jpeg_finish_compress(&writer->jpeg);
    *bytes = writer->bytes;
    *count = writer->room - writer->target.free_in_buffer;
    return CPIC_OK;
}

const char *cpic_writer_message(const cpic_writer *writer) { return writer->message; }

static bool create(cpic_writer *writer) {
    writer->jpeg.err = jpeg_std_error(&writer->errors);
    writer->errors.error_exit = on_error;
    writer->errors.emit_message = on_message;
    writer->errors.output_message = print_nothing;
    writer->jpeg.client_data = writer;
    if (setjmp(writer->exit)) return false;
    jpeg_create_compress(&writer->jpeg);
    writer->target.init_destination = begin_file;
    writer->target.empty_output_buffer = continue_file;
    writer->target.term_destination = end_file;
    writer->jpeg.dest = &writer->target;
    return true;
}

cpic_writer *cpic_writer_new(void) {
    cpic_writer *writer = calloc(1, sizeof *writer);
    if (!writer || create(writer)) return writer;
    cpic_writer_free(writer);
    return NULL;
}

void cpic_writer_free(cpic_writer *writer) {
    jpeg_destroy_compress(&writer->jpeg);
    free(writer->bytes);
    free(writer->rows);
    free(writer);
}
