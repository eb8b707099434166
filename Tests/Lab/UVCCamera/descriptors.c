// Part of gst-capture. Apache License 2.0, see LICENSE.
//
// The descriptors of a UVC 1.1 camera with one isochronous stream (USB Video Class 1.1, chapter 3).

#include "bytes.h"
#include "camera.h"
#include <string.h>

const struct size jpeg_size[jpeg_sizes] = {{1920, 1080}, {1280, 720}, {640, 480}};
const struct size yuyv_size[yuyv_sizes] = {{640, 480}, {320, 240}};
const uint32_t intervals[2] = {333333, 666666};

enum { device_kind = 1, configuration_kind, string_kind };
enum { no_string, maker_string, model_string, serial_string };
enum { interface_descriptor = 0x24, video_class = 0x0e, camera_terminal = 1, processing_unit, output_terminal };

static int device(const struct camera *camera, uint8_t *data) {
    const struct identity *identity = &camera->identity;
    struct writer to = {data, 0};
    write8(&to, 18);
    write8(&to, device_kind);
    write16(&to, 0x0200);
    // Miscellaneous device with interface associations.
    write8(&to, 0xef), write8(&to, 2), write8(&to, 1);
    write8(&to, 64);
    write16(&to, identity->vendor), write16(&to, identity->product), write16(&to, 0x0110);
    write8(&to, maker_string), write8(&to, model_string), write8(&to, *identity->serial ? serial_string : no_string);
    write8(&to, 1);
    return (int)to.count;
}

/// The controls of an entity, as the bits of `bmControls`.
static uint32_t control_bits(const struct camera *camera, uint8_t entity) {
    uint32_t bits = 0;
    for (int index = 0; index < control_count; index++)
        if (camera->controls[index].entity == entity) bits |= 1u << camera->controls[index].bit;
    return bits;
}

static void interface(struct writer *to, unsigned number, unsigned alternate, unsigned endpoints, unsigned subclass, unsigned name) {
    write8(to, 9), write8(to, 4);
    write8(to, number), write8(to, alternate), write8(to, endpoints);
    write8(to, video_class), write8(to, subclass), write8(to, 0), write8(to, name);
}

/// The terminals and units: lens and sensor, then the processing unit, then the output to the host.
static void control_interface(const struct camera *camera, struct writer *to) {
    interface(to, 0, 0, 0, 1, model_string);
    enum { header_size = 13, camera_size = 18, unit_size = 12, output_size = 9 };
    write8(to, header_size), write8(to, interface_descriptor), write8(to, 1);
    write16(to, 0x0110), write16(to, header_size + camera_size + unit_size + output_size);
    write32(to, 48000000);
    write8(to, 1), write8(to, 1);

    uint32_t bits = control_bits(camera, camera_terminal);
    write8(to, camera_size), write8(to, interface_descriptor), write8(to, 2);
    write8(to, camera_terminal), write16(to, 0x0201), write8(to, 0), write8(to, 0);
    write16(to, 0), write16(to, 0), write16(to, 0);
    write8(to, 3), write16(to, bits & 0xffff), write8(to, bits >> 16);

    bits = control_bits(camera, processing_unit);
    write8(to, unit_size), write8(to, interface_descriptor), write8(to, 5);
    write8(to, processing_unit), write8(to, camera_terminal), write16(to, 0);
    write8(to, 2), write16(to, bits), write8(to, 0), write8(to, 0);

    write8(to, output_size), write8(to, interface_descriptor), write8(to, 3);
    write8(to, output_terminal), write16(to, 0x0101), write8(to, 0), write8(to, processing_unit), write8(to, 0);
}

static void frames(struct writer *to, unsigned subtype, const struct size *sizes, unsigned count) {
    for (unsigned index = 0; index < count; index++) {
        uint32_t bytes = sizes[index].width * sizes[index].height * 2u;
        write8(to, 26 + 4 * 2), write8(to, interface_descriptor), write8(to, subtype);
        write8(to, index + 1), write8(to, 0);
        write16(to, sizes[index].width), write16(to, sizes[index].height);
        write32(to, bytes * 8 * 15), write32(to, bytes * 8 * 30), write32(to, bytes);
        write32(to, intervals[0]), write8(to, 2), write32(to, intervals[0]), write32(to, intervals[1]);
    }
    // BT.709 primaries and transfer, SMPTE 170M matrix.
    write8(to, 6), write8(to, interface_descriptor), write8(to, 0x0d), write8(to, 1), write8(to, 1), write8(to, 4);
}

static void jpeg_descriptors(struct writer *to) {
    write8(to, 11), write8(to, interface_descriptor), write8(to, 6), write8(to, jpeg_format), write8(to, jpeg_sizes);
    write8(to, 0), write8(to, 1), write32(to, 0);
    frames(to, 7, jpeg_size, jpeg_sizes);
}

static void yuyv_descriptors(struct writer *to) {
    static const uint8_t guid[16] = {'Y', 'U', 'Y', '2', 0, 0, 0x10, 0, 0x80, 0, 0, 0xaa, 0, 0x38, 0x9b, 0x71};
    write8(to, 27), write8(to, interface_descriptor), write8(to, 4), write8(to, yuyv_format), write8(to, yuyv_sizes);
    write_all(to, guid, sizeof guid);
    write8(to, 16), write8(to, 1), write32(to, 0);
    frames(to, 5, yuyv_size, yuyv_sizes);
}

/// One alternate setting without bandwidth, and two with one and three packets of 1024 bytes in each microframe.
static void streaming_interface(struct writer *to) {
    interface(to, 1, 0, 0, 2, no_string);
    size_t start = to->count;
    write8(to, 15), write8(to, interface_descriptor), write8(to, 1), write8(to, 2), write16(to, 0);
    write8(to, 0x80 | endpoint), write8(to, 0), write8(to, output_terminal);
    write8(to, 0), write8(to, 0), write8(to, 0);
    write8(to, 1), write8(to, 0), write8(to, 0);
    jpeg_descriptors(to);
    yuyv_descriptors(to);
    to->bytes[start + 4] = (uint8_t)(to->count - start);
    to->bytes[start + 5] = (uint8_t)((to->count - start) >> 8);

    static const uint16_t packet_size[] = {0x0400, 0x1400};
    for (unsigned index = 0; index < 2; index++) {
        interface(to, 1, index + 1, 1, 2, no_string);
        write8(to, 7), write8(to, 5), write8(to, 0x80 | endpoint), write8(to, 5), write16(to, packet_size[index]), write8(to, 1);
    }
}

static int configuration(const struct camera *camera, uint8_t *data) {
    struct writer to = {data, 0};
    write8(&to, 9), write8(&to, configuration_kind), write16(&to, 0);
    write8(&to, 2), write8(&to, 1), write8(&to, 0), write8(&to, 0x80), write8(&to, 250);
    // The two interfaces are one function; the driver appends its name to the product's.
    write8(&to, 8), write8(&to, 0x0b), write8(&to, 0), write8(&to, 2);
    write8(&to, video_class), write8(&to, 3), write8(&to, 0), write8(&to, model_string);
    control_interface(camera, &to);
    streaming_interface(&to);
    data[2] = (uint8_t)to.count;
    data[3] = (uint8_t)(to.count >> 8);
    return (int)to.count;
}

/// A text in UTF-16; number 0 is the list of languages.
static int text(const struct camera *camera, uint8_t number, uint8_t *data) {
    const struct identity *identity = &camera->identity;
    const char *texts[] = {"", identity->maker, identity->model, identity->serial};
    if (number >= sizeof texts / sizeof *texts) return -1;
    struct writer to = {data, 2};
    if (number == 0) write16(&to, 0x0409);
    for (const char *letter = texts[number]; *letter && to.count < 254; letter++) write16(&to, (unsigned char)*letter);
    data[0] = (uint8_t)to.count;
    data[1] = string_kind;
    return (int)to.count;
}

int descriptor_answer(const struct camera *camera, uint8_t kind, uint8_t number, uint8_t *data) {
    switch (kind) {
    case device_kind: return device(camera, data);
    case configuration_kind: return configuration(camera, data);
    case string_kind: return text(camera, number, data);
    default: return -1;
    }
}
