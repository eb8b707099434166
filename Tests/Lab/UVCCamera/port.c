// Part of gst-capture. Apache License 2.0, see LICENSE.

#include "port.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define CONTROLLER "/sys/devices/platform/vhci_hcd.0/"

enum { submit = 1, unlink_transfer, submitted, unlinked };
enum { largest_transfer = 1 << 20, largest_layout = 256 };

/// The header of all messages, as 12 words in network order; the last two are a request in USB's byte order.
enum header {
    command,
    sequence,
    device,
    direction,
    number_of_endpoint,
    /// The transfer's flags or the transfer to cancel in a message of the host; the status in an answer.
    flags_or_status,
    length,
    start_frame,
    number_of_packets,
    interval_or_errors,
    setup,
    header_words = setup + 2,
};

static void pause_ms(unsigned milliseconds) {
    struct timespec span = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
    nanosleep(&span, NULL);
}

// --- Plugging --------------------------------------------------------------------------------------------------------

static bool tell_controller(const char *file, const char *line) {
    int descriptor = open(file, O_WRONLY | O_CLOEXEC);
    if (descriptor < 0) return false;
    bool is_written = write(descriptor, line, strlen(line)) == (ssize_t)strlen(line);
    int error = errno;
    close(descriptor);
    errno = error;
    return is_written;
}

static bool attach(struct port *port) {
    int wire[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, wire) < 0) return false;
    int room = largest_transfer;
    setsockopt(wire[0], SOL_SOCKET, SO_SNDBUFFORCE, &room, sizeof room);
    enum { high_speed = 3 };
    char line[64];
    snprintf(line, sizeof line, "%u %d %u %d", port->number, wire[1], 0x10001 + port->number, high_speed);
    bool is_attached = tell_controller(CONTROLLER "attach", line);
    int error = errno;
    close(wire[1]);
    if (is_attached) {
        port->wire = wire[0];
    } else {
        close(wire[0]);
    }
    errno = error;
    return is_attached;
}

bool port_plug(struct port *port, struct camera *camera) {
    if (port->wire >= 0) return true;
    camera_reset(camera);
    port->hangs = false;
    // The kernel cleans up after an earlier camera in the background, and has no event for the end of that.
    for (int attempt = 0; attempt < 300; attempt++) {
        if (attach(port)) return true;
        if (errno != EBUSY) break;
        pause_ms(100);
    }
    fprintf(stderr, "uvc-camera: port %u: %s; load vhci-hcd, or choose a free port\n", port->number, strerror(errno));
    return false;
}

static void forget(struct port *port, int index) {
    free(port->transfers[index].layout);
    port->transfer_count--;
    memmove(port->transfers + index, port->transfers + index + 1, (port->transfer_count - index) * sizeof *port->transfers);
}

void port_unplug(struct port *port) {
    if (port->wire < 0) return;
    char line[16];
    snprintf(line, sizeof line, "%u", port->number);
    tell_controller(CONTROLLER "detach", line);
    close(port->wire);
    port->wire = -1;
    while (port->transfer_count > 0) forget(port, 0);
}

// --- Messages --------------------------------------------------------------------------------------------------------

/// Sends all bytes. If the host has hung up, the next read detects it.
static void send_all(int wire, const void *bytes, size_t count) {
    const uint8_t *rest = bytes;
    while (count > 0) {
        ssize_t sent = send(wire, rest, count, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0) return;
        rest += sent;
        count -= (size_t)sent;
    }
}

static bool receive_all(int wire, void *bytes, size_t count) {
    return count == 0 || recv(wire, bytes, count, MSG_WAITALL) == (ssize_t)count;
}

static void send_answer(const struct port *port, uint32_t kind, uint32_t number, int status, size_t actual, uint32_t packets) {
    uint32_t header[header_words] = {0};
    header[command] = htonl(kind);
    header[sequence] = htonl(number);
    header[flags_or_status] = htonl((uint32_t)status);
    header[length] = htonl((uint32_t)actual);
    header[number_of_packets] = htonl(packets);
    send_all(port->wire, header, sizeof header);
}

/// A request on endpoint 0. A request that hangs gets no answer, and the host cancels it after a timeout.
static void answer_request(struct port *port, struct camera *camera, const uint32_t *header, uint8_t *data, size_t sent) {
    if (port->hangs) return;
    if (port->delay_ms > 0) pause_ms(port->delay_ms);
    const uint8_t *bytes = (const uint8_t *)(header + setup);
    struct request request = {
        bytes[0], bytes[1], (uint16_t)(bytes[2] | bytes[3] << 8), (uint16_t)(bytes[4] | bytes[5] << 8),
        (uint16_t)(bytes[6] | bytes[7] << 8),
    };
    int count = camera_answer(camera, &request, data);
    if (count < 0) {
        send_answer(port, submitted, header[sequence], -EPIPE, 0, 0);
        return;
    }
    bool is_reading = header[direction] != 0;
    size_t answered = (size_t)count < request.length ? (size_t)count : request.length;
    send_answer(port, submitted, header[sequence], 0, is_reading ? answered : sent, 0);
    if (is_reading) send_all(port->wire, data, answered);
}

/// A request for a part of the stream, which is answered once there is one.
static bool keep_transfer(struct port *port, const uint32_t *header) {
    uint32_t packets = header[number_of_packets];
    if (packets > largest_layout || header[length] > largest_transfer) return false;
    struct transfer transfer = {header[sequence], header[length], packets, malloc(packets * 16 + 1)};
    if (!transfer.layout || !receive_all(port->wire, transfer.layout, packets * 16)) {
        free(transfer.layout);
        return false;
    }
    if (port->transfer_count == pending_transfers) {
        free(transfer.layout);
        send_answer(port, submitted, transfer.number, -EPIPE, 0, 0);
    } else {
        port->transfers[port->transfer_count++] = transfer;
    }
    return true;
}

static void cancel_transfer(struct port *port, const uint32_t *header) {
    // A request that hangs was never answered, so the host can cancel it.
    bool is_pending = port->hangs;
    for (int index = 0; index < port->transfer_count; index++) {
        if (port->transfers[index].number != header[flags_or_status]) continue;
        forget(port, index);
        is_pending = true;
        break;
    }
    send_answer(port, unlinked, header[sequence], is_pending ? -ECONNRESET : 0, 0, 0);
}

bool port_receive(struct port *port, struct camera *camera) {
    uint32_t header[header_words];
    if (!receive_all(port->wire, header, sizeof header)) return false;
    for (int word = 0; word < setup; word++) header[word] = ntohl(header[word]);
    if (header[command] == unlink_transfer) {
        cancel_transfer(port, header);
        return true;
    }
    if (header[command] != submit) return false;
    if (header[number_of_endpoint] != 0) return keep_transfer(port, header);

    uint8_t data[largest_answer] = {0};
    size_t sent = header[direction] == 0 ? header[length] : 0;
    if (sent > sizeof data || !receive_all(port->wire, data, sent)) return false;
    answer_request(port, camera, header, data, sent);
    return true;
}

// --- The stream ------------------------------------------------------------------------------------------------------

void port_stream(struct port *port, struct camera *camera) {
    static uint8_t data[largest_transfer];
    enum { packet_length = 1, actual_length, packet_status, layout_words };
    while (port->wire >= 0 && port->transfer_count > 0 && !port->hangs && camera_advance(camera)) {
        struct transfer *transfer = &port->transfers[0];
        size_t filled = 0;
        for (uint32_t packet = 0; packet < transfer->packets; packet++) {
            uint32_t *layout = transfer->layout + packet * layout_words;
            size_t room = ntohl(layout[packet_length]);
            if (room > sizeof data - filled) room = sizeof data - filled;
            size_t count = camera_fill(camera, data + filled, room);
            layout[actual_length] = htonl((uint32_t)count);
            layout[packet_status] = 0;
            filled += count;
        }
        send_answer(port, submitted, transfer->number, 0, filled, transfer->packets);
        send_all(port->wire, data, filled);
        send_all(port->wire, transfer->layout, transfer->packets * 16);
        forget(port, 0);
    }
}
