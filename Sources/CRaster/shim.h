// Part of gst-capture. Apache License 2.0, see LICENSE.
//
// Cairo, Pango, librsvg and GdkPixbuf for Swift, and just what Swift cannot import by itself: each with its reason.
// Prefix: craster_.

#ifndef CRASTER_SHIM_H
#define CRASTER_SHIM_H

#include <cairo.h>
#include <gdk-pixbuf/gdk-pixbuf.h>
#include <librsvg/rsvg.h>
#include <pango/pangocairo.h>

#endif
