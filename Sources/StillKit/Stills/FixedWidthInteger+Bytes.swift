// Part of gst-capture. Apache License 2.0, see LICENSE.

extension FixedWidthInteger {
    /// The bytes in little-endian order.
    var bytes: [UInt8] { withUnsafeBytes(of: littleEndian) { Array($0) } }
    /// The bytes in big-endian order.
    var networkBytes: [UInt8] { withUnsafeBytes(of: bigEndian) { Array($0) } }
}
