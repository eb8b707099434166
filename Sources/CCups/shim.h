// Part of gst-capture. Apache License 2.0, see LICENSE.

#ifndef CCUPS_SHIM_H
#define CCUPS_SHIM_H

#include <cups/cups.h>

#endif
