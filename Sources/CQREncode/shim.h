// Part of gst-capture. Apache License 2.0, see LICENSE.

#include <qrencode.h>
