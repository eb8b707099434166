// Part of gst-capture. Apache License 2.0, see LICENSE.
//
// Controls of the camera, and the negotiation of formats (USB Video Class 1.1, chapter 4).

#include "bytes.h"
#include "camera.h"
#include <math.h>
#include <string.h>

enum { camera_terminal = 1, processing_unit };
enum { wrong_state = 2, invalid_control = 6 };
/// Values of the auto exposure mode: manual, and automatic time.
enum { exposure_by_hand = 1, aperture_priority = 8 };

static const struct control table[control_count] = {
    // Brightness, contrast, saturation, white balance by temperature.
    {processing_unit, 0x02, 0, 2, -64, 64, 1, 0, 0, 0},
    {processing_unit, 0x03, 1, 2, 0, 100, 1, 50, 0, 0},
    {processing_unit, 0x07, 3, 2, 0, 100, 1, 64, 0, 0},
    {processing_unit, 0x0a, 6, 2, 2800, 6500, 10, 4600, 0x0b, 0},
    // Backlight compensation, gain, power line frequency, automatic white balance.
    {processing_unit, 0x01, 8, 2, 0, 1, 1, 0, 0, 0},
    {processing_unit, 0x04, 9, 2, 0, 255, 1, 32, 0, 0},
    {processing_unit, 0x05, 10, 1, 0, 2, 1, 1, 0, 0},
    {processing_unit, 0x0b, 12, 1, 0, 1, 1, 1, 0, 0},
    // Auto exposure mode, exposure time, focus, zoom, automatic focus. The resolution of the first one has its modes.
    {camera_terminal, 0x02, 1, 1, exposure_by_hand, aperture_priority, exposure_by_hand | aperture_priority, aperture_priority, 0, 0},
    {camera_terminal, 0x04, 3, 4, 1, 10000, 1, 156, 0x02, 0},
    {camera_terminal, 0x06, 5, 2, 0, 250, 5, 0, 0x08, 0},
    {camera_terminal, 0x0b, 9, 2, 100, 400, 1, 100, 0, 0},
    {camera_terminal, 0x08, 17, 1, 0, 1, 1, 1, 0, 0},
};

void controls_reset(struct camera *camera) {
    memcpy(camera->controls, table, sizeof table);
    for (int index = 0; index < control_count; index++) camera->controls[index].value = table[index].initial;
    camera->refusal = 0;
    // The light stays.
    controls_set_light(camera, camera->light);
}

static struct control *find(struct camera *camera, unsigned entity, unsigned selector) {
    for (int index = 0; index < control_count; index++) {
        struct control *control = &camera->controls[index];
        if (control->entity == entity && control->selector == selector) return control;
    }
    return NULL;
}

/// `true` if the camera currently sets this control automatically, and therefore refuses a value from the host.
static bool is_automatic(struct camera *camera, const struct control *control) {
    const struct control *switch_ = control->automatic ? find(camera, control->entity, control->automatic) : NULL;
    if (!switch_) return false;
    return switch_->maximum == aperture_priority ? switch_->value != exposure_by_hand : switch_->value != 0;
}

static struct control *exposure_time(struct camera *camera) { return find(camera, camera_terminal, 0x04); }

void controls_set_light(struct camera *camera, unsigned percent) {
    camera->light = percent > 0 ? percent : 1;
    struct control *time = exposure_time(camera);
    if (!is_automatic(camera, time)) return;
    int32_t value = (int32_t)(time->initial * 100 / (int32_t)camera->light);
    time->value = value < time->minimum ? time->minimum : value > time->maximum ? time->maximum : value;
}

double controls_luma(struct camera *camera) {
    const struct control *time = exposure_time(camera);
    // The gamma of a camera (ITU-R BT.709 without its straight part).
    return pow((double)time->value * camera->light / (time->initial * 100.0), 1 / 2.2);
}

static int store(struct camera *camera, struct control *control, const uint8_t *data) {
    uint8_t bytes[4] = {0};
    memcpy(bytes, data, control->size);
    int32_t value = (int32_t)read32(bytes);
    control->value = control->size == 2 ? (int16_t)value : value;
    // Exposure may have become automatic.
    controls_set_light(camera, camera->light);
    return 0;
}

int controls_answer(struct camera *camera, const struct request *request, uint8_t *data) {
    unsigned entity = request->index >> 8, selector = request->value >> 8;
    if (entity == 0 && selector == 2 && request->code == get_current) {
        data[0] = camera->refusal;
        return 1;
    }
    struct control *control = find(camera, entity, selector);
    if (!control) {
        camera->refusal = invalid_control;
        return -1;
    }
    int32_t value;
    switch (request->code) {
    case set_current:
        if (!is_automatic(camera, control)) return store(camera, control, data);
        camera->refusal = wrong_state;
        return -1;
    case get_length: data[0] = control->size, data[1] = 0; return 2;
    case get_info: data[0] = 3; return 1;
    case get_current: value = control->value; break;
    case get_minimum: value = control->minimum; break;
    case get_maximum: value = control->maximum; break;
    case get_resolution: value = control->resolution; break;
    case get_default: value = control->initial; break;
    default: return -1;
    }
    store32(data, (uint32_t)value);
    return control->size;
}

/// Changes a proposal to the nearest one that this camera supports.
static void settle(uint8_t *terms) {
    uint8_t format = terms[2] == yuyv_format ? yuyv_format : jpeg_format;
    uint8_t count = format == yuyv_format ? yuyv_sizes : jpeg_sizes;
    uint8_t frame = terms[3] >= 1 && terms[3] <= count ? terms[3] : 1;
    struct size size = format == yuyv_format ? yuyv_size[frame - 1] : jpeg_size[frame - 1];
    uint32_t wanted = read32(terms + 4);
    memset(terms + 8, 0, negotiation_size - 8);
    terms[2] = format;
    terms[3] = frame;
    store32(terms + 4, wanted > (intervals[0] + intervals[1]) / 2 ? intervals[1] : intervals[0]);
    store32(terms + 18, size.width * size.height * 2u);
    store32(terms + 22, 3 * 1024);
    store32(terms + 26, 48000000);
    terms[30] = 3;
    terms[31] = terms[32] = terms[33] = 1;
}

int negotiation_answer(struct camera *camera, const struct request *request, uint8_t *data) {
    unsigned selector = request->value >> 8;
    if (selector != 1 && selector != 2) return -1;
    uint8_t *terms = selector == 1 ? camera->proposal : camera->agreement;
    switch (request->code) {
    case set_current:
        memset(terms, 0, negotiation_size);
        memcpy(terms, data, request->length < negotiation_size ? request->length : negotiation_size);
        settle(terms);
        return 0;
    case get_length: data[0] = negotiation_size, data[1] = 0; return 2;
    case get_info: data[0] = 3; return 1;
    case get_default: memset(data, 0, negotiation_size); break;
    case get_current:
    case get_minimum:
    case get_maximum: memcpy(data, terms, negotiation_size); break;
    default: return -1;
    }
    settle(data);
    return negotiation_size;
}
