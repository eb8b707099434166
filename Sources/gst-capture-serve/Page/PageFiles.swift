// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import SystemBase

/// The files of the web page, read once. Their addresses contain a hash of all of them, so that a browser keeps them
/// until one changes.
struct PageFiles: Sendable {
    /// A file with its media type.
    struct File: Sendable {
        let bytes: [UInt8]
        let type: String
    }

    /// A hash of all files.
    let hash: String
    /// The page, whose references have the hash.
    let index: [UInt8]
    private let files: [String: File]

    private static let folderName = "page"
    private static let indexName = "index.html"
    private static let mostBytes = 1 << 20
    private static let types = [
        "css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml",
    ]

    /// Reads the files of the installation; `nil` if they are not installed. Blocks.
    init?() {
        let folders = Installation.folders(Self.folderName, of: DeviceFiles.canonical("/proc/self/exe"))
        guard let folder = folders.first(where: { DeviceFiles.exists("\($0)/\(Self.indexName)") }) else { return nil }
        self.init(folder: folder)
    }

    /// Reads the files of a folder; `nil` if one cannot be read. Blocks.
    init?(folder: String) {
        guard let page = Self.read("\(folder)/\(Self.indexName)") else { return nil }
        var (files, content) = ([String: File](), page)
        for name in DeviceFiles.names(in: folder).sorted() {
            guard let type = Self.type(name) else { continue }
            guard let bytes = Self.read("\(folder)/\(name)") else { return nil }
            files[name] = File(bytes: bytes, type: type)
            content += Array(name.utf8) + bytes
        }
        self.files = files
        hash = String(SHA256.digits(of: content).prefix(16))
        index = Array(String(decoding: page, as: UTF8.self).replacing("ASSETS/", with: "/page/\(hash)/").utf8)
    }

    /// Returns a file; `nil` if it does not exist, or the hash is that of another version.
    func file(_ name: String, hash: String) -> File? { hash == self.hash ? files[name] : nil }

    private static func read(_ path: String) -> [UInt8]? { try? RegularFile.read(path, most: mostBytes) }

    private static func type(_ name: String) -> String? {
        name.lastIndex(of: ".").flatMap { types[String(name[name.index(after: $0)...])] }
    }
}
#endif
