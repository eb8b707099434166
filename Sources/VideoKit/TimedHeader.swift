// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// The header of a movie, a track or its media: `mvhd`, `tkhd` or `mdhd` (ISO/IEC 14496-12, 8.2.2, 8.3.2, 8.4.2).
struct TimedHeader: Sendable {
    private let type: FourCC
    private let flags: UInt32
    private let creation: UInt64
    private let modification: UInt64
    /// The ID of a track; the timescale of others, in units a second.
    var scaleOrID: UInt32
    /// The duration in its timescale; a track's is in the timescale of the movie.
    var duration: UInt64
    /// The fields after the duration.
    private let rest: [UInt8]

    /// Reads a header.
    ///
    /// - Throws: ``CaptureError`` of kind `inputOutput` if it is too short, or its timescale is 0.
    init(_ box: Box, in bytes: [UInt8]) throws(CaptureError) {
        var reader = ByteReader(bytes, box.content)
        let (version, flags) = try reader.versionAndFlags()
        (type, self.flags) = (box.type, flags)
        creation = try reader.number(version: version)
        modification = try reader.number(version: version)
        scaleOrID = try reader.uint32()
        if box.type == "tkhd" { try reader.skip(4) }
        duration = try reader.number(version: version)
        rest = reader.rest()
        guard scaleOrID > 0 else { throw .damagedMovie("a timescale or a track ID is 0") }
    }

    /// Writes the header, with 64-bit times only if they need them.
    func write(to writer: inout BoxWriter) {
        let isLarge = max(creation, modification, duration) > UInt64(UInt32.max)
        writer.fullBox(type, version: isLarge ? 1 : 0, flags: flags) { writer in
            writer.put(creation, isLarge: isLarge)
            writer.put(modification, isLarge: isLarge)
            writer.put(scaleOrID)
            if type == "tkhd" { writer.zeros(4) }
            writer.put(duration, isLarge: isLarge)
            writer.put(rest)
        }
    }
}

extension BoxWriter {
    /// Appends a number in 64 bits, or in its lower 32.
    mutating func put(_ value: UInt64, isLarge: Bool) {
        if isLarge { put(value) } else { put(UInt32(truncatingIfNeeded: value)) }
    }
}

/// Conversions between timescales. Results are rounded to the nearest unit, and limited so that sums do not overflow.
enum Timescale {
    private static let most: Int128 = 1 << 60
    private static let nanoseconds: UInt32 = 1_000_000_000

    /// Returns a time in another timescale. A scale must not be 0.
    static func convert(_ time: Int, from scale: UInt32, to other: UInt32) -> Int {
        let product = Int128(time) * Int128(other)
        let half = Int128(scale) / 2
        let rounded = (product + (product < 0 ? -half : half)) / Int128(scale)
        return Int(max(-most, min(most, rounded)))
    }

    /// Returns a time in nanoseconds.
    static func nanoseconds(_ time: Int, in scale: UInt32) -> Int { convert(time, from: scale, to: nanoseconds) }

    /// Returns nanoseconds in a timescale.
    static func ticks(_ nanoseconds: Int, in scale: UInt32) -> Int {
        convert(nanoseconds, from: Self.nanoseconds, to: scale)
    }
}
