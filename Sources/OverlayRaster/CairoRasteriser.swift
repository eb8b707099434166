// Part of gst-capture. Apache License 2.0, see LICENSE.

import CRaster
import OverlayCompositor

/// Draws in this process, with cairo, Pango, librsvg and GdkPixbuf.
public struct CairoRasteriser: Sendable {
    public init() {}
}
