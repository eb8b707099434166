// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import CaptureTestSupport
import Foundation
import LedgerKit
import ScheduleKit
import Testing

@testable import TransferKit
@testable import UploadKit

/// The erasure of deleted pictures, shown with real servers.
@Suite("Deleted pictures at servers", .timeLimit(.minutes(2))) struct ErasureTests {
    private static func erase(_ upload: Upload, _ transport: any Transport) async throws -> Erasure {
        let picture = UploadPicture(
            line: 1, path: "", byteCount: upload.byteCount, sha256: upload.sha256,
            taken: WallTime(seconds: 1_800_000_000, nanoseconds: 0, utcOffset: 0))
        var job = UploadJob(id: 1, lane: .init(target: "a", source: 1), picture: picture, name: upload.name)
        job.kind = .erase
        return try await Erasure.run(job, transport)
    }

    @Test(arguments: StoreKind.allCases)
    func `A picture that may be at a server is erased there, and no other file of its name`(
        kind: StoreKind
    ) async throws {
        let store = try await TestStore.start(kind)
        let transport = try Transports.make(store.target())
        let (first, second) = (try store.folder.picture(1, 5000), try store.folder.picture(2, 5000))
        #expect(try await Self.erase(first, transport) == .missing)
        _ = try await transport.send(first)
        #expect(try await Self.erase(second, transport) == .missing)
        #expect(try await store.files() == [first.name: first.bytes])
        #expect(try await Self.erase(first, transport) == .erased)
        #expect(try await store.files().isEmpty)
    }

    @Test func `A series at an S3 store loses the picture that a person deletes, under the name that it got there`()
        async throws
    {
        let store = try await TestStore.start(.s3)
        let folder = try TemporaryFolder()
        try folder.write("garden/.gst-capture/.keep", "")
        let ledger = Ledger(
            folder.path + "/garden/.gst-capture/series.ledger",
            series: .init(template: "%n.jpg", interval: .seconds(10), schedule: "every 10s"))
        try await ledger.open()
        for number in 1...2 {
            let file = try folder.write("garden/\(number).jpg", "picture \(number)")
            try await ledger.append([try Self.line(number, file)])
        }
        // The name of the first picture is taken.
        var taken = try store.folder.picture(9, 100)
        taken.name = "garden/1.jpg"
        let transport = try Transports.make(store.target())
        _ = try await transport.deliver(taken, token: nil) { _ in }

        var configuration = OutboxConfiguration(board: try #require(BoardName("board")))
        var target = OutboxConfiguration.Target(store.target())
        let id = target.id
        target.name = try UploadName("{series}/{file}.{extension}")
        configuration.targets = [target]
        configuration.routes = [.init(folder: folder.path + "/garden", targets: [id], series: "garden")]
        func send() async throws {
            let outbox = try OutboxStore(folder: folder.path + "/outbox")
            let sender = OutboxSender(configuration, outbox, [id: transport]) { _ in }
            await sender.run(endsWhenIdle: true)
        }
        try await send()
        #expect(try await store.files().keys.sorted() == ["garden/1-2.jpg", "garden/1.jpg", "garden/2.jpg"])
        configuration.targets[0].name = UploadName.standard
        for number in 1...2 {
            let file = folder.path + "/garden/\(number).jpg"
            try FileManager.default.removeItem(atPath: file)
            try await ledger.append(LedgerRemoval(file: file, time: .now(), reason: LedgerRemoval.request))
        }
        try await send()
        #expect(try await store.files().keys.sorted() == ["garden/1.jpg"])
    }

    private static func line(_ number: Int, _ file: String) throws -> LedgerEntry {
        let digest = try FileDigest(file, most: 1000)
        let due = WallTime(seconds: 1_800_000_000 + Int64(number), nanoseconds: 0, utcOffset: 0)
        let still = LedgerStill(
            captured: due, errorMilliseconds: 0, isLate: false, file: file, byteCount: digest.byteCount, width: 1,
            height: 1, sha256: digest.sha256, burstIndex: 0, sequence: number)
        return LedgerEntry(slots: number...number, cause: .schedule, due: due, lastDue: due, outcome: .captured(still))
    }
}
#endif
