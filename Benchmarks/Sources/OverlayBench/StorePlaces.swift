// Part of gst-capture. Apache License 2.0, see LICENSE.

import COverlayBench
import OverlayCompositor
import PipelineKit

/// Where a plan changes frames, in blocks of sixteen bytes, as few as there can be. Found by looking at frames before
/// and after: it knows nothing of how a plan is made.
struct StorePlaces: Sendable {
    /// Distances from the start of each plane.
    private let planes: [[UInt32]]

    /// All blocks.
    var count: Int { planes.reduce(0) { $0 + $1.count } }

    /// Bytes that change.
    let changedBytes: Int

    init(_ plan: OverlayPlan, _ kind: FrameKind) throws {
        // A line can have the very value of the ground: on three grounds it shows.
        let frames = try [0, 0x80, 0xFF].map { try Self.blended(plan, kind, ground: $0) }
        let planes = frames[0].indices.map { plane in
            frames[0][plane].indices.filter { index in frames.contains { $0[plane][index] } }
        }
        changedBytes = planes.reduce(0) { $0 + $1.count }
        self.planes = zip(planes, frames[0]).map { Self.blocks($0, end: $1.count) }
    }

    /// Writes to each.
    func store(into frame: inout WritableVideoFrame) {
        for plane in planes.indices {
            frame.withPlane(plane) { bytes, _ in
                bytes.withUnsafeMutableBytes { bench_store($0.baseAddress, planes[plane], planes[plane].count) }
            }
        }
    }

    /// Which bytes of each plane change on a ground of this value.
    private static func blended(_ plan: OverlayPlan, _ kind: FrameKind, ground: UInt8) throws -> [[Bool]] {
        var changed: [[Bool]] = []
        _ = try FramePool(kind.info()).makeFrame { frame in
            for plane in 0..<frame.planeCount {
                frame.withPlane(plane) { bytes, _ in
                    bytes.withUnsafeMutableBytes { for index in $0.indices { $0[index] = ground } }
                }
            }
            plan.blend(into: &frame)
            for plane in 0..<frame.planeCount {
                frame.withPlane(plane) { bytes, _ in
                    changed.append(bytes.withUnsafeMutableBytes { $0.map { $0 != ground } })
                }
            }
        }
        return changed
    }

    private static func blocks(_ indices: [Int], end: Int) -> [UInt32] {
        var blocks: [UInt32] = []
        var free = 0
        for index in indices where index >= free {
            blocks.append(UInt32(max(0, min(index, end - 16))))
            free = index + 16
        }
        return blocks
    }
}
