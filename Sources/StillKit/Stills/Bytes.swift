// Part of gst-capture. Apache License 2.0, see LICENSE.

extension FixedWidthInteger {
    /// The bytes in little-endian order.
    var bytes: [UInt8] { withUnsafeBytes(of: littleEndian) { Array($0) } }
    /// The bytes in big-endian order.
    var networkBytes: [UInt8] { withUnsafeBytes(of: bigEndian) { Array($0) } }
}

extension [UInt8] {
    /// Returns the bytes with others in place of a range; an empty range inserts them.
    func with(_ others: [UInt8], inPlaceOf range: Range<Int>) -> [UInt8] {
        var result = self
        result.replaceSubrange(range, with: others)
        return result
    }
}
