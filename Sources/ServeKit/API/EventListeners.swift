// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import ConnectionKit
import NIOCore

/// Counts the clients that listen to events.
final class EventListeners: Sendable {
    /// A client; it counts while the value lives.
    final class Listener: Sendable {
        private let metrics: ServeMetrics
        private let place: ClientShare.Place

        fileprivate init(_ metrics: ServeMetrics, _ place: ClientShare.Place) {
            (self.metrics, self.place) = (metrics, place)
        }

        deinit { metrics.move(ObjectIdentifier(self), to: nil) }

        /// Notes the last event that the client has.
        ///
        /// - Parameter missed: How many events before it the client has missed because it reads too slowly.
        func move(to event: Int, missed: Int = 0) {
            metrics.move(ObjectIdentifier(self), to: event)
            metrics.countDroppedEvents(missed)
        }
    }

    /// The maximum number of clients.
    static let most = 16

    private let share = ClientShare(most: most)
    private let metrics: ServeMetrics

    init(_ metrics: ServeMetrics) { self.metrics = metrics }

    /// Counts a client. If there are too many, the oldest of the one with the most has to leave.
    ///
    /// - Throws: ``Problem`` if there are too many, and none has to leave.
    func add(_ client: String, _ channel: any Channel) throws(Problem) -> Listener {
        guard let place = share.add(client, channel) else {
            throw Problem(CaptureError(.limit, "\(Self.most) clients already listen to events"))
        }
        return Listener(metrics, place)
    }
}
#endif
