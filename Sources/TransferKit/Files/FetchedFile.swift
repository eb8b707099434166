// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import Glibc
import StillKit
import SystemBase
import UploadKit

/// A file that a request fetches. It has its name only when it is complete, has the expected hash, and is durable.
/// All functions block.
final class FetchedFile {
    /// The size that is expected, in bytes.
    let byteCount: Int
    private let path: String
    private let part: String
    private let descriptor: Int32
    private let sha256: String
    private var count = 0
    private var sum: SHA256? = SHA256()
    private var isStored = false

    /// Creates a hidden file in the folder of `path`. Other users cannot read it.
    ///
    /// - Parameter sha256: The hash that is expected: 64 hexadecimal digits in lower case.
    init(_ path: String, byteCount: Int, sha256: String) throws(CaptureError) {
        (self.path, self.byteCount, self.sha256) = (path, byteCount, sha256)
        let folder = StillFolder.path(of: path)
        part = TemporaryFile.hiddenName(in: folder)
        descriptor = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .file(errno, folder, "cannot be written") }
        // The daily care of records removes files that a killed program left without a lock.
        flock(descriptor, LOCK_EX | LOCK_NB)
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
        if descriptor >= 0, !isStored { unlink(part) }
    }

    /// Fetches a file of a target.
    ///
    /// - Parameter receive: Adds the bytes; returns `false` if the target does not have the file.
    /// - Returns: `false` if the target does not have the file.
    static func fetch(
        _ download: Download, _ receive: (FetchedFile) throws(TransferFault) -> Bool
    ) throws(TransferFault) -> Bool {
        let file = try storing { () throws(CaptureError) in
            try FetchedFile(download.path, byteCount: download.byteCount, sha256: download.sha256)
        }
        guard try receive(file) else { return false }
        guard try storing({ () throws(CaptureError) in try file.finish() }) else { throw otherContent }
        return true
    }

    /// The fault of a file of a target that is not the expected one.
    static let otherContent = TransferFault.damaged("the file at the target has another content")

    /// Returns the fault of a file that cannot be written here.
    static func storeFault(_ reason: String) -> TransferFault {
        .unreachable("the file cannot be stored: \(reason)", pause: nil)
    }

    private static func storing<Success>(_ body: () throws(CaptureError) -> Success) throws(TransferFault) -> Success {
        do throws(CaptureError) { return try body() } catch { throw storeFault("\(error)") }
    }

    /// Adds bytes at the end.
    ///
    /// - Returns: The number of the system error if they cannot be written; `nil` for a success.
    func add(_ bytes: UnsafeRawBufferPointer) -> Int32? {
        sum?.add(bytes)
        count += bytes.count
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { return written < 0 ? errno : EIO }
            rest = rest.dropFirst(written)
        }
        return nil
    }

    /// Gives the file its name, durably. A file of this name is replaced.
    ///
    /// - Returns: `false` if it has another size or another hash than expected.
    func finish() throws(CaptureError) -> Bool {
        guard count == byteCount, sum.take()?.digits() == sha256 else { return false }
        guard fsync(descriptor) == 0 else { throw .file(errno, path, "cannot be made durable") }
        guard rename(part, path) == 0 else { throw .file(errno, path, "cannot be created") }
        isStored = true
        try StillFolder.syncName(of: path)
        return true
    }
}
#endif
