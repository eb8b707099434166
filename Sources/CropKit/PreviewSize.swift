// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit
import StillKit

/// The size of the preview, in square pixels.
package struct PreviewSize: Sendable, Hashable {
    package let width: Int
    package let height: Int

    /// The size that a preview fits into, unless the user requests another.
    package static let limit = PreviewSize(width: 1280, height: 720)

    package init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// Creates the size of a preview of turned frames, scaled down to ``limit`` if they are larger.
    package init(fitting info: VideoInfo, _ orientation: Orientation) {
        let shown = (width: Double(info.height) * Self.aspect(info), height: Double(info.height))
        let (width, height) = orientation.swapsAxes ? (shown.height, shown.width) : shown
        let scale = min(1, Double(Self.limit.width) / width, Double(Self.limit.height) / height)
        if scale == 1, info.width == Int(shown.width.rounded()) {
            // The frame keeps its size, even if it is odd: the scaler has nothing to do.
            self = PreviewSize(width: info.width, height: info.height).turned(by: orientation)
        } else {
            self.init(width: Self.even(width * scale), height: Self.even(height * scale))
        }
    }

    /// Returns the size after turning; also the size before turning, as the swap is its own inverse.
    package func turned(by orientation: Orientation) -> PreviewSize {
        orientation.swapsAxes ? PreviewSize(width: height, height: width) : self
    }

    /// Returns the width divided by the height of a shown frame. Pixels count as square if their shape is unknown.
    package static func aspect(_ info: VideoInfo) -> Double {
        let pixel = info.pixelAspectRatio
        let isKnown = pixel.numerator > 0 && pixel.denominator > 0
        let ratio = isKnown ? Double(pixel.numerator) / Double(pixel.denominator) : 1
        return Double(info.width) / Double(info.height) * ratio
    }

    /// Returns the nearest even length, 2 to 16,384, which chroma subsampling can halve.
    package static func even(_ length: Double) -> Int { Int((min(max(2, length), 16384) / 2).rounded()) * 2 }
}
