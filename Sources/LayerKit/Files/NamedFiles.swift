// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// Finds files that users refer to by name, in several folders. The first folder that has the name wins.
package struct NamedFiles: Sendable {
    /// The kind of file, in messages: `preset`.
    package let kind: String
    /// The folders to search; not all of them need exist.
    package let folders: [String]
    /// The suffixes of files that have names; the first one wins.
    package let suffixes: [String]
    /// The suffixes that make a text the path of a file.
    package let fileSuffixes: [String]
    /// The folder that relative paths start from.
    package let workingFolder: String

    package init(
        kind: String, folders: [String], suffixes: [String], fileSuffixes: [String], workingFolder: String
    ) {
        self.kind = kind
        self.folders = folders
        self.suffixes = suffixes
        self.fileSuffixes = fileSuffixes
        self.workingFolder = workingFolder
    }

    /// All names, sorted, each with its files; the first file wins.
    package var all: [(name: String, paths: [String])] {
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

    /// Returns the file of a name. A text with a slash or with one of `fileSuffixes` is a path, returned as absolute.
    ///
    /// - Throws: ``CaptureError`` `.noInput` if no file has this name, with the nearest name.
    package func path(_ text: String) throws(CaptureError) -> String {
        if isPath(text) { return absolute(text) }
        guard Self.isName(text), let path = candidates(text).first(where: RegularFile.isRegular) else {
            throw missing(text)
        }
        return path
    }

    /// `true` if a text is a name, not a path.
    package func isName(_ text: String) -> Bool { !isPath(text) }

    /// Returns a path that does not depend on the current folder.
    func absolute(_ path: String) -> String { path.hasPrefix("/") ? path : workingFolder + "/" + path }

    /// Returns the name of a file, which need not exist.
    func name(ofFile path: String) -> String {
        let file = DeviceFiles.name(of: path)
        let suffix = fileSuffixes.first { file.hasSuffix($0) && file != $0 } ?? ""
        return String(file.dropLast(suffix.count))
    }

    private func isPath(_ text: String) -> Bool { Self.isPath(text, suffixes: fileSuffixes) }

    /// `true` if a text is the path of a file: it has a slash, or ends with one of `suffixes`.
    static func isPath(_ text: String, suffixes: [String]) -> Bool {
        text.contains("/") || suffixes.contains(where: text.hasSuffix)
    }
}

extension NamedFiles {
    /// The folders that exist, each once even if several paths lead to it.
    private var knownFolders: [String] {
        var known: Set<String> = []
        return folders.filter { folder in
            DeviceFiles.canonical(folder).map { known.insert($0).inserted } ?? false
        }
    }

    /// Returns the paths that the file of a name may have, in order of precedence.
    private func candidates(_ name: String) -> some Sequence<String> {
        knownFolders.lazy.flatMap { folder in suffixes.lazy.map { folder + "/" + name + $0 } }
    }

    private func missing(_ text: String) -> CaptureError {
        let names = all.map(\.name)
        let near = Spelling.nearest(to: text, among: names).map { "did you mean \($0)?" }
        let advice = names.isEmpty ? "none is installed" : "use one of \(names.joined(separator: ", "))"
        return CaptureError(.noInput, "there is no such \(kind)", subject: text.quoted, advice: near ?? advice)
    }

    /// `true` if a text is a single component of a path, and not hidden. It has no control characters, because other
    /// people may have named the files of the working folder, and lists print the names on a terminal.
    private static func isName(_ text: String) -> Bool {
        !text.isEmpty && !text.hasPrefix(".") && !text.utf8.contains(UInt8(ascii: "/")) && text == text.withoutControls
    }
}
