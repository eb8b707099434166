// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

@testable import VideoKit

extension EncodedUnit {
    /// A unit that no encoder has made.
    static func made(_ milliseconds: Int, isKey: Bool = false, bytes: Int = 1) throws -> EncodedUnit {
        let buffer = try Buffer(repeatElement(0, count: bytes))
        return EncodedUnit(
            Sample(buffer, caps: try Caps("video/x-h264")), time: .zero + .milliseconds(milliseconds), isKey: isKey)
    }

    /// The capture time in milliseconds.
    var milliseconds: Int { Int(time.nanoseconds / 1_000_000) }
}
