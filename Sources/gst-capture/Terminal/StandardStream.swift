// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc
import Synchronization

/// Standard output or standard error, written a whole line at a time and without a buffer of its own.
struct StandardStream: Sendable, Hashable {
    /// Paths and JSON: what programs read.
    static let output = StandardStream(descriptor: STDOUT_FILENO)
    /// Progress and errors: what people read.
    static let error = StandardStream(descriptor: STDERR_FILENO)

    /// The file descriptor.
    let descriptor: Int32

    /// True where something could not be written to standard output: what programs read is not complete.
    static var hasLostOutput: Bool { lostOutput.load(ordering: .relaxed) }
    private static let lostOutput = Atomic(false)

    /// Keeps the places of streams that are closed: the next file that is opened would become one of them.
    static func holdPlaces() {
        for place in STDIN_FILENO...STDERR_FILENO where fcntl(place, F_GETFD) < 0 { _ = open("/dev/null", O_RDWR) }
    }

    /// Writes text and a line end.
    @discardableResult
    func line(_ text: String) -> Bool { write(text + "\n") }

    /// Writes text as it is (`write(2)`); one call where the reader is fast enough, so lines never mix.
    ///
    /// - Returns: False where it could not be written, such as to a pipe that nobody reads any more.
    @discardableResult
    func write(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)
            while let start = rest.baseAddress, !rest.isEmpty {
                let written = Glibc.write(descriptor, start, rest.count)
                if written > 0 {
                    rest = UnsafeRawBufferPointer(rebasing: rest[written...])
                } else if errno == EAGAIN {
                    waitUntilWritable()
                } else if errno != EINTR {
                    if descriptor == STDOUT_FILENO { Self.lostOutput.store(true, ordering: .relaxed) }
                    return false
                }
            }
            return true
        }
    }

    // Whoever shares the terminal with us may have made it non-blocking.
    private func waitUntilWritable() {
        var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = poll(&request, 1, -1)
    }
}
