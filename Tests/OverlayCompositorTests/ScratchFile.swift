// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc
import Testing

/// A separate file for a test, which is removed when the last reference is released.
final class ScratchFile: Sendable {
    let path: String

    init(_ suffix: String, _ text: String) throws {
        var template = Array("/tmp/gst-capture-test-XXXXXX\(suffix)".utf8CString)
        let descriptor = mkstemps(&template, Int32(suffix.utf8.count))
        try #require(descriptor >= 0)
        path = template.withUnsafeBufferPointer { String(decoding: $0.dropLast().map(UInt8.init), as: UTF8.self) }
        try write(Array(text.utf8), to: descriptor)
        close(descriptor)
    }

    private func write(_ bytes: [UInt8], to descriptor: Int32) throws {
        try #require(Glibc.write(descriptor, bytes, bytes.count) == bytes.count)
    }

    /// Overwrites the file in place.
    func rewrite(_ text: String) throws {
        let descriptor = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC)
        try #require(descriptor >= 0)
        try write(Array(text.utf8), to: descriptor)
        close(descriptor)
    }

    deinit { unlink(path) }
}
