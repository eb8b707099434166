// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import HTTPTypes
import Hummingbird
import ServiceKit
import Synchronization

/// Server-sent events of a service, for one client.
struct EventStream: Sendable {
    /// The events that a client wants; `nil` for all.
    struct Filter: Sendable {
        var cameras: Set<String>?
        var series: Set<String>?
        var sessions: Set<String>?
        var kinds: Set<String>?

        func accepts(_ event: ServiceEvent) -> Bool {
            Self.accepts(event.camera, cameras) && Self.accepts(event.series, series)
                && Self.accepts(event.session, sessions) && kinds?.contains(event.kind) ?? true
        }

        private static func accepts(_ id: String?, _ ids: Set<String>?) -> Bool {
            guard let ids else { return true }
            return id.map(ids.contains) ?? false
        }
    }

    /// A part of the stream.
    private enum Part: Sendable {
        case event(NumberedEvent<ServiceEvent>)
        /// No event has come for a while: a comment shows whether the client still is there.
        case silence
    }

    private let service: CaptureService
    /// The number of the last event that the client has; `nil` if it needs the state first.
    private let known: Int?
    private let filter: Filter

    /// How many events a client may be behind; a slow client then misses numbers.
    private static let mostEvents = 2048
    private static let pause = Duration.seconds(15)

    /// - Parameter lastEvent: The client's header `Last-Event-ID`.
    init(_ service: CaptureService, after lastEvent: String?, _ filter: Filter) {
        (self.service, self.filter) = (service, filter)
        known = lastEvent.flatMap { Self.number($0, epoch: service.epoch) }
    }

    /// Returns the number in the ID of an event; `nil` if the text is no ID, or that of another process.
    static func number(_ text: String, epoch: String) -> Int? {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0] == epoch, (1...15).contains(parts[1].utf8.count),
            parts[1].utf8.allSatisfy(\.isDigit)
        else { return nil }
        return Int(parts[1])
    }

    /// Returns the response.
    ///
    /// - Throws: ``Problem`` if there are too many listeners.
    func response(_ listeners: EventListeners) throws(Problem) -> Response {
        let listener = try listeners.add()
        return Response(
            status: .ok, headers: [.contentType: "text/event-stream"],
            body: ResponseBody { writer in
                try await write(to: &writer, listener)
                try await writer.finish(nil)
                withExtendedLifetime(listener) {}
            })
    }

    @concurrent
    private func write(
        to writer: inout any ResponseBodyWriter, _ listener: EventListeners.Listener
    ) async throws {
        let status = await service.status
        var first = status.lastEvent
        if let known, known <= status.lastEvent, status.lastEvent - known <= CaptureService.keptEvents {
            first = known
            try await writer.write(ByteBuffer(string: ": continues\n\n"))
        } else {
            try await writer.write(ByteBuffer(string: message("snapshot", status.lastEvent, status.json)))
        }
        let (parts, continuation) = AsyncStream.makeStream(
            of: Part.self, bufferingPolicy: .bufferingNewest(Self.mostEvents))
        async let _ = forward(service.listen(after: first, buffering: Self.mostEvents), to: continuation, listener)
        async let _ = Self.reportSilence(to: continuation)
        for await part in parts {
            switch part {
            case .silence: try await writer.write(ByteBuffer(string: ":\n\n"))
            case .event(let event):
                listener.countRemoved()
                let text = message(event.event.kind, event.number, event.event.json)
                try await writer.write(ByteBuffer(string: text))
            }
        }
    }

    private func forward(
        _ events: AsyncStream<NumberedEvent<ServiceEvent>>, to parts: AsyncStream<Part>.Continuation,
        _ listener: EventListeners.Listener
    ) async {
        for await event in events where filter.accepts(event.event) {
            if case .dropped = parts.yield(.event(event)) { listener.countDropped() } else { listener.countAdded() }
        }
        parts.finish()
    }

    private static func reportSilence(to parts: AsyncStream<Part>.Continuation) async {
        while (try? await Task.sleep(for: pause)) != nil { parts.yield(.silence) }
    }

    private func message(_ kind: String, _ number: Int, _ data: JSONValue) -> String {
        "id: \(service.epoch)-\(number)\nevent: \(kind)\ndata: \(data.text)\n\n"
    }
}

/// Counts the clients that listen to events.
final class EventListeners: Sendable {
    /// A client; it counts while the value lives.
    final class Listener: Sendable {
        private let listeners: EventListeners
        /// How many events wait for the client.
        private let queued = Atomic(0)

        fileprivate init(_ listeners: EventListeners) {
            self.listeners = listeners
            listeners.metrics.changeListeners(by: 1)
        }

        deinit {
            listeners.count.withLock { $0 -= 1 }
            listeners.metrics.changeListeners(by: -1)
            listeners.metrics.changeQueuedEvents(by: -queued.load(ordering: .relaxed))
        }

        /// Counts an event that replaces the oldest one that waits, which the client misses.
        func countDropped() { listeners.metrics.countDroppedEvent() }

        /// Counts an event that waits for the client.
        func countAdded() {
            queued.add(1, ordering: .relaxed)
            listeners.metrics.changeQueuedEvents(by: 1)
        }

        /// Counts an event that goes to the client.
        func countRemoved() {
            queued.subtract(1, ordering: .relaxed)
            listeners.metrics.changeQueuedEvents(by: -1)
        }
    }

    /// The maximum number of clients.
    static let most = 16

    private let count = Mutex(0)
    private let metrics: ServeMetrics

    init(_ metrics: ServeMetrics) { self.metrics = metrics }

    /// Counts a client.
    ///
    /// - Throws: ``Problem`` if there are too many.
    func add() throws(Problem) -> Listener {
        let isFull = count.withLock { count in
            guard count < Self.most else { return true }
            count += 1
            return false
        }
        guard !isFull else {
            throw Problem(CaptureError(.limit, "\(Self.most) clients already listen to events"))
        }
        return Listener(self)
    }
}
#endif
