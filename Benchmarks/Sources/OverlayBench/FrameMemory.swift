// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc
import PipelineKit

/// Memory as large as a frame.
///
/// `@unchecked Sendable`: one pointer to bytes that are written once, before they are shared.
final class FrameMemory: @unchecked Sendable {
    private let bytes: UnsafeMutableRawBufferPointer

    init(byteCount: Int) {
        bytes = .allocate(byteCount: byteCount, alignment: 64)
        bytes.initializeMemory(as: UInt8.self, repeating: 0x80)
    }

    deinit { bytes.deallocate() }

    /// Copies itself over a frame, plane by plane (`memcpy`).
    func copy(into frame: inout WritableVideoFrame) {
        for plane in 0..<frame.planeCount {
            frame.withPlane(plane) { target, layout in
                target.withUnsafeMutableBytes { target in
                    let count = min(target.count, bytes.count - layout.offset)
                    guard let start = target.baseAddress, let source = bytes.baseAddress else { return }
                    memcpy(start, source + layout.offset, count)
                }
            }
        }
    }
}
