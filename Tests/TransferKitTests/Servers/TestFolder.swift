// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import Foundation
import SystemBase
import UploadKit

/// A folder that is removed with its content when the last reference is released.
final class TestFolder: Sendable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.path() + "gst-capture-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        // Servers that are started as root work as another user.
        chmod(path, 0o777)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    @discardableResult
    func write(_ name: String, _ bytes: [UInt8], mode: mode_t = 0o600) throws -> String {
        let file = path + "/" + name
        try Data(bytes).write(to: URL(filePath: file))
        chmod(file, mode)
        return file
    }

    @discardableResult
    func write(_ name: String, _ text: String, mode: mode_t = 0o600) throws -> String {
        try write(name, Array(text.utf8), mode: mode)
    }

    func makeFolder(_ name: String) throws -> String {
        let folder = path + "/" + name
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        chmod(folder, 0o777)
        return folder
    }

    /// Writes a picture of pseudorandom bytes.
    func picture(_ seed: UInt8, _ byteCount: Int, as name: String = "2026/05/photo-1.jpg") throws -> Upload {
        var (state, block, bytes) = (UInt64(seed) + 1, [UInt8](), [UInt8]())
        for _ in 0..<4096 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            block.append(UInt8(truncatingIfNeeded: state >> 56))
        }
        // The blocks differ: a part in the wrong place is noticed.
        while bytes.count < byteCount {
            withUnsafeBytes(of: bytes.count) { block.replaceSubrange(0..<8, with: $0) }
            bytes += block
        }
        bytes.removeLast(bytes.count - byteCount)
        let path = try write("picture-\(seed)-\(byteCount)", bytes)
        let sum = SHA256.digits(of: bytes)
        let values = [
            "board": "b", "series": "s", "camera": "front door", "taken": "2026-05-01T12:00:00.000+02:00",
            "file": "photo-1.jpg", "name": name, "sha256": sum, "bytes": "\(byteCount)", "id": "7",
        ]
        return Upload(path: path, byteCount: byteCount, sha256: sum, name: name, values: values)
    }

    /// The files in a folder and in those below, with their bytes.
    static func files(_ folder: String) -> [String: [UInt8]] {
        var found: [String: [UInt8]] = [:]
        for name in FileManager.default.enumerator(atPath: folder)?.compactMap({ $0 as? String }) ?? [] {
            if name.hasPrefix(".DAV") || name.contains("/.DAV") { continue }
            if let data = FileManager.default.contents(atPath: folder + "/" + name) { found[name] = Array(data) }
        }
        return found
    }
}
#endif
