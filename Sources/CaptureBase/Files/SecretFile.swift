// Part of gst-capture. Apache License 2.0, see LICENSE.

import SystemBase

/// A file whose first line is a password or another secret.
package enum SecretFile {
    private static let mostBytes = 4096

    /// Returns the first line. Blocks.
    ///
    /// - Throws: `CaptureError` if the file cannot be read, or other users can read it.
    package static func line(_ path: String) throws(CaptureError) -> String {
        guard try RegularFile.opened(path).status.st_mode & 0o007 == 0 else {
            throw CaptureError(
                .permission, "other users can read it", subject: path, advice: "chmod it to 640 or 600")
        }
        let bytes = try RegularFile.read(path, most: mostBytes)
        guard let text = String(validating: bytes, as: UTF8.self),
            let line = text.split(separator: "\n", omittingEmptySubsequences: false).first, !line.isEmpty
        else { throw CaptureError(.configuration, "has no secret in its first line", subject: path) }
        return String(line)
    }
}
