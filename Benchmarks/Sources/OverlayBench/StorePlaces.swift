// Part of gst-capture. Apache License 2.0, see LICENSE.

import COverlayBench
import OverlayCompositor
import PipelineKit

/// The places where a plan changes frames, as the smallest number of blocks of sixteen bytes. They result from a
/// comparison of frames before and after, independently of the plan's structure.
struct StorePlaces: Sendable {
    /// The offsets from the start of each plane.
    private let planes: [[UInt32]]

    /// The number of blocks.
    var count: Int { planes.reduce(0) { $0 + $1.count } }

    /// The number of bytes that change.
    let changedBytes: Int

    init(_ plan: OverlayPlan, _ kind: FrameKind) throws {
        // A line can have the same value as the ground: three grounds reveal it.
        let frames = try [0, 0x80, 0xFF].map { try Self.blended(plan, kind, ground: $0) }
        let planes = frames[0].indices.map { plane in
            frames[0][plane].indices.filter { index in frames.contains { $0[plane][index] } }
        }
        changedBytes = planes.reduce(0) { $0 + $1.count }
        self.planes = zip(planes, frames[0]).map { Self.blocks($0, end: $1.count) }
    }

    /// Writes to each place.
    func store(into frame: inout WritableVideoFrame) {
        for plane in planes.indices {
            frame.withPlane(plane) { bytes, _ in
                bytes.withUnsafeMutableBytes { bench_store($0.baseAddress, planes[plane], planes[plane].count) }
            }
        }
    }

    /// The bytes of each plane that change on a ground of this value.
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
