// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// A picture that is encoded, and has its name and number, but is on no disk yet.
struct EncodedStill: Sendable {
    /// Its record; the time that storing takes is not known yet.
    let still: Still
    /// The file.
    let bytes: [UInt8]
    /// What describes it in a side file; `nil` for pictures that say themselves what they are.
    let description: [UInt8]?
    /// Where it belongs.
    let path: String
    /// When it was encoded.
    let encoded: ClockTime

    /// The memory that it takes.
    var byteCount: Int { bytes.count + (description?.count ?? 0) }

    /// The path of the side file.
    static func sidePath(of path: String) -> String { path + ".json" }
}
