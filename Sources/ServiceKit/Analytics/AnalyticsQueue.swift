// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import DatabaseKit
import ScheduleKit
import Synchronization
import SystemBase

/// The product events that were not delivered yet, in an SQLite file, which survives the end of the process.
///
/// An actor with its own thread, as SQLite blocks. ``record(_:)`` does not wait: ``run()`` writes the events.
public actor AnalyticsQueue: ProductEventSink {
    private let executor = BlockingExecutor("gst-capture.analytics")
    /// The thread of the actor.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// An event that waits for its delivery.
    public struct Entry: Sendable, Hashable {
        let row: Int64
        /// The ID of the event, which stays the same when it is sent again.
        public let id: String
        /// The event as JSON.
        public let text: String
    }

    /// The numbers of a queue, for metrics.
    public struct Statistics: Sendable, Hashable {
        /// The events that wait.
        public var waiting = 0
        /// The events that were delivered by this process.
        public var delivered = 0
        /// The events that were removed without delivery: too old, too many, or refused by the receiver.
        public var dropped = 0
    }

    /// The maximum number of events; the oldest make room for new ones.
    public static let most = 100_000
    /// How many events may wait to be written.
    private static let mostUnwritten = 4096

    private let database: Database
    private let keepFor: Duration
    private let capacity: Int
    private nonisolated let incoming = AsyncStream.makeStream(
        of: ProductEvent.self, bufferingPolicy: .bufferingNewest(mostUnwritten))
    private nonisolated let numbers = Mutex(Statistics())

    /// Signals events that were written: the sender waits for them.
    public nonisolated let arrivals: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    /// Opens the queue of a state folder, and creates it if it is missing. Blocks.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - keepFor: How long an event is kept.
    /// - Throws: `CaptureError` if the file cannot be created, or is something else.
    public init(path: String, keepFor: Duration, capacity: Int = AnalyticsQueue.most) throws(CaptureError) {
        (self.keepFor, self.capacity) = (keepFor, capacity)
        (arrivals, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        do throws(DatabaseError) {
            database = try Database(path, .create)
            try database.run(
                """
                PRAGMA journal_mode = WAL;
                PRAGMA synchronous = NORMAL;
                CREATE TABLE IF NOT EXISTS event (
                    row INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL, created INTEGER NOT NULL,
                    body TEXT NOT NULL);
                CREATE INDEX IF NOT EXISTS event_created ON event (created)
                """)
            let count = Int(try database.number("SELECT count(*) FROM event") ?? 0)
            numbers.withLock { $0.waiting = count }
        } catch {
            throw CaptureError(
                .inputOutput, "cannot be used: \(error.message)", subject: path,
                advice: "remove it; the events in it are lost")
        }
    }

    /// The numbers so far.
    public nonisolated var statistics: Statistics { numbers.withLock { $0 } }

    /// Records an event, which is durable soon after. Any thread may call it.
    public nonisolated func record(_ event: ProductEvent) { incoming.continuation.yield(event) }

    /// Ends ``run()`` after the recorded events, and ``arrivals`` after it.
    public nonisolated func finish() { incoming.continuation.finish() }

    /// Writes the events that are recorded, until ``finish()`` or until the task is canceled.
    ///
    /// - Parameter report: Reports an error of the file, after which the event is lost.
    public func run(_ report: @Sendable (CaptureError) -> Void) async {
        for await event in incoming.stream {
            do throws(CaptureError) { try add(event) } catch { report(error) }
        }
        continuation.finish()
    }

    /// Writes an event.
    func add(_ event: ProductEvent) throws(CaptureError) {
        let created = event.time.millisecondsSince1970
        try performing {
            () throws(DatabaseError) in
            _ = try database.insert(
                "INSERT INTO event (id, created, body) VALUES (?, ?, ?)",
                [.text(Self.newID()), .integer(Int64(created)), .text(event.json.text)])
        }
        numbers.withLock { $0.waiting += 1 }
        if statistics.waiting > capacity { try removeOldest() }
        continuation.yield()
    }

    /// Returns the oldest event; `nil` if there is none. Events that are too old are removed first.
    ///
    /// - Throws: `CaptureError` if the file fails.
    public func next(at now: WallTime = .now()) throws(CaptureError) -> Entry? {
        let oldest = Int64(now.millisecondsSince1970) - keepFor.nanoseconds / 1_000_000
        try remove("created < ?", [.integer(oldest)])
        return try performing { () throws(DatabaseError) in
            let statement = try database.prepare("SELECT row, id, body FROM event ORDER BY row LIMIT 1")
            guard try statement.next() else { return nil }
            return Entry(
                row: try statement.requiredInteger(0), id: try statement.requiredText(1),
                text: try statement.requiredText(2))
        }
    }

    /// Removes an event that was delivered, or that its receiver refuses.
    public func remove(_ entry: Entry, isDelivered: Bool) throws(CaptureError) {
        try performing { () throws(DatabaseError) in
            _ = try database.insert("DELETE FROM event WHERE row = ?", [.integer(entry.row)])
        }
        numbers.withLock { numbers in
            numbers.waiting -= 1
            if isDelivered { numbers.delivered += 1 } else { numbers.dropped += 1 }
        }
    }

    private func removeOldest() throws(CaptureError) {
        try remove("row <= (SELECT max(row) FROM event) - ?", [.integer(Int64(capacity))])
    }

    private func remove(_ condition: String, _ values: [DatabaseValue]) throws(CaptureError) {
        let count = try performing { () throws(DatabaseError) in
            try database.insert("DELETE FROM event WHERE \(condition)", values)
            return Int(try database.number("SELECT changes()") ?? 0)
        }
        numbers.withLock { numbers in
            numbers.waiting -= count
            numbers.dropped += count
        }
    }

    private func performing<Result>(_ body: () throws(DatabaseError) -> Result) throws(CaptureError) -> Result {
        do throws(DatabaseError) {
            return try body()
        } catch {
            throw CaptureError(.inputOutput, "cannot be used: \(error.message)", subject: "analytics")
        }
    }

    private static func newID() -> String {
        var generator = SystemRandomNumberGenerator()
        return "evt_" + String(generator.next(), radix: 36) + String(generator.next(), radix: 36)
    }
}
