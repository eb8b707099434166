// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation
import Testing

/// A FIFO that is read on a separate thread.
struct NamedPipe {
    /// The lines as they arrive, for one reader. The stream ends when the last process that writes has closed the FIFO,
    /// or has ended.
    let lines: AsyncStream<String>

    /// Makes the FIFO, and waits for the first process that opens it for writing.
    init(_ path: String) throws {
        try #require(mkfifo(path, 0o600) == 0)
        let (lines, continuation) = AsyncStream.makeStream(of: String.self)
        self.lines = lines
        Thread.detachNewThread {
            let descriptor = open(path, O_RDONLY | O_CLOEXEC)
            var (rest, bytes) = ([UInt8](), [UInt8](repeating: 0, count: 4096))
            while case let count = read(descriptor, &bytes, bytes.count), count > 0 {
                rest += bytes[..<count]
                while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    continuation.yield(String(decoding: rest[..<end], as: UTF8.self))
                    rest.removeSubrange(...end)
                }
            }
            close(descriptor)
            continuation.finish()
        }
    }
}
