// Part of gst-capture. Apache License 2.0, see LICENSE.

/// An event that one task waits for, and that may have happened before.
struct Signal: Sendable {
    private let channel = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))

    /// Ends the wait of the task, or the next one.
    func give() { channel.continuation.yield() }

    /// Waits for the event, or until the task is canceled.
    func wait() async { for await _ in channel.stream { return } }

    /// Waits for the event, but no longer than this.
    func wait(atMost limit: Duration) async {
        await withTaskGroup { group in
            group.addTask { await wait() }
            group.addTask { try? await Task.sleep(for: limit) }
            await group.next()
            group.cancelAll()
        }
    }
}
