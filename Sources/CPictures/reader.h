// Part of gst-capture. Apache License 2.0, see LICENSE.

#ifndef CPICTURES_READER_H
#define CPICTURES_READER_H

#include "pictures.h"

/// The common part of a reader. The readers of all formats begin with it.
struct cpic_reader {
    cpic_header header;
    cpic_is_canceled is_canceled;
    const void *context;
    bool is_damaged;
    char message[256];

    cpic_status (*start)(cpic_reader *, unsigned divisor);
    cpic_status (*read_row)(cpic_reader *, uint8_t *rgba);
    cpic_status (*finish)(cpic_reader *);
    /// NULL for formats without planes.
    cpic_status (*read_planes)(cpic_reader *, const cpic_planes *);
    void (*close)(cpic_reader *);
};

static inline bool cpic_must_end(const cpic_reader *reader) {
    return reader->is_canceled && reader->is_canceled(reader->context);
}

#endif
