// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import ScheduleKit

@testable import DatabaseKit
@testable import LedgerKit

/// A ledger of many slots, whose rows SQL copies from one row.
struct LargeLedger {
    let path: String
    let slots: Int

    /// - Parameters:
    ///   - runs: The number of runs that share the slots, one after the other.
    ///   - isFirstVersion: `true` for a ledger in version 1 of the schema.
    ///   - files: `true` to give each slot a file name.
    init(
        _ path: String, slots: Int, runs: Int = 1, isFirstVersion: Bool = false, files: Bool = true
    ) async throws {
        (self.path, self.slots) = (path, slots)
        let ledger = Ledger(path, series: .seconds(10))
        try await ledger.open()
        ledger.begin(at: .test(0))
        try await ledger.append([.picture(0, nil)])
        await ledger.close(.completed)
        try add(runs, files)
        if isFirstVersion { try Self.downgrade(path) }
    }

    /// Turns the ledger into one of version 1.
    static func downgrade(_ path: String) throws {
        try Database(path, .write).run(
            """
            DROP INDEX IF EXISTS slots_by_run; DROP INDEX IF EXISTS slots_by_sequence; PRAGMA user_version = 1
            """)
    }

    /// The position of the series.
    var position: SeriesPosition {
        SeriesPosition(
            anchor: .test(0), lastIndex: slots - 1, lastDue: .test(Int64(slots - 1) * 10), nextSequence: slots)
    }

    private func add(_ runs: Int, _ files: Bool) throws {
        let names = LedgerEntry.columns.split(separator: ", ").map(String.init)
        let values = names.map { name in
            switch name {
            case "first", "last", "sequence": "n"
            case "due_ns", "last_due_ns", "captured_ns": "\(name) + n * 10000000000"
            case "file": files ? "printf('%d.jpg', n)" : "NULL"
            default: name
            }
        }
        let database = try Database(path, .write)
        try database.run(
            """
            PRAGMA synchronous = OFF;
            WITH RECURSIVE counter(n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM counter WHERE n < \(runs))
            INSERT INTO runs(series, start_ns, start_zone, process, program)
            SELECT series, start_ns, start_zone, process, program FROM runs, counter WHERE id = 1 AND n <= \(runs);
            WITH RECURSIVE counter(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counter WHERE n < \(slots - 1))
            INSERT INTO slots(run, \(LedgerEntry.columns))
            SELECT 1 + n * \(runs) / \(slots), \(values.joined(separator: ", ")) FROM slots, counter WHERE id = 1
            """)
    }
}
