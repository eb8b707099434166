// Part of gst-capture. Apache License 2.0, see LICENSE.

/// V4L2's code of a pixel format: four characters in 32 bits (`v4l2_fourcc`).
public struct FourCC: Sendable, Hashable {
    /// The number, with the first character in the lowest byte. Bit 31 marks a big-endian format.
    public let rawValue: UInt32

    static let bigEndian: UInt32 = 1 << 31

    /// Wraps a number from a driver. Every number is valid.
    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// Packs up to four ASCII characters and an optional `-BE`. Longer texts are truncated, shorter ones padded with
    /// spaces.
    public init(_ text: String) {
        let isBigEndian = text.hasSuffix("-BE")
        let characters = Array((isBigEndian ? text.dropLast(3) : text[...]).utf8.prefix(4))
        var value: UInt32 = isBigEndian ? Self.bigEndian : 0
        for index in 0..<4 {
            let byte = index < characters.count ? characters[index] & 0x7F : UInt8(ascii: " ")
            value |= UInt32(byte) << UInt32(8 * index)
        }
        rawValue = value
    }

    /// The code of formats that were not found through V4L2.
    public static let none = FourCC(rawValue: 0)
}

extension FourCC: CustomStringConvertible {
    /// The characters, such as `YUYV`, or `Y16 -BE` for a big-endian format. Unprintable characters become dots.
    public var description: String {
        guard self != .none else { return "" }
        let characters = (0..<4).map { index -> Character in
            let byte = UInt8(truncatingIfNeeded: rawValue >> UInt32(8 * index)) & 0x7F
            return byte >= 0x20 && byte < 0x7F ? Character(Unicode.Scalar(byte)) : "."
        }
        let text = String(characters)
        if rawValue & Self.bigEndian != 0 { return text + "-BE" }
        return String(text.reversed().drop { $0 == " " }.reversed())
    }
}
