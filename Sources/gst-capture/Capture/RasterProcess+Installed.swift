// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import OverlayCompositor

extension RasterProcess {
    /// Returns the rasterizer that was installed with this program.
    ///
    /// - Throws: ``CaptureError`` if it is missing.
    static func installed() throws(CaptureError) -> RasterProcess {
        do throws(OverlayError) { return try standard() } catch { throw CaptureError(error) }
    }
}
