// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import OverlayCompositor

extension RasterProcess {
    /// What draws, as it was installed with this program; its absence told as the command tells errors.
    static func installed() throws(CaptureError) -> RasterProcess {
        do throws(OverlayError) { return try standard() } catch { throw CaptureError(error) }
    }
}
