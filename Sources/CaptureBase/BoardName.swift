// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc

/// The name of a board: the first part of the ID of each of its pictures. It distinguishes boards whose libraries are
/// merged.
///
/// It has 1 to 63 letters, digits and dashes in ASCII, without a dash at either end, as a label of a host name
/// (RFC 1123).
public struct BoardName: Sendable, Hashable, CustomStringConvertible {
    /// The name.
    public let description: String

    /// Creates a name; `nil` if the text is not one.
    public init?(_ text: String) {
        guard (1...63).contains(text.utf8.count), text.utf8.allSatisfy(Self.allows), !text.hasPrefix("-"),
            !text.hasSuffix("-")
        else { return nil }
        description = text
    }

    /// Returns the host name of this machine up to its first dot (`gethostname(2)`); `board` if it has none that can be
    /// a name. Other characters become dashes.
    public static func ofHost() -> BoardName {
        var buffer = [CChar](repeating: 0, count: 256)
        guard gethostname(&buffer, buffer.count - 1) == 0 else { return fallback }
        let bytes = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return named(like: String(decoding: bytes, as: UTF8.self))
    }

    /// Returns the name that is most like a host name.
    package static func named(like host: String) -> BoardName {
        let label = host.prefix { $0 != "." }
        let bytes = label.utf8.map { allows($0) ? $0 : UInt8(ascii: "-") }.prefix(63)
        let dash = UInt8(ascii: "-")
        let plain = bytes.drop { $0 == dash }.reversed().drop { $0 == dash }.reversed()
        return BoardName(String(decoding: Array(plain), as: UTF8.self)) ?? fallback
    }

    /// Reads the value of a key of a configuration.
    package init(_ key: SourcedText, _ value: YAMLNode) throws(InvalidValue) {
        guard let name = value.text.flatMap({ BoardName($0) }) else {
            throw InvalidValue(
                "\(key.text): is not the name of a board", advice: "give 1 to 63 letters, digits and dashes",
                at: value.place ?? key.place)
        }
        self = name
    }

    private static let fallback = BoardName(known: "board")

    private init(known text: String) { description = text }

    private static func allows(_ byte: UInt8) -> Bool { byte.isWordCharacter && byte != UInt8(ascii: "_") }
}
