// Part of gst-capture. Apache License 2.0, see LICENSE.

#include "reader.h"

const cpic_header *cpic_get_header(const cpic_reader *reader) { return &reader->header; }

cpic_status cpic_start(cpic_reader *reader, unsigned divisor, cpic_is_canceled is_canceled, const void *context) {
    reader->is_canceled = is_canceled;
    reader->context = context;
    return reader->start(reader, divisor);
}

cpic_status cpic_read_row(cpic_reader *reader, uint8_t *rgba) {
    return cpic_must_end(reader) ? CPIC_CANCELED : reader->read_row(reader, rgba);
}

cpic_status cpic_finish(cpic_reader *reader) { return reader->finish(reader); }

cpic_status cpic_read_planes(
    cpic_reader *reader, const cpic_planes *planes, cpic_is_canceled is_canceled, const void *context
) {
    if (!reader->read_planes || reader->header.plane_count == 0) return CPIC_UNSUPPORTED;
    reader->is_canceled = is_canceled;
    reader->context = context;
    return reader->read_planes(reader, planes);
}

bool cpic_is_damaged(const cpic_reader *reader) { return reader->is_damaged; }

const char *cpic_message(const cpic_reader *reader) { return reader->message; }

void cpic_close(cpic_reader *reader) {
    if (reader) reader->close(reader);
}
