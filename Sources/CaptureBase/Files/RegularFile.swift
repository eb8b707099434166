// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc

/// Reads regular files that users name, and refuses everything else that a path may lead to.
package enum RegularFile {
    /// Returns the first bytes of a file, at most `most`.
    ///
    /// The call never waits: it refuses a FIFO or a device before reading.
    package static func read(_ path: String, most: Int) throws(CaptureError) -> [UInt8] {
        let descriptor = try descriptor(path)
        defer { close(descriptor) }
        return try bytes(descriptor, path, most)
    }

    /// Checks that a path leads to a regular file that can be read.
    package static func check(_ path: String) throws(CaptureError) { close(try descriptor(path)) }

    /// Opens a regular file. The caller closes the descriptor.
    package static func descriptor(_ path: String) throws(CaptureError) -> Int32 {
        guard !path.utf8.contains(0) else { throw CaptureError(.noInput, "contains a NUL", subject: display(path)) }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { throw opening(path, errno) }
        var status = stat()
        let failure = fstat(descriptor, &status) == 0 ? nil : opening(path, errno)
        if failure == nil, status.st_mode & S_IFMT == S_IFREG { return descriptor }
        close(descriptor)
        let isFolder = status.st_mode & S_IFMT == S_IFDIR
        throw failure
            ?? CaptureError(.noInput, isFolder ? "is a folder" : "is not a regular file", subject: display(path))
    }

    /// `true` for a regular file, or for a link to one (`stat(2)`).
    package static func isRegular(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    private static func bytes(_ descriptor: Int32, _ path: String, _ most: Int) throws(CaptureError) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < most {
            var failure: Int32 = 0
            let chunk = [UInt8](unsafeUninitializedCapacity: most - bytes.count) { buffer, count in
                let result = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
                if result < 0 { failure = errno }
                count = max(0, result)
            }
            if failure == EINTR { continue }
            guard failure == 0 else {
                throw CaptureError(.inputOutput, CaptureError.systemMessage(failure), subject: display(path))
            }
            if chunk.isEmpty { break }
            bytes += chunk
        }
        return bytes
    }

    private static func opening(_ path: String, _ code: Int32) -> CaptureError {
        switch code {
        case ENOENT, ENOTDIR:
            CaptureError(.noInput, "there is no such file", subject: display(path))
        case EACCES, EPERM:
            CaptureError(.permission, CaptureError.systemMessage(code), subject: display(path))
        default:
            CaptureError(.noInput, CaptureError.systemMessage(code), subject: display(path))
        }
    }

    /// Returns the path, fit for one line of a message.
    package static func display(_ path: String) -> String { FixedText.clean(path.utf8) }
}
