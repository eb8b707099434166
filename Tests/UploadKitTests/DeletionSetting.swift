// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import DatabaseKit
import Glibc
import LedgerKit
import ScheduleKit
import StillKit
import Testing

@testable import UploadKit

/// A folder with a series whose pictures are deleted, and a target.
final class DeletionSetting: SenderSetting {
    let folder: TemporaryFolder
    let transport: FolderTransport
    var configuration: OutboxConfiguration
    private let ledger: Ledger
    private var count = 0

    init() async throws {
        folder = try TemporaryFolder()
        try folder.write("target/.keep", "")
        try folder.write("garden/.gst-capture/.keep", "")
        transport = FolderTransport(folder.path + "/target")
        configuration = OutboxConfiguration(board: try #require(BoardName("board")))
        let place = UploadTarget(id: "nas", service: .webdav(.init()), address: "http://127.0.0.1")
        var target = OutboxConfiguration.Target(place)
        target.parallel = 1
        target.name = try UploadName("{series}/{file}.{extension}")
        configuration.targets = [target]
        configuration.routes = [.init(folder: folder.path + "/garden", targets: ["nas"], series: "garden")]
        ledger = Ledger(
            folder.path + "/garden/.gst-capture/series.ledger",
            series: .init(template: "%n.jpg", interval: .seconds(10), schedule: "every 10s"))
        try await ledger.open()
    }

    var path: String { ledger.path }

    func file(_ name: String) -> String { folder.path + "/garden/" + name }

    /// Captures pictures.
    func add(_ names: String...) async throws {
        for name in names {
            count += 1
            let path = try folder.write("garden/" + name, "picture \(count)")
            let due = WallTime(seconds: 1_800_000_000 + Int64(count), nanoseconds: 0, utcOffset: 0)
            let digest = try FileDigest(path, most: 1000)
            let still = LedgerStill(
                captured: due, errorMilliseconds: 0, isLate: false, file: path, byteCount: digest.byteCount, width: 1,
                height: 1, sha256: digest.sha256, burstIndex: 0, sequence: count)
            try await ledger.append([
                LedgerEntry(slots: count...count, cause: .schedule, due: due, lastDue: due, outcome: .captured(still))
            ])
        }
    }

    /// Removes a picture, and records it.
    func remove(_ name: String, _ reason: String = LedgerRemoval.request) async throws {
        unlink(file(name))
        try await ledger.append(LedgerRemoval(file: file(name), time: .now(), reason: reason))
    }

    /// The files of the target.
    var received: [String] { DeviceFiles.names(in: folder.path + "/target/garden").sorted() }

    var open: [UploadJob] { get throws { try store().jobs(isDead: false) } }

    /// Makes the store one of version 2, which does not know how pictures got their names.
    func forgetNames() throws {
        try store().perform { database throws(DatabaseError) in
            try database.run(
                """
                DROP TABLE naming; DROP TABLE named; DROP TABLE kept; DROP TABLE cursor; DROP INDEX sent_by_line;
                ALTER TABLE job DROP COLUMN own_name; ALTER TABLE job DROP COLUMN deleted;
                DROP INDEX run_by_end; ALTER TABLE run DROP COLUMN settled;
                CREATE INDEX run_by_end ON run(source, ended_s + retention_s) WHERE retention_s IS NOT NULL;
                PRAGMA user_version = 2
                """)
        }
    }
}
