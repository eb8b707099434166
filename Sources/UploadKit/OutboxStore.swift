// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import DatabaseKit
import Glibc

/// The durable state of an outbox: which lines each target has taken, the open jobs, and the faults of targets.
///
/// The sender writes it; commands read it and add requests. If it is lost, everything is sent again, and each target
/// finds that it has the pictures already. Every call blocks. A store belongs to one thread at a time.
package final class OutboxStore {
    /// A source at a target.
    package struct Lane: Sendable, Hashable {
        package var target: String
        /// The number of the source.
        package var source: Int64

        package init(target: String, source: Int64) { (self.target, self.source) = (target, source) }
    }

    /// The path of the file.
    package let path: String
    private let database: Database

    /// The name of the file in the folder of an outbox.
    package static let fileName = "outbox.db"

    /// Opens the store of a folder, and creates both if they are missing.
    ///
    /// - Throws: `CaptureError` if the file is something else, or cannot be used.
    package init(folder: String) throws(CaptureError) {
        try PrivateFolder.make(folder)
        path = folder + "/" + Self.fileName
        do throws(DatabaseError) {
            database = try Database(path, .create)
            try OutboxSchema.prepare(database)
        } catch {
            throw Self.error(error, path)
        }
    }

    private static func error(_ error: DatabaseError, _ path: String) -> CaptureError {
        CaptureError(
            .inputOutput, "cannot be used: \(error.message)", subject: path,
            advice: "make room and its folder writable, or remove the file: pictures are then found at the target",
            systemError: error.systemCode == 0 ? nil : error.systemCode)
    }

    /// Calls `body` with the database, and describes its errors.
    func perform<Result>(_ body: (Database) throws(DatabaseError) -> Result) throws(CaptureError) -> Result {
        do throws(DatabaseError) { return try body(database) } catch { throw Self.error(error, path) }
    }

    /// Calls `body` in a transaction.
    func commit(_ body: (Database) throws(DatabaseError) -> Void) throws(CaptureError) {
        try perform { database throws(DatabaseError) in
            try database.transaction { () throws(DatabaseError) in try body(database) }
        }
    }

    // MARK: Sources

    /// Returns the number of the source with a path and an identity, which gets one if it is new.
    package func source(_ path: String, identity: String) throws(CaptureError) -> Int64 {
        try perform { database throws(DatabaseError) in
            try database.insert(
                "INSERT INTO source(path, identity) VALUES (?, ?) ON CONFLICT DO NOTHING",
                [.text(path), .text(identity)])
            guard let number = try number(path, identity) else { throw DatabaseError(damage: "a source is missing") }
            return number
        }
    }

    /// Returns the number of a source; `nil` if the sender has not met it yet.
    package func knownSource(_ path: String, identity: String) throws(CaptureError) -> Int64? {
        try perform { _ throws(DatabaseError) in try number(path, identity) }
    }

    private func number(_ path: String, _ identity: String) throws(DatabaseError) -> Int64? {
        let rows = try database.prepare(
            "SELECT number FROM source WHERE path = ? AND identity = ?", [.text(path), .text(identity)])
        return try rows.next() ? try rows.requiredInteger(0) : nil
    }

    /// Returns the lines that a lane has taken from its source.
    package func taken(_ lane: Lane) throws(CaptureError) -> LineRanges {
        try perform { _ throws(DatabaseError) in try spans(lane, .taken) }
    }

    enum SpanKind: String { case taken, skipped }

    private func spans(_ lane: Lane, _ kind: SpanKind) throws(DatabaseError) -> LineRanges {
        try database.lineRanges(
            "SELECT first, last FROM span WHERE target = ? AND source = ? AND kind = ? ORDER BY first",
            [.text(lane.target), .integer(lane.source), .text(kind.rawValue)])
    }

    /// Adds lines to the spans of a lane.
    func add(_ lines: ClosedRange<Int>, to lane: Lane, _ kind: SpanKind) throws(DatabaseError) {
        try database.insertLines(
            lines, into: "span",
            ["target": .text(lane.target), "source": .integer(lane.source), "kind": .text(kind.rawValue)])
    }

    /// `true` if a lane has taken a line, and does not send its picture.
    func isSkipped(line: Int, _ lane: Lane) throws(CaptureError) -> Bool {
        try perform { _ throws(DatabaseError) in try spans(lane, .skipped).contains(line) }
    }

    // MARK: Jobs

    private static let columns = """
        number, target, source, line, path, bytes, sha256, taken, board, series, camera, name, state, failures, reason,
        token, kind, run, stage, lent, own_name, deleted
        """

    /// Takes lines from a source: their pictures become jobs with names at the target.
    ///
    /// - Parameters:
    ///   - unsent: The lines among them whose pictures are not sent. They count as skipped.
    ///   - naming: What the names follow from; `nil` if each name is kept.
    package func take(
        _ lines: ClosedRange<Int>, _ pictures: [(picture: UploadPicture, name: String)], _ lane: Lane,
        unsent: [Int] = [], naming: UploadNaming? = nil
    ) throws(CaptureError) -> [UploadJob] {
        var jobs: [UploadJob] = []
        try commit { database throws(DatabaseError) in
            for (picture, name) in pictures {
                let number = try database.insert(
                    """
                    INSERT INTO job(\(Self.columns)) VALUES (
                        NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'waiting', 0, NULL, NULL, 'send', ?, ?, ?, ?, 0)
                    """,
                    [
                        .text(lane.target), .integer(lane.source), .init(picture.line), .text(picture.path),
                        .init(picture.byteCount), .text(picture.sha256), .text(picture.taken.iso8601),
                        .text(picture.board), .text(picture.series), .text(picture.camera), .text(name),
                        .text(picture.run), .text(picture.stage), .init(picture.isLent),
                        .init(!picture.isHashRecorded),
                    ])
                var job = UploadJob(id: number, lane: lane, picture: picture, name: name)
                job.hasOwnName = !picture.isHashRecorded
                jobs.append(job)
            }
            if let naming { try database.add(lines, to: lane, named: naming) }
            try add(lines, to: lane, .taken)
            for range in LineRanges(unsent.map { $0...$0 }).ranges { try add(range, to: lane, .skipped) }
        }
        return jobs
    }

    /// Returns jobs in the order in which they were taken.
    ///
    /// - Parameters:
    ///   - target: The target; `nil` for all.
    ///   - isDead: `true` for only dead jobs, `false` for only others.
    ///   - most: The maximum number.
    package func jobs(
        of target: String? = nil, isDead: Bool, most: Int = .max
    ) throws(CaptureError) -> [UploadJob] {
        let condition = (target == nil ? "" : "target = ? AND ") + "state \(isDead ? "=" : "<>") 'dead'"
        return try jobs(where: condition, (target.map { [.text($0)] } ?? []), most: most)
    }

    /// Returns the jobs of a lane that send pictures, without dead ones, in the order in which they were taken.
    package func openJobs(of lane: Lane) throws(CaptureError) -> [UploadJob] {
        try jobs(
            where: "target = ? AND source = ? AND kind = 'send' AND state <> 'dead'",
            [.text(lane.target), .integer(lane.source)],
            most: .max)
    }

    func jobs(
        where condition: String, _ values: [DatabaseValue], most: Int
    ) throws(CaptureError) -> [UploadJob] {
        try perform { database throws(DatabaseError) in
            let rows = try database.prepare(
                "SELECT \(Self.columns) FROM job WHERE \(condition) ORDER BY number LIMIT ?", values + [.init(most)])
            var jobs: [UploadJob] = []
            while try rows.next() { jobs.append(try Self.job(rows)) }
            return jobs
        }
    }

    /// Returns a job; `nil` if it has ended.
    package func job(_ id: Int64) throws(CaptureError) -> UploadJob? {
        try perform { database throws(DatabaseError) in
            let rows = try database.prepare("SELECT \(Self.columns) FROM job WHERE number = ?", [.integer(id)])
            return try rows.next() ? try Self.job(rows) : nil
        }
    }

    /// Returns the job that sends the picture of a line; `nil` if it has none.
    func job(ofLine line: Int, _ lane: Lane) throws(CaptureError) -> UploadJob? {
        try jobs(
            where: "target = ? AND source = ? AND line = ? AND kind = 'send'",
            [.text(lane.target), .integer(lane.source), .init(line)], most: 1
        ).first
    }

    private static func job(_ row: borrowing DatabaseStatement) throws(DatabaseError) -> UploadJob {
        guard let taken = WallTime(iso8601: try row.requiredText(7)),
            let state = UploadJob.State(rawValue: try row.requiredText(12)),
            let kind = UploadJob.Kind(rawValue: try row.requiredText(16))
        else { throw row.wrong(7) }
        var picture = UploadPicture(
            line: Int(try row.requiredInteger(3)), path: try row.requiredText(4),
            byteCount: Int(try row.requiredInteger(5)), sha256: try row.requiredText(6), taken: taken)
        (picture.board, picture.series) = (try row.requiredText(8), try row.requiredText(9))
        picture.camera = try row.requiredText(10)
        (picture.run, picture.stage) = (try row.requiredText(17), try row.requiredText(18))
        picture.isLent = try row.requiredInteger(19) != 0
        let lane = Lane(target: try row.requiredText(1), source: try row.requiredInteger(2))
        var job = UploadJob(
            id: try row.requiredInteger(0), lane: lane, picture: picture, name: try row.requiredText(11))
        (job.state, job.failures) = (state, Int(try row.requiredInteger(13)))
        (job.reason, job.token, job.kind) = (try row.text(14), try row.text(15), kind)
        (job.hasOwnName, job.isDeleted) = (try row.requiredInteger(20) != 0, try row.requiredInteger(21) != 0)
        return job
    }

    /// Ends a job whose picture the target has confirmed. Names that do not follow from a naming are kept, and those of
    /// sessions: the pictures may have to be erased.
    ///
    /// - Parameter more: Further changes of the same transaction.
    package func finish(
        _ job: UploadJob, at now: WallTime, _ more: (Database) throws(DatabaseError) -> Void = { _ in }
    ) throws(CaptureError) {
        try commit { database throws(DatabaseError) in
            try database.insert("DELETE FROM job WHERE number = ?", [.integer(job.id)])
            try database.insert(
                """
                INSERT INTO target(id, sent, bytes, sent_ms) VALUES (?1, 1, ?2, ?3)
                ON CONFLICT(id) DO UPDATE SET sent = sent + 1, bytes = bytes + ?2, sent_ms = ?3
                """,
                [.text(job.lane.target), .init(job.picture.byteCount), .integer(now.millisecondsSince1970)])
            if !job.picture.run.isEmpty {
                try database.insert(
                    "UPDATE run SET settled = 0 WHERE source = ?1 AND first <= ?2 AND last >= ?2 AND settled = 1",
                    [.integer(job.lane.source), .init(job.picture.line)])
            }
            if !job.picture.run.isEmpty || job.hasOwnName {
                try database.insert(
                    "INSERT OR REPLACE INTO sent VALUES (?, ?, ?, ?)",
                    [.text(job.lane.target), .integer(job.lane.source), .init(job.picture.line), .text(job.name)])
            }
            try more(database)
        }
    }

    /// Ends a job whose picture is not sent.
    ///
    /// - Parameter more: Further changes of the same transaction.
    package func skip(
        _ job: UploadJob, _ more: (Database) throws(DatabaseError) -> Void = { _ in }
    ) throws(CaptureError) {
        try commit { database throws(DatabaseError) in
            try add(job.picture.line...job.picture.line, to: job.lane, .skipped)
            try database.insert("DELETE FROM job WHERE number = ?", [.integer(job.id)])
            try database.insert(
                """
                INSERT INTO target(id, skipped) VALUES (?, 1) ON CONFLICT(id) DO UPDATE SET skipped = skipped + 1
                """, [.text(job.lane.target)])
            try more(database)
        }
    }

    /// Stores the state of a job.
    package func update(_ job: UploadJob) throws(CaptureError) {
        try perform { database throws(DatabaseError) in
            _ = try database.insert(
                """
                UPDATE job SET name = ?, own_name = ?, sha256 = ?, state = ?, failures = ?, reason = ?, token = ?
                WHERE number = ?
                """,
                [
                    .text(job.name), .init(job.hasOwnName), .text(job.picture.sha256), .text(job.state.rawValue),
                    .init(job.failures), .init(job.reason), .init(job.token), .integer(job.id),
                ])
        }
    }

    // MARK: Targets

    /// Stores the condition of a target.
    package func put(_ state: TargetState) throws(CaptureError) {
        try perform { database throws(DatabaseError) in
            _ = try database.insert(
                """
                INSERT INTO target(id, paused, condition, reason, since_ms, until_ms) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
                ON CONFLICT(id) DO UPDATE SET paused = ?2, condition = ?3, reason = ?4, since_ms = ?5, until_ms = ?6
                """,
                [
                    .text(state.id), .init(state.isPaused), .text(state.condition), .init(state.reason),
                    .init(state.since), .init(state.until),
                ])
        }
    }

    /// Returns the states of the targets that the store knows, by their IDs.
    package func targets() throws(CaptureError) -> [String: TargetState] {
        try perform { database throws(DatabaseError) in
            let rows = try database.prepare(
                """
                SELECT id, paused, condition, reason, since_ms, until_ms, sent, bytes, sent_ms, skipped,
                    (SELECT count(*) FROM job WHERE target = id AND state = 'dead'),
                    (SELECT count(*) FROM kept WHERE target = id)
                FROM target
                """)
            var states: [String: TargetState] = [:]
            while try rows.next() {
                let state = try TargetState(rows)
                states[state.id] = state
            }
            return states
        }
    }

    // MARK: Requests

    /// The file whose change tells the sender of a request.
    package static func wakePath(folder: String) -> String { folder + "/wake" }

    /// Adds a request of a person, and wakes the sender.
    package func add(_ request: OutboxRequest) throws(CaptureError) {
        try perform { database throws(DatabaseError) in
            _ = try database.insert(
                "INSERT INTO request(verb, target, job) VALUES (?, ?, ?)",
                [.text(request.verb.rawValue), .text(request.target), request.job.map { .integer($0) } ?? .null])
        }
        let wake = Self.wakePath(folder: DeviceFiles.folder(of: path))
        let descriptor = open(wake, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .file(errno, wake, "cannot be written") }
        // Closing a file that was open for writing is the event.
        close(descriptor)
    }

    /// Returns the requests in their order, and removes them.
    package func takeRequests() throws(CaptureError) -> [OutboxRequest] {
        var requests: [OutboxRequest] = []
        try commit { database throws(DatabaseError) in
            let rows = try database.prepare("DELETE FROM request RETURNING number, verb, target, job")
            var found: [(Int64, OutboxRequest)] = []
            while try rows.next() {
                guard let verb = OutboxRequest.Verb(rawValue: try rows.requiredText(1)) else { continue }
                let request = OutboxRequest(verb, target: try rows.requiredText(2), job: try rows.integer(3))
                found.append((try rows.requiredInteger(0), request))
            }
            requests = found.sorted { $0.0 < $1.0 }.map(\.1)
        }
        return requests
    }
}
