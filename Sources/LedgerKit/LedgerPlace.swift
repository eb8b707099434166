// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Glibc

/// The path of a ledger, and the paths by which it names pictures.
package struct LedgerPlace: Sendable, Hashable {
    /// The name of the hidden folder of ledgers beside the pictures.
    package static let folderName = ".gst-capture"
    static let suffix = ".ledger"
    /// The maximum length of a name, in bytes, which leaves room for SQLite's longest suffix, `-journal`.
    private static let mostBytes = 255 - 8

    /// The path of the ledger.
    package let path: String
    /// The folder of the ledger's pictures, with a trailing slash. The ledger has their paths relative to it, so that
    /// the user can move the folder.
    private let base: String

    package init(_ path: String) {
        self.path = path
        let folder = StillFolder.path(of: Self.absolute(path))
        base = Self.folder(DeviceFiles.name(of: folder) == Self.folderName ? StillFolder.path(of: folder) : folder)
    }

    /// The absolute path of the folder of the ledger's pictures, without a trailing slash.
    package var baseFolder: String { base == "/" ? base : String(base.dropLast()) }

    /// Returns a picture's path as the ledger stores it.
    package func relative(_ file: String) -> String {
        let absolute = Self.absolute(file)
        return absolute.hasPrefix(base) ? String(absolute.dropFirst(base.count)) : absolute
    }

    /// Returns the absolute path of a picture that the ledger names.
    func absolute(_ file: String) -> String { file.hasPrefix("/") ? file : base + file }

    /// Returns a file name for a ledger that every file system accepts, FAT too.
    package static func name(for rest: String) -> String {
        let plain = String(
            String.UnicodeScalarView(
                rest.unicodeScalars.map { scalar in
                    if scalar == "/" { return "+" }
                    let isOdd =
                        "\"*:<>?\\|".unicodeScalars.contains(scalar) || scalar.value < 0x20 || scalar.value == 0x7F
                    return isOdd ? "_" : scalar
                }))
        // A hash distinguishes names that became the same, or too long.
        let isSame = plain.replacing("+", with: "/") == rest && plain.utf8.count + suffix.utf8.count <= mostBytes
        guard !isSame else { return plain + suffix }
        let mark = "~" + SHA256.digits(of: Array(rest.utf8)).prefix(8) + suffix
        var short = plain
        while short.utf8.count + mark.utf8.count > mostBytes { short.removeLast() }
        return short + mark
    }

    package static func folder(_ path: String) -> String { path.hasSuffix("/") ? path : path + "/" }

    /// Returns an absolute path without dots and doubled slashes. Links are not resolved.
    package static func absolute(_ path: String) -> String {
        var parts: [Substring] = []
        let whole = path.hasPrefix("/") ? path : currentFolder + "/" + path
        for part in whole.split(separator: "/") where part != "." {
            if part == ".." { _ = parts.popLast() } else { parts.append(part) }
        }
        return "/" + parts.joined(separator: "/")
    }

    private static var currentFolder: String {
        guard let current = getcwd(nil, 0) else { return "" }
        defer { free(current) }
        return String(cString: current)
    }
}
