// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc

/// Reads names, links and small files, such as those of the kernel and udev. A missing file yields `nil` or an empty
/// result, never an error. Every call blocks.
package enum DeviceFiles {
    /// Returns the names in a folder, without `.` and `..`, in no order (`readdir(3)`).
    package static func names(in folder: String) -> [String] {
        var names: [String] = []
        eachName(in: folder) { names.append($0) }
        return names
    }

    /// Calls `body` with each name in a folder. It builds no array, because a folder may have a million names.
    package static func eachName(in folder: String, _ body: (String) -> Void) {
        guard let directory = opendir(folder) else { return }
        defer { closedir(directory) }
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { body(name) }
        }
    }

    /// Returns the names in a folder, without `.` and `..`, in no order.
    ///
    /// - Throws: `CaptureError` with the folder if it cannot be opened or read to its end (`opendir(3)`, `readdir(3)`): an
    ///   empty result means an empty folder.
    package static func readableNames(in folder: String) throws(CaptureError) -> [String] {
        guard let directory = opendir(folder) else { throw .folder(errno, folder) }
        defer { closedir(directory) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = readdir(directory) else {
                guard errno == 0 else { throw .folder(errno, folder) }
                return names
            }
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
    }

    /// Returns the first line of a small file, fit for printing; `nil` if the line is empty or the file cannot be read.
    package static func line(_ path: String) -> String? {
        guard let content = content(path) else { return nil }
        let line = FixedText.clean(content.prefix { $0 != UInt8(ascii: "\n") && $0 != 0 })
        return line.isEmpty ? nil : line
    }

    /// Returns about the first 64 KiB of a file; `nil` if it cannot be opened.
    package static func content(_ path: String) -> [UInt8]? {
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

    /// Returns the path without links and dots (`realpath(3)`); `nil` if it does not exist.
    package static func canonical(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// `true` if something exists at a path, even a broken link.
    package static func exists(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    /// Returns the last part of a path.
    package static func name(of path: String) -> String {
        path.utf8.split(separator: UInt8(ascii: "/")).last.map { String(Substring($0)) } ?? path
    }

    /// Returns a path without its last part: `.` for a bare name, and the empty path for a name in the root folder.
    package static func folder(of path: String) -> String {
        path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[..<$0]) } ?? "."
    }
}

extension CaptureError {
    fileprivate static func folder(_ number: Int32, _ path: String) -> CaptureError {
        CaptureError(
            number == EACCES ? .permission : .inputOutput, "cannot be read: \(systemMessage(number))",
            subject: RegularFile.display(path), advice: number == EACCES ? "make it readable" : "check its disk",
            systemError: number)
    }
}
