// Part of gst-capture. Apache License 2.0, see LICENSE.

#include <mosquitto.h>
#include <mqtt_protocol.h>
#include <sys/eventfd.h>
