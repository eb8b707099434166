// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureTestSupport
import Testing
import UploadKit

@testable import ServeKit

@Suite("Reports of the outbox", .timeLimit(.minutes(1)))
struct OutboxReportsTests {
    /// A service's view of an outbox, and the folder in which a sender has its store.
    private static func place() throws -> (TemporaryFolder, ServiceOutbox) {
        let folder = try TemporaryFolder()
        let file = try folder.write(
            "outbox.yaml",
            """
            targets:
              nas: {http: "http://127.0.0.1:9"}
            send:
              - {from: \(folder.path)/pictures, to: nas}
            """)
        return (folder, try ServiceOutbox(path: file, state: folder.path + "/state"))
    }

    private static func state(_ reason: String) -> TargetState {
        var state = TargetState(id: "nas")
        (state.condition, state.reason) = ("unreachable", reason)
        return state
    }

    @Test("A change of the sender is reported, and reading the store is none", arguments: [true, false])
    func changes(isSenderRunning: Bool) async throws {
        let (folder, outbox) = try Self.place()
        var sender: OutboxStore? = try OutboxStore(folder: folder.path + "/state/outbox")
        let watch = OutboxReports(outbox, pause: .zero) { Issue.record($0) }
        var reports = watch.makeAsyncIterator()
        #expect(await reports.next()?.first?.state.condition == "ready")
        for number in 1...3 {
            // Without a sender, each reading creates files beside the store, and removes them.
            try (sender ?? OutboxStore(folder: folder.path + "/state/outbox")).put(Self.state("fault \(number)"))
            if !isSenderRunning { sender = nil }
            // SQLite may write the store after the change that a reading has seen already.
            var seen = await reports.next()?.first?.state.reason
            while seen == "fault \(number - 1)" { seen = await reports.next()?.first?.state.reason }
            #expect(seen == "fault \(number)")
        }
    }

    @Test("A picture of the service is a change, although the sender has written nothing")
    func picture() async throws {
        let (folder, outbox) = try Self.place()
        let watch = OutboxReports(outbox, pause: .zero) { Issue.record($0) }
        var reports = watch.makeAsyncIterator()
        for _ in 1...3 {
            #expect(await reports.next()?.first?.backlog.count == 0)
            outbox.watch.pictureStored()
        }
        withExtendedLifetime(folder) {}
    }

    @Test("A store that cannot be read is reported once, and read again after its next change")
    func unreadable() async throws {
        let (folder, outbox) = try Self.place()
        let errors = AsyncStream<String>.makeStream()
        let watch = OutboxReports(outbox, pause: .zero) { errors.continuation.yield($0.description) }
        let path = folder.path + "/state/outbox/" + OutboxStore.fileName
        try folder.remove("state/outbox/" + OutboxStore.fileName)
        try folder.write("state/outbox/" + OutboxStore.fileName, "this is no database, but long enough to be one")
        async let reports = Self.first(of: watch)
        for await error in errors.stream {
            #expect(error.contains(path))
            break
        }
        try folder.remove("state/outbox/" + OutboxStore.fileName)
        #expect(await reports?.count == 1)
    }

    private static func first(of watch: OutboxReports) async -> [TargetReport]? {
        for await reports in watch { return reports }
        return nil
    }
}
#endif
