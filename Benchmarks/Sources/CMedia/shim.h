// Part of gst-capture. Apache License 2.0, see LICENSE.
//
// The headers and libraries that the benchmarks' C code needs.

#ifndef CMEDIA_SHIM_H
#define CMEDIA_SHIM_H

#include <cairo.h>
#include <gst/gst.h>
#include <gst/video/video.h>
#include <librsvg/rsvg.h>

#endif
