// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc

/// Standard input, without a buffer. Other processes may share it and its flags, such as `O_NONBLOCK`.
package enum StandardInput {
    /// Reads available bytes, and waits until there are some (`read(2)`, `poll(2)`). It blocks.
    ///
    /// - Returns: How many bytes were read; 0 at the end of the input, and -1 after an error, with its `errno`.
    package static func read(into bytes: inout [UInt8]) -> Int {
        while true {
            let count = Glibc.read(STDIN_FILENO, &bytes, bytes.count)
            if count >= 0 { return count }
            switch errno {
            case EINTR: continue
            case EAGAIN: awaitBytes()
            default: return count
            }
        }
    }

    /// Waits until there are bytes, or the end of the input. It blocks.
    ///
    /// - Parameter limit: How long to wait, in milliseconds; -1 to wait without a limit.
    /// - Returns: `false` if nothing came in time.
    @discardableResult
    static func awaitBytes(within limit: Int32 = -1) -> Bool {
        var request = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        return poll(&request, 1, limit) > 0
    }
}
