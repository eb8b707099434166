// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import NIOCore

/// The writes of a connection, to find a client that does not read. The times are those of the event loop.
struct StalledWrites: Sendable {
    /// The time within which a write must complete while one is pending.
    static let patience = TimeAmount.seconds(30)

    private var pending = 0
    private var lastProgress = NIODeadline.uptimeNanoseconds(0)

    /// When the client counts as stalled; `nil` if no write is pending.
    var deadline: NIODeadline? { pending > 0 ? lastProgress + Self.patience : nil }

    mutating func begin(at now: NIODeadline) {
        if pending == 0 { lastProgress = now }
        pending += 1
    }

    mutating func complete(at now: NIODeadline) {
        pending -= 1
        lastProgress = now
    }

    /// `true` if the client has stalled.
    func isStalled(at now: NIODeadline) -> Bool { deadline.map { $0 <= now } ?? false }
}
#endif
