// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import DatabaseKit

// The lines of sessions, and the pictures that targets have to erase.
extension OutboxStore {
    /// Returns the names of the sessions that have lines, and whose folders are not gone.
    func runNames(of source: Int64) throws(CaptureError) -> Set<String> {
        try perform { database throws(DatabaseError) in
            let rows = try database.prepare("SELECT name FROM run WHERE source = ? AND gone = 0", [.integer(source)])
            var names: Set<String> = []
            while try rows.next() { names.insert(try rows.requiredText(0)) }
            return names
        }
    }

    /// Marks a session whose folder is gone: another one may get its name.
    func markGone(_ name: String, of source: Int64) throws(CaptureError) {
        try perform { database throws(DatabaseError) in
            _ = try database.insert(
                "UPDATE run SET gone = 1 WHERE source = ? AND name = ?", [.integer(source), .text(name)])
        }
    }

    /// Gives the next lines to a session, unless it has lines or no pictures.
    func add(_ session: AcceptedSession, named name: String, to source: Int64) throws(CaptureError) {
        let count = session.pictures(from: 1).count
        guard count > 0 else { return }
        try commit { database throws(DatabaseError) in
            let last = try database.number("SELECT max(last) FROM run WHERE source = \(source)") ?? 0
            try database.insert(
                """
                INSERT INTO run(source, name, begun, first, last, ended_s, retention_s) VALUES (?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT(source, name, begun) DO UPDATE SET gone = 0
                """,
                [
                    .integer(source), .text(name), .text(session.begun), .integer(last + 1),
                    .integer(last + Int64(count)), .integer(session.ended.seconds),
                    .init(session.retention.map { Int($0.components.seconds) }),
                ])
        }
    }

    /// The number of the newest line of a source of sessions; 0 if there is none.
    func newestLine(of source: Int64) throws(CaptureError) -> Int {
        try perform { database throws(DatabaseError) in
            Int(try database.number("SELECT max(last) FROM run WHERE source = \(source)") ?? 0)
        }
    }

    /// Returns the session whose folder has a name; `nil` if it has no lines.
    func run(named name: String, of source: Int64) throws(CaptureError) -> SessionRun? {
        try runs(
            """
            SELECT name, begun, first, last, ended_s, retention_s FROM run
            WHERE source = ? AND name = ? AND gone = 0 ORDER BY first DESC LIMIT 1
            """, [.integer(source), .text(name)]
        ).first
    }

    /// Returns the sessions whose lines overlap a range, from one of its ends.
    func runs(
        of source: Int64, in lines: ClosedRange<Int>, _ order: UploadOrder, most: Int
    ) throws(CaptureError) -> [SessionRun] {
        try runs(
            """
            SELECT name, begun, first, last, ended_s, retention_s FROM run
            WHERE source = ? AND first <= ? AND last >= ? ORDER BY first \(order == .oldest ? "ASC" : "DESC") LIMIT ?
            """, [.integer(source), .init(lines.upperBound), .init(lines.lowerBound), .init(most)])
    }

    /// Returns the sessions of a source whose consent has ended by a time, and whose pictures a target may have.
    func dueRuns(of source: Int64, at now: WallTime) throws(CaptureError) -> [SessionRun] {
        try runs(
            """
            SELECT name, begun, first, last, ended_s, retention_s FROM run
            WHERE source = ? AND retention_s IS NOT NULL AND settled = 0 AND ended_s + retention_s <= ?
            """, [.integer(source), .integer(now.seconds)])
    }

    /// Marks a session whose consent has ended, if no target has or gets a picture that no job erases: nothing is left to
    /// do for it.
    func settle(_ run: SessionRun, of source: Int64) throws(CaptureError) {
        try perform { database throws(DatabaseError) in
            _ = try database.insert(
                """
                UPDATE run SET settled = 1 WHERE source = ?1 AND first = ?2
                    AND NOT EXISTS(SELECT 1 FROM job WHERE source = ?1 AND line BETWEEN ?2 AND ?3 AND kind = 'send')
                    AND NOT EXISTS(SELECT 1 FROM sent WHERE source = ?1 AND line BETWEEN ?2 AND ?3
                        AND NOT EXISTS(SELECT 1 FROM job
                            WHERE target = sent.target AND source = ?1 AND line = sent.line AND kind = 'erase'))
                """, [.integer(source), .init(run.lines.lowerBound), .init(run.lines.upperBound)])
        }
    }

    /// The next end of a consent of a source after a time; `nil` if there is none.
    func nextExpiry(of source: Int64, after now: WallTime) throws(CaptureError) -> WallTime? {
        try perform { database throws(DatabaseError) in
            try database.number(
                """
                SELECT min(ended_s + retention_s) FROM run
                WHERE source = \(source) AND retention_s IS NOT NULL AND settled = 0
                    AND ended_s + retention_s > \(now.seconds)
                """
            ).map { WallTime(seconds: $0, nanoseconds: 0) }
        }
    }

    private func runs(_ text: String, _ values: [DatabaseValue]) throws(CaptureError) -> [SessionRun] {
        try perform { database throws(DatabaseError) in
            let rows = try database.prepare(text, values)
            var runs: [SessionRun] = []
            while try rows.next() {
                let (first, last) = (Int(try rows.requiredInteger(2)), Int(try rows.requiredInteger(3)))
                guard 1 <= first, first <= last else { throw rows.wrong(2) }
                runs.append(
                    SessionRun(
                        name: try rows.requiredText(0), begun: try rows.requiredText(1), lines: first...last,
                        ended: WallTime(seconds: try rows.requiredInteger(4), nanoseconds: 0),
                        retention: try rows.integer(5)))
            }
            return runs
        }
    }

    // MARK: Erasing

    /// Makes jobs that erase the pictures of lines which a target has.
    func takeErasures(of lines: ClosedRange<Int>, _ lane: Lane) throws(CaptureError) -> [UploadJob] {
        try commit { database throws(DatabaseError) in
            try database.insert(
                """
                INSERT INTO job(target, source, line, path, bytes, sha256, taken, board, series, camera, name, state, kind)
                SELECT target, source, line, '', 0, '', '1970-01-01T00:00:00.000+00:00', '', '', '', name, 'waiting', 'erase'
                FROM sent WHERE target = ? AND source = ? AND line BETWEEN ? AND ? ON CONFLICT DO NOTHING
                """, [.text(lane.target), .integer(lane.source), .init(lines.lowerBound), .init(lines.upperBound)])
        }
        return try jobs(.erase, of: lines, lane)
    }

    /// Returns the jobs of lines, with dead ones.
    func jobs(
        _ kind: UploadJob.Kind, of lines: ClosedRange<Int>, _ lane: Lane
    ) throws(CaptureError) -> [UploadJob] {
        try jobs(
            where: "target = ? AND source = ? AND kind = ? AND line BETWEEN ? AND ?",
            [
                .text(lane.target), .integer(lane.source), .text(kind.rawValue), .init(lines.lowerBound),
                .init(lines.upperBound),
            ], most: .max)
    }

    /// Returns the jobs of a target that erase pictures, without dead ones.
    func erasures(of target: String) throws(CaptureError) -> [UploadJob] {
        try jobs(where: "target = ? AND kind = 'erase' AND state <> 'dead'", [.text(target)], most: .max)
    }

    /// Ends a job that erases a picture: the target has erased it, or a person gave it up. The line counts as skipped: the
    /// target does not have the picture, and another one may get the name.
    ///
    /// - Parameter more: Further changes of the same transaction.
    func forget(
        _ job: UploadJob, _ more: (Database) throws(DatabaseError) -> Void = { _ in }
    ) throws(CaptureError) {
        try commit { database throws(DatabaseError) in
            let line = job.picture.line
            try add(line...line, to: job.lane, .skipped)
            try database.insert("DELETE FROM job WHERE number = ?", [.integer(job.id)])
            try database.insert(
                "DELETE FROM sent WHERE target = ? AND source = ? AND line = ?",
                [.text(job.lane.target), .integer(job.lane.source), .init(line)])
            try more(database)
        }
    }
}
