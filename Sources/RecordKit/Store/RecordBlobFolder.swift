// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Glibc
import StillKit
import SystemBase

/// The pictures of a store of records. The name of each file is its hash, so that a picture that several records share
/// is stored once. Every call blocks.
struct RecordBlobFolder: Sendable {
    /// The largest file, in bytes.
    static let mostBytes = 32 << 20

    private let path: String
    private var lockPath: String { path + "/lock" }

    /// Creates the folder if it is missing.
    ///
    /// - Parameter creates: `false` to leave a missing folder missing.
    init(_ path: String, creates: Bool) throws(CaptureError) {
        if creates { try PrivateFolder.make(path) }
        self.path = path
    }

    /// Reads the facts of a picture.
    ///
    /// - Throws: `CaptureError` `.inputOutput` or `.noInput` if it is not a whole JPEG, or too large.
    static func blob(_ bytes: [UInt8]) throws(CaptureError) -> RecordBlob {
        guard bytes.count <= mostBytes else {
            throw CaptureError(.noInput, "is larger than \(mostBytes >> 20) MiB", advice: "save it as a smaller JPEG")
        }
        guard let head = PictureHead(bytes), head.format == .jpeg else {
            throw CaptureError(.noInput, "is not a JPEG", advice: "save it as a JPEG")
        }
        let file = try PictureFile(bytes, .jpeg)
        _ = try JPEGPicture(bytes)
        let swaps = (head.exif?.orientation ?? .upright).swapsAxes
        let (width, height) = swaps ? (file.height, file.width) : (file.width, file.height)
        let blob = RecordBlob(
            sha256: SHA256.digits(of: bytes), byteCount: bytes.count, width: width, height: height)
        guard let blob else { throw CaptureError(.noInput, "has an impossible size", advice: "save it as a JPEG") }
        return blob
    }

    /// Returns the path of a picture; `nil` if it is not here.
    func path(of sha256: String) -> String? {
        guard let path = expectedPath(of: sha256), RegularFile.isRegular(path) else { return nil }
        return path
    }

    /// Returns the path that a picture has, or would have; `nil` if the text is not a hash.
    func expectedPath(of sha256: String) -> String? {
        guard RecordBlob(sha256: sha256, byteCount: 1, width: 1, height: 1) != nil else { return nil }
        return "\(path)/\(sha256.prefix(2))/\(sha256).jpg"
    }

    /// Stores a picture. It is durable on return, and stays for a day without a record that has it.
    func add(_ bytes: [UInt8]) throws(CaptureError) -> RecordBlob {
        let blob = try Self.blob(bytes)
        guard let path = expectedPath(of: blob.sha256) else { return blob }
        try PrivateFolder.make(StillFolder.path(of: path))
        try locked { () throws(CaptureError) in
            if isWhole(path, blob) {
                // It may be old, and without a record: the time keeps it for another day.
                guard utimensat(AT_FDCWD, path, nil, 0) == 0 else { throw .file(errno, path, "cannot be kept") }
            } else {
                try StillStore(overwrites: true, latest: nil, isPrivate: true).write(bytes, to: path)
            }
        }
        return blob
    }

    private func isWhole(_ path: String, _ blob: RecordBlob) -> Bool {
        guard let digest = try? FileDigest(path, most: blob.byteCount) else { return false }
        return digest.sha256 == blob.sha256
    }

    /// Reads the facts of a picture from its file; `nil` if it is not here, or damaged.
    func blob(_ sha256: String) -> RecordBlob? {
        guard let path = path(of: sha256), let bytes = try? RegularFile.read(path, most: Self.mostBytes + 1),
            let blob = try? Self.blob(bytes), blob.sha256 == sha256
        else { return nil }
        return blob
    }

    /// Removes the pictures that are older than an age and that no record has.
    ///
    /// - Parameters:
    ///   - isUsed: Returns `true` if a record has the picture of a hash.
    ///   - ifUnused: Calls its second argument if no record has the picture, while none can get it.
    /// - Returns: The number of pictures that were removed.
    func collect(
        olderThan age: Duration, isUsed: (String) throws(CaptureError) -> Bool,
        ifUnused: (String, () -> Void) throws(CaptureError) -> Void
    ) throws(CaptureError) -> Int {
        var count = 0
        for folder in DeviceFiles.names(in: path) where folder.utf8.count == 2 {
            TemporaryFile.removeLeftovers(in: "\(path)/\(folder)")
            for name in DeviceFiles.names(in: "\(path)/\(folder)") where name.hasSuffix(".jpg") {
                let sha256 = String(name.dropLast(4))
                guard let file = path(of: sha256), Self.isOlder(file, than: age), try !isUsed(sha256) else { continue }
                try locked { () throws(CaptureError) in
                    guard Self.isOlder(file, than: age) else { return }
                    try ifUnused(sha256) { if unlink(file) == 0 { count += 1 } }
                }
            }
        }
        return count
    }

    /// Removes a picture of any age.
    ///
    /// - Parameter ifUnused: Calls its argument if no record has the picture, while none can get it.
    func remove(_ sha256: String, ifUnused: (() -> Void) throws(CaptureError) -> Void) throws(CaptureError) {
        guard let file = path(of: sha256) else { return }
        try locked { () throws(CaptureError) in try ifUnused { unlink(file) } }
    }

    private static func isOlder(_ path: String, than age: Duration) -> Bool {
        var status = stat()
        guard stat(path, &status) == 0 else { return false }
        let passed = AgeClock.current().age(of: Int64(status.st_mtim.tv_sec)) ?? 0
        return passed >= age.components.seconds
    }

    /// Calls `body` while no other program adds or removes pictures.
    private func locked(_ body: () throws(CaptureError) -> Void) throws(CaptureError) {
        let lock = try FileLock(waitingFor: lockPath)
        defer { withExtendedLifetime(lock.descriptor) {} }
        try body()
    }
}
