// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc

/// Small reads of the kernel's and udev's file trees. What is not there is `nil` or empty: it never is an error.
enum DeviceFiles {
    /// The names in a folder, without `.` and `..`, in no order (`readdir(3)`).
    static func names(in folder: String) -> [String] {
        var names: [String] = []
        eachName(in: folder) { names.append($0) }
        return names
    }

    /// Calls `body` with each of these names: a folder may have a million.
    static func eachName(in folder: String, _ body: (String) -> Void) {
        guard let directory = opendir(folder) else { return }
        defer { closedir(directory) }
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { body(name) }
        }
    }

    /// The first line of a small file, fit for printing; `nil` where it cannot be read or is empty.
    static func line(_ path: String) -> String? {
        guard let content = content(path) else { return nil }
        let line = FixedText.clean(content.prefix { $0 != UInt8(ascii: "\n") && $0 != 0 })
        return line.isEmpty ? nil : line
    }

    /// Up to 64 KiB of a file.
    static func content(_ path: String) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var content: [UInt8] = []
        while content.count < 65536 {
            let chunk = [UInt8](unsafeUninitializedCapacity: 4096) { buffer, count in
                count = max(0, read(descriptor, buffer.baseAddress, buffer.count))
            }
            if chunk.isEmpty { break }
            content += chunk
        }
        return content
    }

    /// The path without links and dots (`realpath(3)`); `nil` where there is none.
    static func canonical(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// True where something is at a path, be it a link to nowhere.
    static func exists(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    /// The last part of a path.
    static func name(of path: String) -> String {
        path.split(separator: "/").last.map(String.init) ?? path
    }

    /// A path without its last part.
    static func folder(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    }
}
