// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import NIOCore
import Synchronization

/// A number of places for responses that last, which clients share. A client that gets the place of another one
/// disconnects it. Any thread may use it.
package final class ClientShare: Sendable {
    /// A place; it is free when the value is released.
    package final class Place: Sendable {
        private let share: ClientShare
        private let number: Int

        fileprivate init(_ share: ClientShare, _ number: Int) { (self.share, self.number) = (share, number) }

        deinit { share.free(number) }
    }

    private struct State {
        var share: FairShare
        var channels = PlaceHolders<any Channel>()
    }

    private let state: Mutex<State>

    package init(most: Int) { state = Mutex(State(share: FairShare(most: most))) }

    /// Returns a place; `nil` if there is none for the client.
    ///
    /// - Parameters:
    ///   - client: The name under which the client has its share.
    ///   - channel: Its connection.
    ///   - use: What it does with the place.
    package func add(_ client: String, _ channel: any Channel, _ use: FairShare.Use = .lasting) -> Place? {
        let (number, loser) = state.withLock { $0.channels.add(channel, $0.share.admit(client, use)) }
        loser?.close(mode: .all, promise: nil)
        return number.map { Place(self, $0) }
    }

    private func free(_ number: Int) {
        state.withLock { state in
            state.share.free(number)
            state.channels.remove(number)
        }
    }
}

extension Channel {
    /// Says that the current response lasts until the client leaves: the connection is then closed at once, and
    /// `onClose` is called.
    package func last(onClose: @escaping @Sendable () -> Void) {
        closeFuture.whenComplete { _ in onClose() }
        triggerUserOutboundEvent(LastingResponse(), promise: nil)
    }
}
#endif
