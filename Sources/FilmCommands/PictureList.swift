// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Glibc
import TerminalKit

/// A list of paths on standard input, as `find`, `find -print0` and `gst-capture library search --paths` print it.
enum PictureList {
    /// The argument that stands for standard input.
    static let name = "-"
    /// The name of standard input in messages.
    static let subject = "standard input"
    /// The title of the pictures.
    static let title = "Pictures"
    /// The most bytes of a list: more than a million paths.
    private static let mostBytes = 256 << 20

    /// Reads the list to its end. Blocks.
    ///
    /// - Throws: ``CaptureError`` `inputOutput` if it cannot be read, `noInput` if it is too long.
    static func read() throws(CaptureError) -> [String] {
        var (bytes, piece): ([UInt8], [UInt8]) = ([], Array(repeating: 0, count: 1 << 16))
        while true {
            let count = StandardInput.read(into: &piece)
            guard count >= 0 else { throw .file(errno, subject, "cannot be read") }
            guard count > 0 else { return paths(in: bytes) }
            bytes += piece.prefix(count)
            guard bytes.count <= mostBytes else {
                throw CaptureError(.noInput, "is longer than \(mostBytes >> 20) MiB", subject: subject)
            }
        }
    }

    /// Returns the paths of a list. They end with a NUL if it has one, and otherwise with their lines.
    static func paths(in bytes: [UInt8]) -> [String] {
        let end = bytes.contains(0) ? 0 : UInt8(ascii: "\n")
        return bytes.split(separator: end).map { path in
            let isCutAtReturn = end != 0 && path.last == UInt8(ascii: "\r")
            return String(decoding: isCutAtReturn ? path.dropLast() : path, as: UTF8.self)
        }
    }
}
