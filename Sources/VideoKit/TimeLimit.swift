// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A limit for how long a task waits.
package enum TimeLimit {
    /// Waits until `body` returns, but no longer than `limit`: then `body` is canceled, and must return soon.
    package static func wait(atMost limit: Duration, for body: @escaping @Sendable () async -> Void) async {
        await withTaskGroup { group in
            group.addTask { await body() }
            group.addTask { try? await Task.sleep(for: limit) }
            await group.next()
            group.cancelAll()
        }
    }
}
