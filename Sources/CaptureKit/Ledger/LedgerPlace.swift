// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc
import PipelineKit

/// Where a ledger is, and how it names the pictures.
struct LedgerPlace: Sendable, Hashable {
    /// The folder of ledgers, hidden beside the pictures.
    static let folderName = ".gst-capture"
    static let suffix = ".ledger"
    /// What SQLite puts behind the name is no longer than this: `-journal`.
    private static let mostBytes = 255 - 8

    /// The path of the ledger.
    let path: String
    /// The folder that it is the account of, with a slash behind it: what lies in it can be moved with it.
    private let base: String

    init(_ path: String) {
        self.path = path
        let folder = StillFolder.path(of: Self.absolute(path))
        base = Self.folder(DeviceFiles.name(of: folder) == Self.folderName ? StillFolder.path(of: folder) : folder)
    }

    /// Where the account of pictures of these names is kept: in the part of their folder that stays the same.
    init(for template: FileNameTemplate) {
        let (folder, rest) = template.fixedFolder
        self.init((folder == "." ? "" : Self.folder(folder)) + Self.folderName + "/" + Self.name(for: rest))
    }

    /// The folder that has to be there before a series can go on in it.
    var baseFolder: String { base == "/" ? base : String(base.dropLast()) }

    /// A picture's path as the ledger has it.
    func relative(_ file: String) -> String {
        let absolute = Self.absolute(file)
        return absolute.hasPrefix(base) ? String(absolute.dropFirst(base.count)) : absolute
    }

    /// Where a picture is that the ledger names.
    func absolute(_ file: String) -> String { file.hasPrefix("/") ? file : base + file }

    /// A name that every file system takes, FAT too.
    private static func name(for rest: String) -> String {
        let plain = String(
            String.UnicodeScalarView(
                rest.unicodeScalars.map { scalar in
                    if scalar == "/" { return "+" }
                    let isOdd =
                        "\"*:<>?\\|".unicodeScalars.contains(scalar) || scalar.value < 0x20 || scalar.value == 0x7F
                    return isOdd ? "_" : scalar
                }))
        // Names that became the same, or too long, are told apart.
        let isSame = plain.replacing("+", with: "/") == rest && plain.utf8.count + suffix.utf8.count <= mostBytes
        guard !isSame else { return plain + suffix }
        let mark = "~" + SHA256.digits(of: Array(rest.utf8)).prefix(8) + suffix
        var short = plain
        while short.utf8.count + mark.utf8.count > mostBytes { short.removeLast() }
        return short + mark
    }

    private static func folder(_ path: String) -> String { path.hasSuffix("/") ? path : path + "/" }

    /// A path from the root on, without dots and doubled slashes; links stay.
    private static func absolute(_ path: String) -> String {
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

extension FileNameTemplate {
    /// The folder before the first field, and the rest as it was written.
    fileprivate var fixedFolder: (folder: String, rest: String) {
        let fixed = parts.first.map { if case .text(let text) = $0 { text } else { "" } } ?? ""
        guard let slash = fixed.lastIndex(of: "/") else { return (".", written(parts)) }
        let folder = slash == fixed.startIndex ? "/" : String(fixed[..<slash])
        return (folder, written([.text(String(fixed[fixed.index(after: slash)...]))] + parts.dropFirst()))
    }

    private func written(_ parts: [Part]) -> String {
        parts.map { part in
            switch part {
            case .text(let text): text.replacing("%", with: "%%")
            case .time(let field): field
            case .sequence(let width): width > 0 ? "%0\(width)n" : "%n"
            }
        }.joined()
    }
}
