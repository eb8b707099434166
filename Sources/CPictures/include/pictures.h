// Part of gst-capture. Apache License 2.0, see LICENSE.
//
// Reads JPEG and PNG files row by row with libjpeg-turbo and libpng, and writes JPEG from planes. It is in C because both
// libraries report errors with longjmp(3), which must not pass a function of Swift. Prefix: cpic_.
//
// No function is safe for two threads on the same object; different objects are independent. Files are untrusted: each
// error of the libraries becomes a status, and they print nothing.

#ifndef CPICTURES_H
#define CPICTURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
    CPIC_OK = 0,
    /// The file is cut off, or contradicts itself.
    CPIC_DAMAGED,
    /// The file may be sound, but the libraries do not read its kind; the message says which.
    CPIC_UNSUPPORTED,
    CPIC_NO_MEMORY,
    /// The caller's function returned true.
    CPIC_CANCELED,
    /// A JPEG has more scans than CPIC_MOST_SCANS.
    CPIC_TOO_MANY_SCANS,
} cpic_status;

/// The most scans of a JPEG. Each one passes over the whole picture, even if it has only a few bytes. Encoders write
/// about 10; those that search for the best ones, up to 20.
#define CPIC_MOST_SCANS 32

/// The properties of a picture that the header of its file states.
typedef struct {
    uint32_t width, height;
    /// The bytes that the library needs for the whole picture at once, beside some rows: 0 unless the file is
    /// interlaced, or has several scans.
    uint64_t work_bytes;
    /// true if pixels can be transparent.
    bool has_alpha;
    /// 1 for a JPEG of gray, 3 for one of luma and chroma whose samples cpic_read_planes writes; 0 for all others.
    unsigned plane_count;
    /// Pixels for each sample of chroma: 1, 2 or 4 across, 1 or 2 down.
    unsigned across, down;
} cpic_header;

/// The memory of a decoded frame: Y, Cb and Cr, each with as many samples as the picture needs, rounded up.
typedef struct {
    uint8_t *planes[3];
    /// Bytes from one row to the next.
    size_t strides[3];
} cpic_planes;

typedef struct cpic_reader cpic_reader;

/// Returns true to end a call with CPIC_CANCELED. It is called at least once for each row.
typedef bool (*cpic_is_canceled)(const void *context);

/// Reads the header of a file. The bytes must stay until cpic_close. Returns a reader also after an error; NULL only
/// without memory.
cpic_reader *cpic_open_jpeg(const uint8_t *bytes, size_t count, cpic_status *status);
cpic_reader *cpic_open_png(const uint8_t *bytes, size_t count, cpic_status *status);

const cpic_header *cpic_get_header(const cpic_reader *reader);

/// Begins to decode. After it, the header has the size of the rows: a JPEG is scaled to 1/divisor (1, 2, 4 or 8), a PNG
/// is not. A JPEG with several scans is decoded here.
cpic_status cpic_start(cpic_reader *reader, unsigned divisor, cpic_is_canceled is_canceled, const void *context);

/// Writes the next row as red, green, blue and alpha, not premultiplied. Call it once for each row.
cpic_status cpic_read_row(cpic_reader *reader, uint8_t *rgba);

/// Reads the rest of the file after the last row, and checks it.
cpic_status cpic_finish(cpic_reader *reader);

/// Decodes a JPEG with plane_count into planes, without conversion of its color or its chroma, and checks the rest of the
/// file. Call it in place of cpic_start, cpic_read_row and cpic_finish.
cpic_status cpic_read_planes(
    cpic_reader *reader, const cpic_planes *planes, cpic_is_canceled is_canceled, const void *context);

/// true if a part of the JPEG's data could not be decoded, so that some pixels are a guess.
bool cpic_is_damaged(const cpic_reader *reader);

/// The message of the library about the last error or the first damage; empty without one.
const char *cpic_message(const cpic_reader *reader);

void cpic_close(cpic_reader *reader);

/// A raw frame of gray, or of luma and chroma. Samples of one component need not be neighbors: packed formats have all
/// components in one plane.
typedef struct {
    uint32_t width, height;
    /// 1 for gray, or else 3: Y, Cb, Cr.
    unsigned components;
    /// Pixels for each sample of chroma: 1, 2 or 4 across, 1 or 2 down.
    unsigned across, down;
    /// The first sample of each component. Row y begins strides[i] * y bytes later.
    const uint8_t *planes[3];
    size_t strides[3];
    /// Bytes from one sample to the next: 1, 2 or 4.
    size_t steps[3];
    /// true to expand video levels (16...235) to the full range that JPEG has.
    bool expands_levels;
} cpic_frame;

typedef struct cpic_writer cpic_writer;

/// Creates a writer, which keeps its memory from one picture to the next. Returns NULL without memory.
cpic_writer *cpic_writer_new(void);
void cpic_writer_free(cpic_writer *writer);

/// Encodes a frame without conversion of its color or its chroma. The bytes stay until the next call.
cpic_status cpic_write_jpeg(
    cpic_writer *writer, const cpic_frame *frame, int quality, const uint8_t **bytes, size_t *count);

/// The message of libjpeg about the last error.
const char *cpic_writer_message(const cpic_writer *writer);

#endif
