// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Glibc
import SystemBase

/// The result of comparing a picture with the ledger.
public enum LedgerCheck: Sendable, Hashable {
    /// The file exists with the same size, and with the same bytes if the ledger has their hash.
    case good
    /// The file does not exist.
    case missing
    /// The file has other bytes than the ledger recorded.
    case changed
    /// The file cannot be read, with the reason.
    case unreadable(String)
    /// No file is expected: a later line removed or replaced it, or this line has no file.
    case none
}

extension LedgerReader.Line {
    /// Reads the picture, and compares it with this line. Blocks. If the task is canceled, the picture is
    /// ``LedgerCheck/unreadable(_:)``.
    public func check() -> LedgerCheck {
        guard let still, let file = still.file, removal == nil, !isReplaced else { return .none }
        var status = stat()
        // After any other error, the picture may exist.
        if lstat(file, &status) != 0, errno == ENOENT || errno == ENOTDIR { return .missing }
        do throws(CaptureError) {
            let found = try FileDigest(file, most: still.byteCount)
            let isSame = found.byteCount == still.byteCount && (still.sha256.map { $0 == found.sha256 } ?? true)
            return isSame ? .good : .changed
        } catch {
            return .unreadable(error.message)
        }
    }
}

/// The size and the hash of a file, which is read in pieces.
package struct FileDigest {
    package let byteCount: Int
    package let sha256: String

    /// - Parameter most: The expected size, in bytes. Reading stops beyond it: a larger file has changed.
    package init(_ path: String, most: Int) throws(CaptureError) {
        try self.init(try RegularFile.opened(path), path, most: most)
    }

    /// Reads a file that is open, from its beginning.
    ///
    /// - Parameter path: The subject of errors.
    package init(
        _ file: consuming RegularFile, _ path: String, most: Int
    ) throws(CaptureError) {
        let sum = SHA256()
        var (count, piece) = (0, [UInt8](repeating: 0, count: 1 << 18))
        while count <= most {
            if Task.isCancelled { throw CaptureError(.temporary, "reading was canceled", subject: path) }
            let taken: Int
            do throws(RegularFile.Failure) {
                taken = try file.read(into: &piece)
            } catch {
                throw CaptureError(error, path)
            }
            if taken == 0 { break }
            piece.withUnsafeBytes { sum.add(UnsafeRawBufferPointer(rebasing: $0[..<taken])) }
            count += taken
        }
        byteCount = count
        sha256 = sum.digits()
    }
}
