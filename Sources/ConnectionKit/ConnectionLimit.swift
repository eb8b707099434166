// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import NIOCore
import Synchronization

/// Limits the connections of all listeners, and those of each network. A connection without a request gives way to a
/// newcomer. Any thread may use it.
package final class ConnectionLimit: Sendable {
    /// How many connections a network may have.
    static let mostOfNetwork = 64
    /// How many connections there may be.
    package static let most = 256

    private struct State {
        var share: FairShare
        var channels = PlaceHolders<any Channel>()
    }

    private let state: Mutex<State>
    private let report: @Sendable (_ change: Int) -> Void

    /// - Parameters:
    ///   - most: How many connections there may be.
    ///   - report: Called with each change of their number.
    package init(most: Int = ConnectionLimit.most, report: @escaping @Sendable (_ change: Int) -> Void = { _ in }) {
        state = Mutex(State(share: FairShare(most: most, mostOfNetwork: Self.mostOfNetwork)))
        self.report = report
    }

    /// Counts a connection until it closes, and closes the one whose place it gets. Returns the number of the
    /// connection; `nil` if there are too many.
    func admit(_ channel: any Channel) -> Int? {
        let network = channel.network
        let (number, loser) = state.withLock { $0.channels.add(channel, $0.share.admit(network, .idle)) }
        loser?.close(mode: .all, promise: nil)
        guard let number else { return nil }
        report(1)
        channel.closeFuture.whenComplete { [self] _ in
            state.withLock { state in
                state.share.free(number)
                state.channels.remove(number)
            }
            report(-1)
        }
        return number
    }

    /// Notes whether a connection waits for a request.
    func change(_ number: Int, isIdle: Bool) {
        state.withLock { $0.share.change(number, to: isIdle ? .idle : .firm) }
    }
}
#endif
