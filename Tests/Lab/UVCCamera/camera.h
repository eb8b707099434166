// Part of gst-capture. Apache License 2.0, see LICENSE.
//
// The camera as the host sees it: descriptors, controls and the streamed pictures. It does not depend on the transport
// of requests.

#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The texts and numbers of the device descriptor.
struct identity {
    uint16_t vendor, product;
    const char *maker, *model;
    /// Empty for a camera without a serial number.
    const char *serial;
};

/// A control of the camera terminal or the processing unit, with its values in the order of UVC's requests.
struct control {
    uint8_t entity, selector, bit, size;
    int32_t minimum, maximum, resolution, initial;
    /// The selector of the control that sets this one automatically, or 0.
    uint8_t automatic;
    int32_t value;
};

/// A JPEG file that is served verbatim.
struct picture {
    uint8_t *bytes;
    size_t count;
};

enum {
    jpeg_sizes = 3,
    yuyv_sizes = 2,
    largest_list = 64,
    control_count = 13,
    negotiation_size = 34,
    endpoint = 1,
};

/// Faults that the camera has on demand.
struct faults {
    /// No picture is delivered, but requests are answered.
    bool frozen;
    /// The number of next pictures that end in the middle, or begin with bytes that are not JPEG.
    unsigned cut, junk;
};

struct camera {
    struct identity identity;
    struct faults faults;
    struct control controls[control_count];
    /// The light on the scene, in percent of the light for which the first exposure time is right.
    unsigned light;
    /// `true` to draw a flash a second instead of bars of color.
    bool flashes;
    /// `true` if the last picture was one of a flash.
    bool was_bright;
    /// The reason for the last refusal, which the host can query (VC_REQUEST_ERROR_CODE_CONTROL).
    uint8_t refusal;

    struct picture pictures[jpeg_sizes][largest_list];
    size_t picture_count[jpeg_sizes];

    /// The last proposal of the host, and the negotiated terms (VS_PROBE_CONTROL, VS_COMMIT_CONTROL).
    uint8_t proposal[negotiation_size], agreement[negotiation_size];
    uint8_t alternate_setting;

    /// The picture in transfer: sent up to `position`; a second buffer for pictures that are drawn or damaged.
    const uint8_t *bytes;
    size_t count, position;
    uint8_t *scratch;
    uint64_t number;
    bool parity;
    /// The time of the next picture, in units of 100 ns of the monotonic clock.
    int64_t due;
};

/// The largest answer to a request.
enum { largest_answer = 1024 };

/// A request of the host (USB 2.0, 9.3).
struct request {
    uint8_t type, code;
    uint16_t value, index, length;
};

/// Prepares a camera that serves the files FOLDER/WIDTHxHEIGHT/*.jpg; `false` if there is no memory.
bool camera_load(struct camera *camera, const char *folder);

/// Resets the state that a camera loses without power.
void camera_reset(struct camera *camera);

/// Answers a request. `data` has the host's bytes, and receives the answer of at most `largest_answer` bytes. Returns
/// the number of bytes, or -1 for a refusal (STALL).
int camera_answer(struct camera *camera, const struct request *request, uint8_t *data);

/// Fills one packet of the stream; returns the number of bytes, 0 between pictures.
size_t camera_fill(struct camera *camera, uint8_t *packet, size_t room);

/// Begins the next picture if it is due; `true` if there are bytes to send.
bool camera_advance(struct camera *camera);

/// `true` if pictures are streamed without further requests.
bool camera_streams(const struct camera *camera);

/// Monotonic time in units of 100 ns, the unit of UVC.
int64_t camera_clock(void);

// descriptors.c
int descriptor_answer(const struct camera *camera, uint8_t kind, uint8_t number, uint8_t *data);

// controls.c
void controls_reset(struct camera *camera);

/// Changes the light on the scene, at first 100 percent. Automatic exposure follows at once.
void controls_set_light(struct camera *camera, unsigned percent);

/// The factor of the luma of a picture: 1 if exposure and light are those of the start.
double controls_luma(struct camera *camera);

int controls_answer(struct camera *camera, const struct request *request, uint8_t *data);
int negotiation_answer(struct camera *camera, const struct request *request, uint8_t *data);

/// Frame sizes, in the order of their numbers, which begin at 1.
struct size {
    uint16_t width, height;
};
extern const struct size jpeg_size[jpeg_sizes], yuyv_size[yuyv_sizes];
extern const uint32_t intervals[2];
enum { jpeg_format = 1, yuyv_format = 2 };

/// The requests of UVC 1.1, A.8.
enum {
    set_current = 0x01,
    get_current = 0x81,
    get_minimum,
    get_maximum,
    get_resolution,
    get_length,
    get_info,
    get_default,
};
