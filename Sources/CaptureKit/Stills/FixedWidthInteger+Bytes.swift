// Part of gst-capture. Apache License 2.0, see LICENSE.

extension FixedWidthInteger {
    /// The bytes, the lowest first.
    var bytes: [UInt8] { withUnsafeBytes(of: littleEndian) { Array($0) } }
    /// The bytes, the highest first.
    var networkBytes: [UInt8] { withUnsafeBytes(of: bigEndian) { Array($0) } }
}
