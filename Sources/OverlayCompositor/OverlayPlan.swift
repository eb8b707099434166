// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// The pixels that layers touch in frames of one format, ready to be blended in place.
///
/// The planner makes a plan once, off the streaming thread, and the streaming thread applies it to each frame. A plan
/// never changes, and any thread may use it.
public final class OverlayPlan: Sendable {
    let format: PlanFormat
    let parts: [PlanPart]

    init(_ format: PlanFormat, _ parts: [PlanPart]) {
        self.format = format
        self.parts = parts
    }

    /// Returns `true` if overlays can be drawn on frames of this format (GStreamer's name).
    public static func takes(format: String) -> Bool {
        VideoFormat(format)?.sampleLayout.flatMap(PlanePattern.planes) != nil
    }

    /// The number of bytes of a frame that blending reads.
    public var touchedBytes: Int { parts.reduce(0) { $0 + $1.planes.reduce(0) { $0 + $1.touchedBytes } } }

    /// Blends the layers into a frame. It neither allocates nor waits.
    ///
    /// The frame must have the format of the plan, which is not checked. A plane of another size stays unchanged, and
    /// so does a frame with another number of planes.
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
