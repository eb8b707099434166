// Part of gst-capture. Apache License 2.0, see LICENSE.
//
// A port of the kernel's virtual host controller, vhci_hcd, which talks USB/IP (Documentation/usb/usbip_protocol.rst).

#pragma once
#include "camera.h"

enum { pending_transfers = 64 };

/// A pending request for a part of the stream.
struct transfer {
    uint32_t number, length, packets;
    /// Offset, length, actual length and status of each packet, in network order.
    uint32_t *layout;
};

struct port {
    unsigned number;
    /// The socket to the kernel; -1 while the camera is unplugged.
    int wire;
    /// No request is answered.
    bool hangs;
    /// The delay of each answer.
    unsigned delay_ms;
    struct transfer transfers[pending_transfers];
    int transfer_count;
};

/// Plugs the camera in; `false`, with a message, if the kernel refuses.
bool port_plug(struct port *port, struct camera *camera);

/// Unplugs the camera, as a hand does: the kernel notices it by the socket.
void port_unplug(struct port *port);

/// Reads one message of the host and answers it; `false` if the host has hung up.
bool port_receive(struct port *port, struct camera *camera);

/// Sends as much of the stream as the host has requested and the camera has.
void port_stream(struct port *port, struct camera *camera);
