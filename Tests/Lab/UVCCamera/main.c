// Part of gst-capture. Apache License 2.0, see LICENSE.
//
// uvc-camera: a USB webcam in user space, on the kernel's virtual host controller. Linux' own driver uvcvideo drives it
// like any other webcam, so tests can cause the faults of real webcams.

#include "port.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char usage[] =
    "usage: uvc-camera [-p PORT] [-s SERIAL] [-m MAKER] [-n MODEL] [-i VENDOR:PRODUCT] [-d MILLISECONDS] [-f]\n"
    "                  FIFO FOLDER\n"
    "\n"
    "Plugs a webcam into port 0 to 7 of vhci_hcd, whose JPEG pictures are FOLDER/WIDTHxHEIGHT/*.jpg (1920x1080, 1280x720,\n"
    "640x480), served verbatim and repeatedly in the order of their names. It also has YUYV and controls.\n"
    "  -s  serial number; '' for none    -d  delay of each answer\n"
    "  -f  YUYV is dark, with a flash of 0.2 s at each full second of the monotonic clock. Prints a line for each: `flash`\n"
    "      and the nanoseconds of that clock when its first picture begins to be sent.\n"
    "\n"
    "It executes the commands that are written to FIFO, one a line:\n"
    "  unplug  plug [PORT]  freeze (no pictures)  hang (no answers at all)  thaw (neither)\n"
    "  cut N (the next N pictures end in the middle)  junk N (… begin with other bytes)  quit\n"
    "  light PERCENT (of the light at the start, for YUYV)\n";

static int fail(const char *what) {
    fprintf(stderr, "uvc-camera: %s: %s\n", what, strerror(errno));
    return 74;
}

// --- Commands --------------------------------------------------------------------------------------------------------

/// Executes one command line; `false` if it is the last.
static bool obey(const char *line, struct port *port, struct camera *camera) {
    char word[16] = "";
    unsigned number;
    bool has_number = sscanf(line, "%15s %u", word, &number) == 2;
    if (!strcmp(word, "quit")) return false;
    if (!strcmp(word, "unplug")) {
        port_unplug(port);
    } else if (!strcmp(word, "plug")) {
        if (has_number) port->number = number;
        return port_plug(port, camera);
    } else if (!strcmp(word, "freeze")) {
        camera->faults.frozen = true;
    } else if (!strcmp(word, "hang")) {
        port->hangs = true;
    } else if (!strcmp(word, "thaw")) {
        camera->faults.frozen = port->hangs = false;
    } else if (!strcmp(word, "cut") && has_number) {
        camera->faults.cut = number;
    } else if (!strcmp(word, "junk") && has_number) {
        camera->faults.junk = number;
    } else if (!strcmp(word, "light") && has_number) {
        controls_set_light(camera, number);
    } else {
        fprintf(stderr, "uvc-camera: no such command: %s\n", line);
    }
    return true;
}

/// Reads the FIFO and executes each complete line; an incomplete line is kept.
static bool obey_all(int fifo, struct port *port, struct camera *camera) {
    static char text[512];
    static size_t kept;
    ssize_t count = read(fifo, text + kept, sizeof text - 1 - kept);
    if (count <= 0) return true;
    kept += (size_t)count;
    text[kept] = 0;
    char *start = text, *end;
    while ((end = strchr(start, '\n'))) {
        *end = 0;
        if (!obey(start, port, camera)) return false;
        start = end + 1;
    }
    kept = strlen(start);
    if (kept == sizeof text - 1) kept = 0;
    memmove(text, start, kept + 1);
    return true;
}

// --- The loop --------------------------------------------------------------------------------------------------------

/// Milliseconds until the next picture is due; -1 if the host must act before the next one.
static int time_left(const struct port *port, const struct camera *camera) {
    if (port->wire < 0 || port->hangs || port->transfer_count == 0 || !camera_streams(camera)) return -1;
    int64_t left = camera->due - camera_clock();
    return left > 0 ? (int)(left / 10000) + 1 : 0;
}

static int serve(int fifo, struct port *port, struct camera *camera) {
    for (;;) {
        struct pollfd events[] = {{fifo, POLLIN, 0}, {port->wire, POLLIN, 0}};
        if (poll(events, 2, time_left(port, camera)) < 0 && errno != EINTR) return fail("poll");
        bool has_message = events[1].revents & (POLLIN | POLLHUP);
        if (has_message && !port_receive(port, camera)) port_unplug(port);
        if (events[0].revents & POLLIN && !obey_all(fifo, port, camera)) break;
        port_stream(port, camera);
    }
    port_unplug(port);
    return 0;
}

int main(int argc, char **argv) {
    static struct camera camera = {.identity = {0x1209, 0x0001, "Lab", "Lab Webcam", "LAB0001"}};
    struct port port = {.wire = -1};
    int option;
    unsigned vendor, product;
    while ((option = getopt(argc, argv, "p:s:m:n:i:d:f")) != -1) switch (option) {
        case 'p': port.number = (unsigned)atoi(optarg); break;
        case 's': camera.identity.serial = optarg; break;
        case 'm': camera.identity.maker = optarg; break;
        case 'n': camera.identity.model = optarg; break;
        case 'd': port.delay_ms = (unsigned)atoi(optarg); break;
        case 'f': camera.flashes = true; break;
        case 'i':
            if (sscanf(optarg, "%x:%x", &vendor, &product) == 2) {
                camera.identity.vendor = (uint16_t)vendor;
                camera.identity.product = (uint16_t)product;
                break;
            }
            // fallthrough
        default: fputs(usage, stderr); return 64;
        }
    if (argc - optind != 2) {
        fputs(usage, stderr);
        return 64;
    }
    signal(SIGPIPE, SIG_IGN);
    if (mkfifo(argv[optind], 0600) < 0 && errno != EEXIST) return fail(argv[optind]);
    // Opened for writing, too, so that the FIFO does not end with the first writer.
    int fifo = open(argv[optind], O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (fifo < 0) return fail(argv[optind]);
    if (!camera_load(&camera, argv[optind + 1])) return fail(argv[optind + 1]);
    return port_plug(&port, &camera) ? serve(fifo, &port, &camera) : 69;
}
