// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import DatabaseKit
import ScheduleKit
import Synchronization
import SystemBase

/// The product events that were not delivered yet, in an SQLite file, which survives the end of the process.
///
/// Each receiver gets all events in their order, at its own pace. The file keeps how far each one is, and an event until
/// all receivers have it or refuse it.
///
/// An actor with its own thread, as SQLite blocks. ``record(_:)`` does not wait: ``run(_:)`` writes the events. Until
/// ``open()`` succeeds, some events wait in memory: a file that cannot be used keeps no camera off.
public actor AnalyticsQueue: ProductEventSink {
    private let executor = BlockingExecutor("gst-capture.analytics")
    /// The thread of the actor.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// An event that waits for its delivery.
    public struct Entry: Sendable, Hashable {
        /// The number of the event in the file. Later events have higher numbers.
        public let row: Int64
        /// The ID of the event, which stays the same when it is sent again.
        public let id: String
        /// The event as JSON.
        public let text: String
    }

    /// The numbers of a queue, for metrics.
    public struct Statistics: Sendable, Hashable {
        /// The events that wait.
        public var waiting = 0
        /// The events that all receivers got, since this process began.
        public var delivered = 0
        /// The events that were lost or removed without delivery: too old, too many, refused by a receiver, or not
        /// written.
        public var dropped = 0
    }

    /// The clocks of a moment: the time of day, which can jump, and one that does not.
    struct Moment: Sendable {
        let wall: WallTime
        let steady: ContinuousClock.Instant

        static var now: Self { Self(wall: .now(), steady: .now) }

        /// The time by which the time of day has jumped since an earlier moment, in milliseconds.
        func jump(since earlier: Self) -> Int64 {
            let wallSpan = Int64(wall.millisecondsSince1970 - earlier.wall.millisecondsSince1970)
            return wallSpan - earlier.steady.duration(to: steady).nanoseconds / 1_000_000
        }
    }

    /// The maximum number of events; the oldest make room for new ones.
    public static let most = 100_000
    /// How many events may wait to be written.
    private static let mostUnwritten = 4096

    /// A smaller change of the time of day is a correction of its speed, and no jump.
    private static let leastJump: Int64 = 10_000

    private let path: String
    private let keepFor: Duration
    private let capacity: Int
    private let now: @Sendable () -> Moment
    private var database: Database?
    /// The number of the last event that each receiver has or refuses; 0 for none.
    private var places: [String: Int64] = [:]
    /// The events in the file that a receiver refuses.
    private var refused: Set<Int64> = []
    /// The moment to which the times in the file belong.
    private var last: Moment
    private nonisolated let incoming = AsyncStream.makeStream(
        of: ProductEvent.self, bufferingPolicy: .bufferingNewest(mostUnwritten))
    private nonisolated let numbers = Mutex(Statistics())
    private nonisolated let problem = Mutex<CaptureError?>(nil)

    /// Signals events that were written: the sender waits for them.
    public nonisolated let arrivals: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    /// Creates the queue of a state folder; nothing is opened yet.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - keepFor: How long an event is kept.
    public init(path: String, keepFor: Duration, capacity: Int = AnalyticsQueue.most) {
        self.init(path: path, keepFor: keepFor, capacity: capacity) { .now }
    }

    init(path: String, keepFor: Duration, capacity: Int, now: @escaping @Sendable () -> Moment) {
        (self.path, self.keepFor, self.capacity, self.now) = (path, keepFor, capacity, now)
        last = now()
        (arrivals, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Opens the file, and creates it with its folder if it is missing; has no effect if it is open.
    ///
    /// - Parameter receivers: The names of the receivers. One that is new gets all events that wait.
    /// - Throws: `CaptureError` if the file cannot be created, or is something else; ``fault`` keeps the error.
    public func open(for receivers: [String]) throws(CaptureError) {
        guard database == nil else { return }
        do throws(CaptureError) {
            try PrivateFolder.make(StillFolder.path(of: path))
            let database = try Self.open(path)
            do throws(DatabaseError) {
                for receiver in receivers { places[receiver] = try Self.place(of: receiver, database) }
                // An earlier process may have had another receiver, which does not get them any more.
                _ = try removeFinished(database)
                let count = Int(try database.number("SELECT count(*) FROM event") ?? 0)
                numbers.withLock { $0.waiting = count }
            } catch {
                throw Self.error(error, path)
            }
            self.database = database
            problem.withLock { $0 = nil }
        } catch {
            problem.withLock { $0 = error }
            throw error
        }
    }

    /// The error that keeps the file from being used; `nil` if there is none.
    public nonisolated var fault: CaptureError? { problem.withLock { $0 } }

    private static func open(_ path: String) throws(CaptureError) -> Database {
        do throws(DatabaseError) {
            let database = try Database(path, .create)
            try database.run(
                """
                PRAGMA journal_mode = WAL;
                PRAGMA synchronous = NORMAL;
                CREATE TABLE IF NOT EXISTS event (
                    row INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL, created INTEGER NOT NULL,
                    body TEXT NOT NULL);
                CREATE INDEX IF NOT EXISTS event_created ON event (created);
                CREATE TABLE IF NOT EXISTS receiver (name TEXT PRIMARY KEY, row INTEGER NOT NULL) WITHOUT ROWID
                """)
            return database
        } catch {
            throw Self.error(error, path)
        }
    }

    private static func place(of receiver: String, _ database: Database) throws(DatabaseError) -> Int64 {
        let rows = try database.prepare("SELECT row FROM receiver WHERE name = ?", [.text(receiver)])
        return try rows.next() ? try rows.requiredInteger(0) : 0
    }

    private static func error(_ error: DatabaseError, _ path: String) -> CaptureError {
        CaptureError(
            .inputOutput, "cannot be used: \(error.message)", subject: path,
            advice: "make its folder writable, or remove the file; the events in it are lost")
    }

    /// The numbers so far.
    public nonisolated var statistics: Statistics { numbers.withLock { $0 } }

    /// Records an event, which is durable soon after. Any thread may call it.
    public nonisolated func record(_ event: ProductEvent) {
        if case .dropped = incoming.continuation.yield(event) { numbers.withLock { $0.dropped += 1 } }
    }

    /// Ends ``run(_:)`` after the recorded events, and ``arrivals`` after it.
    public nonisolated func finish() { incoming.continuation.finish() }

    /// Writes the events that are recorded, until ``finish()`` or until the task is canceled.
    ///
    /// - Parameter report: Reports an error of the file, after which the event is lost.
    public func run(_ report: @Sendable (CaptureError) -> Void) async {
        for await event in incoming.stream {
            do throws(CaptureError) {
                try add(event)
            } catch {
                numbers.withLock { $0.dropped += 1 }
                report(error)
            }
        }
        continuation.finish()
    }

    /// Writes an event.
    func add(_ event: ProductEvent) throws(CaptureError) {
        // The time of the event may be one from before a jump.
        let created = try followClock()
        try performing { database throws(DatabaseError) in
            _ = try database.insert(
                "INSERT INTO event (id, created, body) VALUES (?, ?, ?)",
                [.text(Self.newID()), .integer(created), .text(event.json.text)])
        }
        numbers.withLock { $0.waiting += 1 }
        if statistics.waiting > capacity { try removeOldest() }
        continuation.yield()
    }

    /// Returns the oldest event that a receiver neither has nor refuses; `nil` if there is none. Events that are too old
    /// are removed first.
    ///
    /// - Throws: `CaptureError` if the file fails.
    public func next(for receiver: String) throws(CaptureError) -> Entry? {
        let oldest = try followClock() - keepFor.nanoseconds / 1_000_000
        try remove("created < ?", [.integer(oldest)])
        return try performing { database throws(DatabaseError) in
            let statement = try database.prepare(
                "SELECT row, id, body FROM event WHERE row > ? ORDER BY row LIMIT 1",
                [.integer(places[receiver] ?? 0)])
            guard try statement.next() else { return nil }
            return Entry(
                row: try statement.requiredInteger(0), id: try statement.requiredText(1),
                text: try statement.requiredText(2))
        }
    }

    /// Records that a receiver has an event and all earlier ones, or refuses them. The events that this holds for all
    /// receivers are removed.
    ///
    /// - Parameter isDelivered: `false` if the receiver refuses the event.
    /// - Throws: `CaptureError` if the file fails; nothing has changed then.
    public func finish(_ entry: Entry, by receiver: String, isDelivered: Bool) throws(CaptureError) {
        let earlier = places
        places[receiver] = max(entry.row, places[receiver] ?? 0)
        var removed: [Int64] = []
        do throws(CaptureError) {
            try performing { database throws(DatabaseError) in
                try database.transaction { () throws(DatabaseError) in
                    try database.insert(
                        "INSERT INTO receiver (name, row) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET row = ?2",
                        [.text(receiver), .integer(places[receiver] ?? 0)])
                    removed = try removeFinished(database)
                }
            }
        } catch {
            places = earlier
            throw error
        }
        if !isDelivered { refused.insert(entry.row) }
        count(removed)
    }

    /// Removes the events that all receivers have or refuse, and returns their numbers.
    private func removeFinished(_ database: Database) throws(DatabaseError) -> [Int64] {
        guard let last = places.values.min() else { return [] }
        let rows = try database.prepare("DELETE FROM event WHERE row <= ? RETURNING row", [.integer(last)])
        var removed: [Int64] = []
        while try rows.next() { removed.append(try rows.requiredInteger(0)) }
        return removed
    }

    /// Counts events that were removed because all receivers have or refuse them.
    private func count(_ removed: [Int64]) {
        let dropped = removed.count { refused.contains($0) }
        let last = places.values.min() ?? 0
        refused = refused.filter { $0 > last }
        numbers.withLock { numbers in
            numbers.waiting -= removed.count
            numbers.delivered += removed.count - dropped
            numbers.dropped += dropped
        }
    }

    private func removeOldest() throws(CaptureError) {
        try remove("row <= (SELECT max(row) FROM event) - ?", [.integer(Int64(capacity))])
    }

    private func remove(_ condition: String, _ values: [DatabaseValue]) throws(CaptureError) {
        let count = try performing { database throws(DatabaseError) in
            try database.insert("DELETE FROM event WHERE \(condition)", values)
            return Int(try database.number("SELECT changes()") ?? 0)
        }
        numbers.withLock { numbers in
            numbers.waiting -= count
            numbers.dropped += count
        }
    }

    /// Moves the times in the file with a time of day that has jumped: events are as old as before. A machine without a
    /// battery starts at some time of the past, and gets the right one from the network.
    ///
    /// - Returns: The time of day in milliseconds.
    private func followClock() throws(CaptureError) -> Int64 {
        let moment = now()
        let jump = moment.jump(since: last)
        if abs(jump) >= Self.leastJump {
            try performing { database throws(DatabaseError) in
                _ = try database.insert("UPDATE event SET created = created + ?", [.integer(jump)])
            }
        }
        last = moment
        return Int64(moment.wall.millisecondsSince1970)
    }

    private func performing<Result>(
        _ body: (Database) throws(DatabaseError) -> Result
    ) throws(CaptureError) -> Result {
        guard let database else {
            throw fault ?? CaptureError(.inputOutput, "is not open", subject: "analytics")
        }
        do throws(DatabaseError) {
            let result = try body(database)
            problem.withLock { $0 = nil }
            return result
        } catch {
            let error = CaptureError(.inputOutput, "cannot be used: \(error.message)", subject: "analytics")
            problem.withLock { $0 = error }
            throw error
        }
    }

    private static func newID() -> String {
        var generator = SystemRandomNumberGenerator()
        return "evt_" + String(generator.next(), radix: 36) + String(generator.next(), radix: 36)
    }
}
