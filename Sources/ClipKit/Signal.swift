// Part of gst-capture. Apache License 2.0, see LICENSE.

import VideoKit

/// An event that one task waits for, and that may have happened before.
struct Signal: Sendable {
    private let channel = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))

    /// Ends the wait of the task, or the next one.
    func give() { channel.continuation.yield() }

    /// Waits for the event, or until the task is canceled.
    func wait() async { for await _ in channel.stream { return } }

    /// Waits for the event, but no longer than this.
    func wait(atMost limit: Duration) async { await TimeLimit.wait(atMost: limit) { await wait() } }
}
