// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import Foundation

/// Hashes as bytes, which take half the space of their digits.
enum Hexadecimal {
    private static let digits = Array("0123456789abcdef".utf8)

    /// Returns the bytes of digits; `nil` if the text has others, or an odd number of them.
    static func data(_ text: String) -> Data? {
        var (data, high) = (Data(capacity: text.utf8.count / 2), UInt8?.none)
        for digit in text.utf8 {
            guard let value = value(of: digit) else { return nil }
            if let first = high {
                data.append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        return high == nil ? data : nil
    }

    /// Returns the digits of bytes, in lower case.
    static func text(_ data: Data) -> String {
        String(unsafeUninitializedCapacity: data.count * 2) { buffer in
            for (index, byte) in data.enumerated() {
                buffer[index * 2] = digits[Int(byte >> 4)]
                buffer[index * 2 + 1] = digits[Int(byte & 15)]
            }
            return data.count * 2
        }
    }

    private static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
#endif
