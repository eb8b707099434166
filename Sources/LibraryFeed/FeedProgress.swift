// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import Synchronization

/// How far a feed has followed the events of its service, and which ledgers it could not read as a whole. Any thread may
/// use it.
package final class FeedProgress: Sendable {
    private struct State {
        /// The last event that the feed has followed; -1 before it has read all accounts for the first time.
        var event = -1
        var faults: [String: String] = [:]
        var nextID = 0
        var waiting: [Int: (event: Int, continuation: AsyncStream<Void>.Continuation)] = [:]
    }

    private let state = Mutex(State())

    /// Notes that the feed has followed all events up to a number.
    func reach(_ event: Int) {
        let reached = state.withLock { state in
            state.event = max(state.event, event)
            let reached = state.waiting.filter { $0.value.event <= state.event }
            for id in reached.keys { state.waiting[id] = nil }
            return reached.values.map(\.continuation)
        }
        for continuation in reached { continuation.finish() }
    }

    /// Notes that a ledger could not be read as a whole, in words without paths; `nil` if it could.
    func note(_ fault: String?, of series: String) { state.withLock { $0.faults[series] = fault } }

    /// Returns the faults of the ledgers of some series, each with the ID of its series.
    func faults(of series: [String]) -> [String] {
        state.withLock { state in series.compactMap { id in state.faults[id].map { "\(id): \($0)" } } }
    }

    /// Waits until the feed has followed an event.
    ///
    /// - Parameter limit: The longest wait: the feed may read a long account.
    /// - Returns: `false` if it has not.
    func wait(for event: Int, atMost limit: Duration) async -> Bool {
        if hasReached(event) { return true }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.waitWithoutEnd(for: event) }
            group.addTask { try? await Task.sleep(for: limit, clock: .suspending) }
            await group.next()
            group.cancelAll()
        }
        return hasReached(event)
    }

    private func hasReached(_ event: Int) -> Bool { state.withLock { $0.event >= event } }

    private func waitWithoutEnd(for event: Int) async {
        let (stream, continuation) = AsyncStream<Void>.makeStream()
        let id = state.withLock { state -> Int? in
            guard state.event < event else { return nil }
            state.nextID += 1
            state.waiting[state.nextID] = (event, continuation)
            return state.nextID
        }
        guard let id else { return }
        for await _ in stream {}
        state.withLock { _ = $0.waiting.removeValue(forKey: id) }
    }
}
#endif
