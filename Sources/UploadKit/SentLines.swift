// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import DatabaseKit
import LedgerKit
import Synchronization

/// The lines of a ledger, or of a list of clips, that all targets of its routes have: lines that were taken, were not skipped, and have no job.
/// They are read from the store of an outbox, which another process writes, and only when its files have changed.
///
/// A store that is missing, damaged or of another version, and one that does not know the ledger, has no lines. The store
/// is never created or written. Ranges of lines are read, so that a million lines take as long as a few.
package final class SentLines: SentPictures {
    /// A ledger or a list of clips at a target, by the path at which the sender finds it.
    package struct Lane: Sendable, Hashable {
        package var ledger: String
        package var target: String

        package init(ledger: String, target: String) { (self.ledger, self.target) = (ledger, target) }
    }

    private struct State {
        /// Distinguishes the ledger from others at its path; `nil` until it has a run.
        var identity: String?
        /// The files of the store when it was read.
        var stamp: DatabaseStamp?
        var lines = LineRanges()
        var version = 0
        var fault: CaptureError?
    }

    private let ledger: String
    private let kind: OutboxConfiguration.Route.Kind
    private let lanes: [Lane]
    private let path: String
    private let state = Mutex(State())

    /// - Parameters:
    ///   - ledger: The path of the ledger, or of the list of clips, which may not exist yet.
    ///   - lanes: The targets that must have a picture; none of its pictures is sent without any.
    ///   - kind: The kind of the routes.
    ///   - store: The folder of the outbox, which may not exist yet.
    package init(
        of ledger: String, _ lanes: [Lane], _ kind: OutboxConfiguration.Route.Kind = .series, store folder: String
    ) {
        (self.ledger, self.lanes, self.kind, path) = (ledger, lanes, kind, folder + "/" + OutboxStore.fileName)
    }

    package var fault: CaptureError? { state.withLock { $0.fault } }

    package func lines(from line: Int) -> ClosedRange<Int>? { state.withLock { $0.lines.range(from: line) } }

    /// All sent lines, as of the last ``refresh()``.
    var ranges: [ClosedRange<Int>] { state.withLock { $0.lines.ranges } }

    package func refresh() -> Int {
        state.withLock { state in
            // The files are compared before they are read: a later change is found by the next call.
            let stamp = DatabaseStamp(path)
            if stamp.exists, stamp == state.stamp { return state.version }
            state.identity = state.identity ?? (try? kind.account(ledger)?.identity)
            var found = LineRanges()
            do throws(CaptureError) {
                found = try read(stamp, state.identity)
                (state.stamp, state.fault) = (state.identity == nil ? nil : stamp, nil)
            } catch {
                (state.stamp, state.fault) = (nil, error)
            }
            if found != state.lines { (state.lines, state.version) = (found, state.version + 1) }
            return state.version
        }
    }

    private func read(_ stamp: DatabaseStamp, _ identity: String?) throws(CaptureError) -> LineRanges {
        guard stamp.exists else {
            throw CaptureError(
                .noInput, "is missing, so no picture counts as sent", subject: path,
                advice: "start gst-capture outbox send, or name its state folder with outbox-state")
        }
        guard let identity else { return LineRanges() }
        do throws(DatabaseError) {
            let database = try OutboxSchema.open(path, hasLog: stamp.hasLog)
            return try database.snapshot { () throws(DatabaseError) in try lines(in: database, identity) }
        } catch {
            throw CaptureError(
                .inputOutput, "cannot be read, so no picture counts as sent: \(error.message)", subject: path,
                advice: "check its owner, or name the state folder of the sender with outbox-state",
                systemError: error.systemCode == 0 ? nil : error.systemCode)
        }
    }

    /// Returns the lines that are in all lanes.
    private func lines(in database: Database, _ identity: String) throws(DatabaseError) -> LineRanges {
        var common: LineRanges?
        for lane in lanes {
            let lines = try database.sentLines(lane, identity)
            common = common?.intersection(lines) ?? lines
        }
        return common ?? LineRanges()
    }
}

extension OutboxSchema {
    /// Opens an existing store for reading, also if this process may not write its folder.
    ///
    /// - Parameter hasLog: `true` if the store has a log, without which its content is not complete.
    fileprivate static func open(_ path: String, hasLog: Bool) throws(DatabaseError) -> Database {
        do throws(DatabaseError) {
            return try checked(path, .read)
        } catch {
            guard error.isOfAccess else { throw error }
        }
        do throws(DatabaseError) {
            return try checked(path, .readOnly)
        } catch {
            // Without a log, no process has the store open for writing, or none has written since.
            guard error.isOfAccess, !hasLog else { throw error }
        }
        return try checked(path, .immutable)
    }

    private static func checked(_ path: String, _ access: Database.Access) throws(DatabaseError) -> Database {
        let database = try Database(path, access)
        // A capture waits for it. The next call tries again.
        database.wait(for: .milliseconds(100))
        try check(database)
        return database
    }
}

extension Database {
    /// Returns the lines that a target has; none if it does not know the ledger.
    fileprivate func sentLines(_ lane: SentLines.Lane, _ identity: String) throws(DatabaseError) -> LineRanges {
        let sources = try prepare(
            "SELECT number FROM source WHERE path = ? AND identity = ?", [.text(lane.ledger), .text(identity)])
        guard try sources.next() else { return LineRanges() }
        let key: [DatabaseValue] = [.text(lane.target), .integer(try sources.requiredInteger(0))]
        let span = "SELECT first, last FROM span WHERE target = ? AND source = ? AND kind"
        let missing = try lineRanges("\(span) = 'skipped' ORDER BY first", key)
        let open = try lineRanges("SELECT line, line FROM job WHERE target = ? AND source = ? ORDER BY line", key)
        return try lineRanges("\(span) = 'taken' ORDER BY first", key).subtracting(missing).subtracting(open)
    }
}
