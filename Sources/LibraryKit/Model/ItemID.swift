// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase

/// The ID of a picture in a library. It follows from the origin of the picture, so that a rebuilt index has the same IDs.
///
/// The text is the name of the board, a dot and the origin: `garden-pi.minute-1204`.
public struct ItemID: Sendable, Hashable, CustomStringConvertible {
    /// The account that has the picture.
    public enum Origin: Sendable, Hashable {
        /// A line in the ledger of a series: `minute-1204`.
        case series(String, line: Int)
        /// A picture in the record of a session's run: `avatar-20261128-101500~3`.
        case session(run: String, picture: Int)
        /// A clip in the list of a camera, by the name and the mark of the list: `door-7b09e0~c12`.
        case clip(list: String, number: Int)
        /// A file without an account, by its content: `i-9f5fc8ed01aa34b2`.
        case file(ContentMark)
    }

    /// The board on which the picture was found.
    public let board: BoardName
    /// The origin of the picture.
    public let origin: Origin

    /// Creates an ID.
    public init(_ board: BoardName, _ origin: Origin) { (self.board, self.origin) = (board, origin) }

    /// The maximum length of the text, in bytes.
    static let mostBytes = 255

    /// Reads an ID; `nil` if the text is none.
    public init?(_ text: String) {
        guard text.utf8.count <= Self.mostBytes, let dot = text.firstIndex(of: "."),
            let board = BoardName(String(text[..<dot])), let origin = Origin(text[text.index(after: dot)...])
        else { return nil }
        self.init(board, origin)
    }

    /// The ID as text, which needs no escape in a URL.
    public var description: String { "\(board).\(origin)" }
}

extension ItemID.Origin: CustomStringConvertible {
    private static let filePrefix = "i-"
    private static let clipPrefix = "c"

    /// The origin as text.
    public var description: String {
        switch self {
        case .series(let series, let line): "\(series)-\(line)"
        case .session(let run, let picture): "\(run)~\(picture)"
        case .clip(let list, let number): "\(list)~\(Self.clipPrefix)\(number)"
        case .file(let mark): Self.filePrefix + mark.description
        }
    }

    fileprivate init?(_ text: Substring) {
        if let tilde = text.lastIndex(of: "~") {
            let rest = text[text.index(after: tilde)...]
            let isClip = rest.hasPrefix(Self.clipPrefix)
            guard let name = Self.name(text[..<tilde]),
                let number = Self.number(isClip ? rest.dropFirst(Self.clipPrefix.count) : rest),
                !isClip || AccountName.isName(name)
            else { return nil }
            self = isClip ? .clip(list: name, number: number) : .session(run: name, picture: number)
        } else if text.hasPrefix(Self.filePrefix), let mark = ContentMark(text.dropFirst(Self.filePrefix.count)) {
            self = .file(mark)
        } else {
            guard let dash = text.lastIndex(of: "-"), let series = Self.name(text[..<dash]),
                let line = Self.number(text[text.index(after: dash)...])
            else { return nil }
            self = .series(series, line: line)
        }
    }

    private static func name(_ text: Substring) -> String? {
        !text.isEmpty && text.utf8.allSatisfy(\.isWordCharacter) ? String(text) : nil
    }

    private static func number(_ text: Substring) -> Int? {
        guard (1...15).contains(text.utf8.count), text.utf8.allSatisfy(\.isDigit), text.first != "0" else { return nil }
        return Int(text)
    }
}

/// The name of an account in IDs: that of its folder, and a mark of its content, so that two folders of the same name have
/// different IDs.
enum AccountName {
    private static let mostBytes = 64
    private static let markCount = 6

    /// - Parameter identity: A hash of the account in hexadecimal digits.
    static func name(folder: String, identity: String) -> String {
        let name = folder.utf8.map { $0.isWordCharacter ? $0 : UInt8(ascii: "-") }
        return "\(String(decoding: name.prefix(mostBytes), as: UTF8.self))-\(identity.prefix(markCount))"
    }

    /// `true` if a text can be a name.
    static func isName(_ text: String) -> Bool {
        let mark = text.utf8.suffix(markCount + 1)
        return text.utf8.count > mark.count && mark.first == UInt8(ascii: "-") && mark.count == markCount + 1
            && mark.dropFirst().allSatisfy { "0123456789abcdef".utf8.contains($0) }
    }
}

/// A short hash of a file's size, its first and its last bytes: 16 hexadecimal digits.
///
/// It recognizes a file without reading all of it. Two different pictures of a camera have the same mark by chance only,
/// because their tags and their last bytes differ; a decision that loses something compares the SHA-256 of all bytes.
public struct ContentMark: Sendable, Hashable, CustomStringConvertible {
    private let value: UInt64

    /// The number of bytes at the start and at the end of a file that the mark covers.
    static let edge = 2048

    /// Reads a mark; `nil` if the text is none.
    init?(_ text: Substring) {
        let isMark = text.utf8.count == 16 && text.utf8.allSatisfy { "0123456789abcdef".utf8.contains($0) }
        guard isMark, let value = UInt64(text, radix: 16) else { return nil }
        self.value = value
    }

    /// Computes a mark.
    ///
    /// - Parameters:
    ///   - head: The first ``edge`` bytes of the file; all of a shorter one.
    ///   - tail: The last ``edge`` bytes after `head`; fewer in a short file.
    init(byteCount: Int, head: [UInt8], tail: [UInt8]) {
        let digits = SHA256.digits(of: Array("\(byteCount)\n".utf8) + head + tail)
        value = UInt64(digits.prefix(16), radix: 16) ?? 0
    }

    /// The mark as 16 hexadecimal digits in lower case.
    public var description: String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
}
#endif
