// Part of gst-capture. Apache License 2.0, see LICENSE.

extension BinaryInteger {
    /// Returns the digits, with leading zeros if there are fewer than `width`.
    package func padded(to width: Int, radix: Int = 10) -> String {
        let digits = String(self, radix: radix)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}
