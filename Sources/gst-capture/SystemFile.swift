// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc

/// Small files that the kernel writes.
enum SystemFile {
    /// The first 4 KiB of a file as text without space at its end; `nil` where it cannot be read.
    static func text(_ path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = read(descriptor, &bytes, bytes.count)
        guard count >= 0 else { return nil }
        let content = bytes[..<count].reversed().drop { $0 <= UInt8(ascii: " ") }.reversed()
        return String(decoding: content, as: UTF8.self)
    }

    /// The names in a folder, sorted; none where it cannot be read.
    static func names(in folder: String) -> [String] {
        guard let directory = opendir(folder) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
                name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }
}
