// Part of gst-capture. Apache License 2.0, see LICENSE.

import SystemBase

/// The size and the hash of a file, which is read in pieces.
package struct FileDigest {
    package let byteCount: Int
    package let sha256: String

    package init(byteCount: Int, sha256: String) { (self.byteCount, self.sha256) = (byteCount, sha256) }

    /// - Parameter most: The expected size, in bytes. Reading stops beyond it: a larger file has changed.
    package init(_ path: String, most: Int) throws(CaptureError) {
        try self.init(try RegularFile.opened(path), path, most: most)
    }

    /// Reads a file that is open, from its beginning.
    ///
    /// - Parameters:
    ///   - path: The subject of errors.
    ///   - isCanceled: Returns `true` to end soon with an error.
    package init(
        _ file: consuming RegularFile, _ path: String, most: Int, isCanceled: () -> Bool = { Task.isCancelled }
    ) throws(CaptureError) {
        var sum = SHA256()
        var (count, piece) = (0, [UInt8](repeating: 0, count: 1 << 18))
        while count <= most {
            if isCanceled() { throw CaptureError(.temporary, "reading was canceled", subject: path) }
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
