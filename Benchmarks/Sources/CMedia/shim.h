// Part of gst-capture. Apache License 2.0, see LICENSE.
//
// What the benchmarks' C needs to be compiled and linked with.

#ifndef CMEDIA_SHIM_H
#define CMEDIA_SHIM_H

#include <cairo.h>
#include <gst/gst.h>
#include <gst/video/video.h>
#include <librsvg/rsvg.h>

#endif
