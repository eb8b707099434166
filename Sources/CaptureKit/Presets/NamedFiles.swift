// Part of gst-capture. Apache License 2.0, see LICENSE.

/// Files that users speak of by name: in several folders, of which the first that has a name wins.
struct NamedFiles: Sendable {
    /// What they are, in messages: `preset`.
    let kind: String
    /// Where they are looked for; not all of these folders need be there.
    let folders: [String]
    /// How the files of names end, the first wins.
    let suffixes: [String]
    /// The endings that make a text the path of a file.
    let fileSuffixes: [String]
    /// The folder that relative paths start from.
    let workingFolder: String

    /// All names in order, each with its files; the first is the one that wins.
    var all: [(name: String, paths: [String])] {
        var paths: [String: [String]] = [:]
        for folder in knownFolders {
            let files = DeviceFiles.names(in: folder)
            for suffix in suffixes {
                for file in files where file.hasSuffix(suffix) {
                    let name = String(file.dropLast(suffix.count))
                    let path = folder + "/" + file
                    if Self.isName(name), RegularFile.isRegular(path) { paths[name, default: []].append(path) }
                }
            }
        }
        return paths.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// The file of a name, or the path as it is of what has a slash in it or ends as files do.
    ///
    /// - Throws: ``CaptureError`` `.noInput` where no file has this name, with the nearest one.
    func path(_ text: String) throws(CaptureError) -> String {
        if isPath(text) { return absolute(text) }
        guard Self.isName(text), let path = candidates(text).first(where: RegularFile.isRegular) else {
            throw missing(text)
        }
        return path
    }

    /// True if a text is a name and not a path.
    func isName(_ text: String) -> Bool { !isPath(text) }

    /// A path that does not depend on the folder that we are in.
    func absolute(_ path: String) -> String { path.hasPrefix("/") ? path : workingFolder + "/" + path }

    /// The name that a file has, or would have.
    func name(ofFile path: String) -> String {
        let file = DeviceFiles.name(of: path)
        let suffix = fileSuffixes.first { file.hasSuffix($0) && file != $0 } ?? ""
        return String(file.dropLast(suffix.count))
    }

    private func isPath(_ text: String) -> Bool { Self.isPath(text, suffixes: fileSuffixes) }

    /// `true` for the path of a file: text with a slash, or that ends as files do.
    static func isPath(_ text: String, suffixes: [String]) -> Bool {
        text.contains("/") || suffixes.contains(where: text.hasSuffix)
    }
}

extension NamedFiles {
    /// The folders that are there, each once by whatever name.
    private var knownFolders: [String] {
        var known: Set<String> = []
        return folders.filter { folder in
            DeviceFiles.canonical(folder).map { known.insert($0).inserted } ?? false
        }
    }

    /// Where the file of a name may be, in order.
    private func candidates(_ name: String) -> some Sequence<String> {
        knownFolders.lazy.flatMap { folder in suffixes.lazy.map { folder + "/" + name + $0 } }
    }

    private func missing(_ text: String) -> CaptureError {
        let names = all.map(\.name)
        let near = Spelling.nearest(to: text, among: names).map { "did you mean \($0)?" }
        let advice = names.isEmpty ? "none is found at all" : "there are \(names.joined(separator: ", "))"
        return CaptureError(.noInput, "there is no such \(kind)", subject: text.quoted, advice: near ?? advice)
    }

    /// A name is one part of a path, and not a hidden one.
    private static func isName(_ text: String) -> Bool {
        !text.isEmpty && !text.hasPrefix(".") && !text.utf8.contains { $0 == UInt8(ascii: "/") || $0 == 0 }
    }
}
