// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc
import SystemBase

/// Files that users name. The errors have the path as their subject.
extension RegularFile {
    /// Returns the content of a file, up to `most` bytes.
    package static func read(_ path: String, most: Int) throws(CaptureError) -> [UInt8] {
        do throws(Failure) {
            return try RegularFile(path).bytes(most: most)
        } catch {
            throw CaptureError(error, path)
        }
    }

    /// Checks that a path leads to a regular file that can be read.
    package static func check(_ path: String) throws(CaptureError) { _ = try opened(path) }

    /// Returns the size of a regular file that can be read, in bytes, without opening it (`stat(2)`).
    ///
    /// Closing any descriptor of a file drops all locks that this process has on it (`fcntl(2)`), among them those of
    /// SQLite: another process would then remove the log that SQLite still writes. Only SQLite may open a ledger.
    package static func sizeWithoutOpening(_ path: String) throws(CaptureError) -> Int {
        var status = stat()
        let failure: Failure
        if path.utf8.contains(0) {
            failure = .containsNUL
        } else if stat(path, &status) != 0 {
            failure = .notOpened(errno)
        } else if status.st_mode & S_IFMT == S_IFDIR {
            failure = .isFolder
        } else if status.st_mode & S_IFMT != S_IFREG {
            failure = .isNotRegular
        } else if faccessat(AT_FDCWD, path, R_OK, AT_EACCESS) != 0 {
            failure = .notOpened(errno)
        } else {
            return Int(status.st_size)
        }
        throw CaptureError(failure, path)
    }

    /// Opens a file.
    package static func opened(_ path: String) throws(CaptureError) -> RegularFile {
        do throws(Failure) {
            return try RegularFile(path)
        } catch {
            throw CaptureError(error, path)
        }
    }

    /// Returns the path, fit for one line of a message.
    package static func display(_ path: String) -> String { FixedText.clean(path.utf8) }
}

extension CaptureError {
    /// Creates the error of a file that cannot be read.
    package init(_ failure: RegularFile.Failure, _ path: String) {
        let (code, message): (Code, String) =
            switch failure {
            case .containsNUL: (.noInput, "contains a NUL")
            case .isFolder: (.noInput, "is a folder")
            case .isNotRegular: (.noInput, "is not a regular file")
            case .notOpened(ENOENT), .notOpened(ENOTDIR): (.noInput, "there is no such file")
            case .notOpened(let number):
                (number == EACCES || number == EPERM ? .permission : .noInput, Self.systemMessage(number))
            case .notRead(let number): (.inputOutput, Self.systemMessage(number))
            }
        self.init(code, message, subject: RegularFile.display(path))
    }
}
