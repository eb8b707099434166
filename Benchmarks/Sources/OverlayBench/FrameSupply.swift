// Part of gst-capture. Apache License 2.0, see LICENSE.

import COverlayBench

/// A few frames that pipelines use in turn, one pipeline after the other. The address of memory affects the time, so
/// the contestants share it.
final class FrameSupply {
    /// The number of frames.
    static let count = 3

    let kind: FrameKind
    let handle: OpaquePointer

    init(_ kind: FrameKind) throws {
        guard let handle = try bench_supply_new(kind.caps, kind.info().byteCount, UInt32(Self.count)) else {
            throw BenchError("no memory for frames of \(kind)")
        }
        (self.kind, self.handle) = (kind, handle)
    }

    deinit { bench_supply_free(handle) }
}
