// Part of gst-capture. Apache License 2.0, see LICENSE.
//
// Little-endian numbers, as USB uses them.

#pragma once
#include <stddef.h>
#include <stdint.h>

struct writer {
    uint8_t *bytes;
    size_t count;
};

static inline void write8(struct writer *writer, unsigned value) { writer->bytes[writer->count++] = (uint8_t)value; }

static inline void write16(struct writer *writer, unsigned value) {
    write8(writer, value & 0xff);
    write8(writer, value >> 8 & 0xff);
}

static inline void write32(struct writer *writer, uint32_t value) {
    write16(writer, value & 0xffff);
    write16(writer, value >> 16);
}

static inline void write_all(struct writer *writer, const uint8_t *bytes, size_t count) {
    for (size_t index = 0; index < count; index++) write8(writer, bytes[index]);
}

static inline uint32_t read32(const uint8_t *bytes) {
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static inline void store32(uint8_t *bytes, uint32_t value) {
    for (int index = 0; index < 4; index++) bytes[index] = (uint8_t)(value >> 8 * index);
}
