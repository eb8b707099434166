// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import HTTPTypes
import Hummingbird
import NIOCore
import ServiceKit
import UploadKit

/// Server-sent events of a service, for one client.
struct EventStream: Sendable {
    /// The events that a client wants; `nil` for all.
    struct Filter: Sendable {
        var cameras: Set<String>?
        var series: Set<String>?
        var sessions: Set<String>?
        var kinds: Set<String>?

        func accepts(_ event: ServiceEvent) -> Bool {
            accepts(event.kind, camera: event.camera, series: event.series, session: event.session)
        }

        /// Without owners, an event belongs to the whole service.
        func accepts(_ kind: String, camera: String? = nil, series: String? = nil, session: String? = nil) -> Bool {
            Self.accepts(camera, cameras) && Self.accepts(series, self.series) && Self.accepts(session, sessions)
                && kinds?.contains(kind) ?? true
        }

        private static func accepts(_ id: String?, _ ids: Set<String>?) -> Bool {
            guard let ids else { return true }
            return id.map(ids.contains) ?? false
        }
    }

    /// The reason for which the stream writes again.
    private enum Wakeup: Sendable {
        /// An event of the service, or a change of the outbox.
        case events
        /// No event has come for a while: a comment shows whether the client still is there.
        case silence
    }

    private let service: CaptureService
    /// The changes of the outbox; `nil` if the client does not want them.
    private let outbox: OutboxWatch?
    /// The number of the last event that the client has; `nil` if it needs the state first.
    private let known: Int?
    private let filter: Filter

    /// How many events are read at once: a slow client must not keep many of them.
    private static let pageLength = 256
    private static let pause = Duration.seconds(15)
    private static let outboxKind = "outbox"

    /// - Parameters:
    ///   - outbox: The changes of the outbox; `nil` if the service has none.
    ///   - lastEvent: The client's header `Last-Event-ID`.
    init(_ service: CaptureService, _ outbox: OutboxWatch?, after lastEvent: String?, _ filter: Filter) {
        (self.service, self.filter) = (service, filter)
        self.outbox = filter.accepts(Self.outboxKind) ? outbox : nil
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
    /// - Parameter client: The name under which the client has its share of the listeners.
    /// - Throws: ``Problem`` if there are too many listeners.
    func response(
        _ listeners: EventListeners, _ client: String, _ channel: any Channel
    ) throws(Problem) -> Response {
        let listener = try listeners.add(client, channel)
        return Response(
            status: .ok, headers: [.contentType: "text/event-stream"],
            body: ResponseBody { writer in
                try await write(to: &writer, listener, channel)
                try await writer.finish(nil)
            })
    }

    @concurrent
    private func write(
        to writer: inout any ResponseBodyWriter, _ listener: EventListeners.Listener, _ channel: any Channel
    ) async throws {
        let (wakeups, continuation) = AsyncStream.makeStream(
            of: Wakeup.self, bufferingPolicy: .bufferingNewest(1))
        channel.last { continuation.finish() }
        // Begins before the first events are read, so that none falls between.
        let (events, changes) = (service.listen(buffering: 1), outbox?.changes())
        async let _ = Self.forward(events, to: continuation)
        async let _ = Self.forward(changes, to: continuation)
        async let _ = Self.reportSilence(to: continuation)
        var last = try await begin(to: &writer)
        var change: Int?
        listener.move(to: last)
        try await writeChange(after: &change, to: &writer)
        try await writeEvents(after: &last, to: &writer, listener)
        for await wakeup in wakeups {
            let hasChange = try await writeChange(after: &change, to: &writer)
            let hasEvents = try await writeEvents(after: &last, to: &writer, listener)
            if wakeup == .silence, !hasChange, !hasEvents { try await writer.write(ByteBuffer(string: ":\n\n")) }
        }
        if channel.isActive { try await writeEvents(after: &last, to: &writer, listener) }
    }

    /// Writes the first message. Returns the number of the last event that the client knows then.
    @concurrent
    private func begin(to writer: inout any ResponseBodyWriter) async throws -> Int {
        if let known, service.keepsEvents(after: known) {
            try await writer.write(ByteBuffer(string: ": continues\n\n"))
            return known
        }
        let status = await service.status
        try await writer.write(ByteBuffer(string: message("snapshot", status.lastEvent, status.json)))
        return status.lastEvent
    }

    /// Writes the kept events after a number. Returns `true` if the client got one.
    @discardableResult @concurrent
    private func writeEvents(
        after last: inout Int, to writer: inout any ResponseBodyWriter, _ listener: EventListeners.Listener
    ) async throws -> Bool {
        var hasWritten = false
        while true {
            let events = service.events(after: last, most: Self.pageLength)
            guard let first = events.first?.number, let end = events.last?.number else { return hasWritten }
            listener.move(to: end, missed: first - last - 1)
            last = end
            let text = events.filter { filter.accepts($0.event) }
                .map { message($0.event.kind, $0.number, $0.event.json) }.joined()
            guard !text.isEmpty else { continue }
            try await writer.write(ByteBuffer(string: text))
            hasWritten = true
        }
    }

    /// Writes that the outbox has changed, unless the client knows it. It is not kept for clients that come back, and has
    /// no number: each stream begins with it. Returns `true` if the client got it.
    @discardableResult @concurrent
    private func writeChange(after last: inout Int?, to writer: inout any ResponseBodyWriter) async throws -> Bool {
        guard let outbox, last != outbox.changeCount else { return false }
        last = outbox.changeCount
        let data = JSONValue.event(Self.outboxKind, KeyValuePairs())
        try await writer.write(ByteBuffer(string: "event: \(Self.outboxKind)\ndata: \(data.text)\n\n"))
        return true
    }

    private static func forward(_ changes: AsyncStream<Void>?, to wakeups: AsyncStream<Wakeup>.Continuation) async {
        guard let changes else { return }
        for await _ in changes { wakeups.yield(.events) }
    }

    private static func forward(
        _ events: AsyncStream<NumberedEvent<ServiceEvent>>, to wakeups: AsyncStream<Wakeup>.Continuation
    ) async {
        for await _ in events { wakeups.yield(.events) }
        wakeups.finish()
    }

    private static func reportSilence(to wakeups: AsyncStream<Wakeup>.Continuation) async {
        while (try? await Task.sleep(for: pause)) != nil { wakeups.yield(.silence) }
    }

    private func message(_ kind: String, _ number: Int, _ data: JSONValue) -> String {
        "id: \(service.epoch)-\(number)\nevent: \(kind)\ndata: \(data.text)\n\n"
    }
}
#endif
