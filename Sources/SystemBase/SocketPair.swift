// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc

/// Two connected sockets (`socketpair`), one for this process and one for a child. No other child inherits them.
///
/// They also serve as pipes: Glibc declares pipe2(2), whose ends no other child inherits either, for `_GNU_SOURCE` only.
package struct SocketPair: ~Copyable {
    private let ours: Int32
    /// The descriptor for the child, valid as long as the pair exists.
    package let theirs: Int32

    /// - Parameter kind: `SOCK_STREAM`, or `SOCK_SEQPACKET` to preserve message boundaries.
    /// - Throws: ``ChildProcess/NotStarted`` if there are no more descriptors.
    package init(_ kind: __socket_type = SOCK_STREAM) throws(ChildProcess.NotStarted) {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(kind.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw ChildProcess.NotStarted(code: errno)
        }
        (ours, theirs) = (ends[0], ends[1])
    }

    deinit {
        close(ours)
        close(theirs)
    }

    /// Closes the child's end, and returns that of this process, which the caller must close.
    package consuming func keepOurs() -> Int32 {
        let descriptor = ours
        close(theirs)
        discard self
        return descriptor
    }
}
