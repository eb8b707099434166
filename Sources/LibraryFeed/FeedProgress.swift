// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import ServiceKit
import Synchronization

/// How far a feed has followed the events of its service, and which accounts it could not read as a whole: those of series
/// by their IDs, and those of sessions by their folders. Any thread may use it.
package final class FeedProgress: Sendable {
    private struct State {
        /// The last event that the feed has followed; -1 before it has read all accounts for the first time.
        var event = -1
        var faults: [String: String] = [:]
        /// The requests that wait for events.
        var waiting: [(event: Int, completion: Completion)] = []
    }

    private let state = Mutex(State())

    /// Notes that the feed has followed all events up to a number.
    func reach(_ event: Int) {
        state.withLock { state in
            state.event = max(state.event, event)
            for request in state.waiting where request.event <= state.event { request.completion.complete() }
            state.waiting.removeAll { $0.event <= state.event }
        }
    }

    /// Notes that an account could not be read as a whole, in words without paths; `nil` if it could.
    func note(_ fault: String?, of account: String) { state.withLock { $0.faults[account] = fault } }

    /// Returns the faults of some accounts, each with the name of its account.
    func faults(of accounts: [String]) -> [String] {
        state.withLock { state in accounts.compactMap { id in state.faults[id].map { "\(id): \($0)" } } }
    }

    /// Waits until the feed has followed an event.
    ///
    /// - Parameter limit: The longest wait: the feed may read a long account.
    /// - Returns: `false` if it has not.
    func wait(for event: Int, atMost limit: Duration) async -> Bool {
        let completion = Completion()
        let hasReached = state.withLock { state in
            if state.event < event { state.waiting.append((event, completion)) }
            return state.event >= event
        }
        if hasReached { return true }
        await [completion].wait(atMost: limit)
        state.withLock { $0.waiting.removeAll { $0.completion === completion } }
        return completion.isComplete
    }
}
#endif
