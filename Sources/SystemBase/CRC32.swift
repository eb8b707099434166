// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The checksum of PNG chunks and ZIP files (ISO 3309).
package enum CRC32 {
    /// Returns the checksum of bytes.
    package static func checksum(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(~UInt32(0)) { table[Int(UInt8(truncatingIfNeeded: $0) ^ $1)] ^ ($0 >> 8) }
    }

    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1 }
    }
}
