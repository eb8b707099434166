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
                try await write(to: &writer)
                try await writer.finish(nil)
                withExtendedLifetime(listener) {}
            })
    }

    @concurrent
    private func write(to writer: inout any ResponseBodyWriter) async throws {
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
        async let _ = forward(service.listen(after: first, buffering: Self.mostEvents), to: continuation)
        async let _ = Self.reportSilence(to: continuation)
        for await part in parts {
            switch part {
            case .silence: try await writer.write(ByteBuffer(string: ":\n\n"))
            case .event(let event):
                let text = message(event.event.kind, event.number, event.event.json)
                try await writer.write(ByteBuffer(string: text))
            }
        }
    }

    private func forward(
        _ events: AsyncStream<NumberedEvent<ServiceEvent>>, to parts: AsyncStream<Part>.Continuation
    ) async {
        for await event in events where filter.accepts(event.event) { parts.yield(.event(event)) }
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

        fileprivate init(_ listeners: EventListeners) { self.listeners = listeners }

        deinit { listeners.count.withLock { $0 -= 1 } }
    }

    /// The maximum number of clients.
    static let most = 16

    private let count = Mutex(0)

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
            throw Problem(CaptureError(.temporary, "\(Self.most) clients already listen to events"))
        }
        return Listener(self)
    }
}
#endif
