// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc
import Synchronization

/// Standard output or standard error, without a buffer.
package struct StandardStream: Sendable, Hashable {
    /// Standard output: paths and JSON, for programs.
    package static let output = StandardStream(descriptor: STDOUT_FILENO)
    /// Standard error: progress and errors, for people.
    package static let error = StandardStream(descriptor: STDERR_FILENO)

    /// The file descriptor.
    let descriptor: Int32

    /// `true` if standard output is not complete: a write failed, or reports were dropped.
    package static var hasLostOutput: Bool { isBroken || hasGap.load(ordering: .relaxed) }
    /// `true` if a write to standard output failed.
    package static var isBroken: Bool { hasFailed.load(ordering: .relaxed) }
    private static let hasFailed = Atomic(false)
    private static let hasGap = Atomic(false)

    /// Opens `/dev/null` for standard streams that are closed; otherwise the next file that is opened would take their
    /// descriptor.
    package static func holdPlaces() {
        for place in STDIN_FILENO...STDERR_FILENO where fcntl(place, F_GETFD) < 0 { _ = open("/dev/null", O_RDWR) }
    }

    /// Writes text and a line break.
    @discardableResult
    package func line(_ text: String) -> Bool { write(text + "\n") }

    /// Writes text (`write(2)`). On a pipe, lines of up to 4096 bytes never mix with those of other writers.
    ///
    /// It blocks while the reader stalls, until ``waitNoLonger()``. While a capture or a session runs, do not call it
    /// on Swift's cooperative pool; commands that only read and print may.
    ///
    /// - Returns: `false` if the text cannot be written, such as to a pipe without readers.
    @discardableResult
    package func write(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)
            while let start = rest.baseAddress, !rest.isEmpty {
                let isReady = waitUntilWritable()
                let written = isReady ? Glibc.write(descriptor, start, min(rest.count, Self.pieceSize)) : -1
                if written > 0 {
                    rest = UnsafeRawBufferPointer(rebasing: rest[written...])
                } else if !isReady || errno != EAGAIN && errno != EINTR {
                    if descriptor == STDOUT_FILENO { Self.hasFailed.store(true, ordering: .relaxed) }
                    return false
                }
            }
            return true
        }
    }

    /// The bytes that a pipe accepts without blocking when poll(2) reports it as writable (`PIPE_BUF`).
    private static let pieceSize = 4096

    /// Records that reports were dropped because nothing read standard output in time.
    package static func recordGap() { hasGap.store(true, ordering: .relaxed) }

    /// Ends all waits for readers that stall. From now on, text that cannot be written at once is lost.
    package static func waitNoLonger() {
        if !isImpatient.exchange(true, ordering: .relaxed) { close(patience.writer) }
    }

    private static let isImpatient = Atomic(false)

    /// A pipe whose writer is closed to end all waits.
    private static let patience: (reader: Int32, writer: Int32) = {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return (-1, -1) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }()

    /// Waits until write(2) does not block; returns `false` after ``waitNoLonger()``.
    private func waitUntilWritable() -> Bool {
        while true {
            var requests = [
                pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0),
                pollfd(fd: Self.patience.reader, events: Int16(POLLIN), revents: 0),
            ]
            // If poll(2) fails, write(2) reports the error.
            guard poll(&requests, nfds_t(requests.count), -1) >= 0 else {
                if errno == EINTR { continue }
                return true
            }
            if requests[0].revents != 0 { return true }
            if requests[1].revents != 0 { return false }
        }
    }
}
