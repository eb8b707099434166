// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc

/// A folder for the files that the peers read.
struct ScratchFolder {
    let path: String

    init() throws {
        var template = Array("/tmp/overlay-bench-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw BenchError("no folder can be made in /tmp") }
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Removes the folder with its files.
    func remove() {
        guard let folder = opendir(path) else { return }
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            unlink(path + "/" + name)
        }
        closedir(folder)
        rmdir(path)
    }
}

/// Reads and writes whole files.
enum File {
    static func read(_ path: String) throws -> [UInt8] {
        guard let file = fopen(path, "r") else { throw BenchError("\(path) cannot be read") }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = fread(&chunk, 1, chunk.count, file), count > 0 { bytes += chunk[..<count] }
        return bytes
    }

    static func write(_ bytes: [UInt8], to path: String) throws {
        guard let file = fopen(path, "w") else { throw BenchError("\(path) cannot be written") }
        let written = fwrite(bytes, 1, bytes.count, file)
        guard fclose(file) == 0, written == bytes.count else { throw BenchError("\(path) cannot be written") }
    }
}
