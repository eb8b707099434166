// Part of gst-capture. Apache License 2.0, see LICENSE.
//
// Cairo, Pango, librsvg, GdkPixbuf and fontconfig for Swift.

#ifndef CRASTER_SHIM_H
#define CRASTER_SHIM_H

#include <cairo.h>
#include <fontconfig/fontconfig.h>
#include <gdk-pixbuf/gdk-pixbuf.h>
#include <librsvg/rsvg.h>
#include <pango/pangocairo.h>

#endif
