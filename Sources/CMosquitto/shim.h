// Part of gst-capture. Apache License 2.0, see LICENSE.

#include <mosquitto.h>
#include <mqtt_protocol.h>
#include <sys/eventfd.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

/// dup3(2), which the headers declare only with _GNU_SOURCE. No program that another thread starts inherits `target`.
static inline int cmosquitto_replace(int descriptor, int target)
{
    return (int)syscall(SYS_dup3, descriptor, target, O_CLOEXEC);
}
