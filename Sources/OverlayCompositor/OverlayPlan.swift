// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// What layers do to the frames of one format: just the pixels that they touch, ready to be blended in place.
///
/// Made once, off the streaming thread, and used for each frame; it never changes, and any thread may use it.
public final class OverlayPlan: Sendable {
    let format: PlanFormat
    let parts: [PlanPart]

    init(_ format: PlanFormat, _ parts: [PlanPart]) {
        self.format = format
        self.parts = parts
    }

    /// True where frames of this format, by GStreamer's name, can be drawn on.
    public static func takes(format: String) -> Bool { PlanePattern.planes(of: format) != nil }

    /// Bytes of a frame that are looked at.
    public var touchedBytes: Int { parts.reduce(0) { $0 + $1.planes.reduce(0) { $0 + $1.touchedBytes } } }

    /// Blends the layers into a frame. It allocates nothing and waits for nobody.
    ///
    /// A frame of another size or format stays as it is.
    public func blend(into frame: inout WritableVideoFrame) {
        guard frame.planeCount == format.planes.count else { return }
        for index in format.planes.indices {
            frame.withPlane(index) { bytes, layout in
                bytes.withUnsafeMutableBytes { memory in
                    guard let start = memory.baseAddress else { return }
                    for part in parts { part.planes[index].apply(to: start, layout) }
                }
            }
        }
    }
}

extension PlanePlan {
    fileprivate func apply(to start: UnsafeMutableRawPointer, _ layout: PlaneLayout) {
        guard layout.rows == rowCount, layout.rowBytes == rowBytes else { return }
        apply(to: start, stride: layout.stride)
    }
}
