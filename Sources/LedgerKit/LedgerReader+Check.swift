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
