// Part of gst-capture. Apache License 2.0, see LICENSE.

import OverlayRaster
import Testing
