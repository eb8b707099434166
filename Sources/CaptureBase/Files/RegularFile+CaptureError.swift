// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc
import SystemBase

/// Files that users name. The errors have the path as their subject.
extension RegularFile {
    /// Returns the first bytes of a file, at most `most`.
    package static func read(_ path: String, most: Int) throws(CaptureError) -> [UInt8] {
        do throws(Failure) {
            return try RegularFile(path).bytes(most: most)
        } catch {
            throw CaptureError(error, path)
        }
    }

    /// Checks that a path leads to a regular file that can be read.
    package static func check(_ path: String) throws(CaptureError) { _ = try opened(path) }

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
