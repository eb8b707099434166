// Part of gst-capture. Apache License 2.0, see LICENSE.
//
// GLib for Swift, without GStreamer.

#ifndef CGLIB_SHIM_H
#define CGLIB_SHIM_H

#include <glib.h>

#endif
