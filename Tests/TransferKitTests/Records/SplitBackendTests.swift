// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import CaptureTestSupport
import Foundation
import Testing
import UploadKit

@testable import RecordKit
@testable import TransferKit

/// Records at a backend, and their pictures at a target, shown with real servers.
@Suite("Pictures of records at targets", .timeLimit(.minutes(3))) struct SplitBackendTests {
    private static func backend(
        _ server: BackendServer, _ target: UploadTarget
    ) throws -> SplitBackend {
        try SplitBackend(try server.client(), target, board: try #require(BoardName("board")))
    }

    private static func blob(_ picture: Upload) throws -> RecordBlob {
        try #require(RecordBlob(sha256: picture.sha256, byteCount: picture.byteCount, width: 1920, height: 1080))
    }

    private static func name(_ sha256: String) -> String { "blobs/\(sha256.prefix(2))/\(sha256).jpg" }

    @Test(arguments: StoreKind.allCases)
    func `A picture is stored under its hash, fetched by another device, and erased`(kind: StoreKind) async throws {
        let (store, server) = (try await TestStore.start(kind), try await BackendServer.start(.example))
        let picture = try store.folder.picture(1, 200_000)
        let blob = try Self.blob(picture)
        let name = Self.name(blob.sha256)
        // This server creates no folders.
        if kind == .http { _ = try store.folder.makeFolder("root/plain/blobs/\(blob.sha256.prefix(2))") }
        let (one, two) = (try Self.backend(server, store.target()), try Self.backend(server, store.target()))
        #expect(try await !one.hasBlob(blob.sha256))
        try await one.putBlob(picture.path, blob)
        // It is there already.
        try await two.putBlob(picture.path, blob)
        #expect(try await two.hasBlob(blob.sha256))
        #expect(try await store.files() == [name: picture.bytes])
        let folder = try store.folder.makeFolder("fetched")
        try await two.getBlob(blob, to: folder + "/a.jpg")
        #expect(TestFolder.files(folder) == ["a.jpg": picture.bytes])
        #expect(one.needsErasure)
        for _ in 0..<2 { try await one.eraseBlob(blob.sha256) }
        #expect(try await store.files().isEmpty)
        let missing = await fault { () throws(RecordRemoteFault) in try await two.getBlob(blob, to: folder + "/b.jpg") }
        #expect(missing == .missing("target t: does not have the picture"))
        // The backend has no pictures.
        #expect(try await !server.client().hasBlob(blob.sha256))
    }

    @Test(arguments: StoreKind.allCases)
    func `Another file under the name of a hash stays, and its picture is refused`(kind: StoreKind) async throws {
        let (store, server) = (try await TestStore.start(kind), try await BackendServer.start(.example))
        let (picture, other) = (try store.folder.picture(1, 20_000), try store.folder.picture(2, 20_000))
        let blob = try Self.blob(picture)
        if kind == .http { _ = try store.folder.makeFolder("root/plain/blobs/\(blob.sha256.prefix(2))") }
        var wrong = other
        wrong.name = Self.name(blob.sha256)
        _ = try await Transports.make(store.target()).send(wrong)
        let backend = try Self.backend(server, store.target())
        let refused = await fault { () throws(RecordRemoteFault) in try await backend.putBlob(picture.path, blob) }
        #expect(refused == .refused("target t: the file at the server has another content than the picture"))
        let damaged = await fault { () throws(RecordRemoteFault) in
            try await backend.getBlob(blob, to: store.folder.path + "/a.jpg")
        }
        #expect(damaged == .damaged("target t: the file at the target has another content"))
        #expect(try await store.files() == [wrong.name: other.bytes])
    }

    @Test func `A fault of the target has its name, and the meaning of a fault of the backend`() async throws {
        let server = try await BackendServer.start(.example)
        let folder = try TestFolder()
        let picture = try folder.picture(1, 1000)
        let blob = try Self.blob(picture)
        func fault(_ status: Int) async throws -> RecordRemoteFault? {
            let answers = try await AnsweringServer([AnsweringServer.answer(status, "", ["Retry-After: 7"])])
            let target = UploadTarget(
                id: "nas", service: .webdav(.init()), address: "http://127.0.0.1:\(answers.port)/a")
            let backend = try Self.backend(server, target)
            return await TransferKitTests.fault { () throws(RecordRemoteFault) in
                try await backend.putBlob(picture.path, blob)
            }
        }
        #expect(
            try await fault(503)
                == .temporary("target nas: the server reports an internal fault (503)", pause: .seconds(7)))
        #expect(try await fault(401) == .unauthorized("target nas: the server refuses the user or the password (401)"))
        #expect(try await fault(507) == .temporary("target nas: the server has no room (507)", pause: .seconds(3600)))
        #expect(try await fault(413) == .refused("target nas: the server refuses a file of this size (413)"))
        // A folder that is missing is no record that is missing.
        #expect(try await fault(404) == .unauthorized("target nas: the folder does not exist at the server (404)"))
        let gone = try Self.backend(
            server, UploadTarget(id: "nas", service: .webdav(.init()), address: "http://127.0.0.1:1/"))
        let unreachable = await TransferKitTests.fault { () throws(RecordRemoteFault) in
            _ = try await gone.hasBlob(blob.sha256)
        }
        #expect(unreachable == .temporary("target nas: the server does not answer", pause: nil))
    }

    @Test(arguments: [StoreKind.s3, .apache])
    func `A file that changed on this machine never arrives`(kind: StoreKind) async throws {
        let (store, server) = (try await TestStore.start(kind), try await BackendServer.start(.example))
        let picture = try store.folder.picture(3, 100_000)
        let blob = try Self.blob(picture)
        try Data(picture.bytes.reversed()).write(to: URL(filePath: picture.path))
        let backend = try Self.backend(server, store.target())
        let changed = await fault { () throws(RecordRemoteFault) in try await backend.putBlob(picture.path, blob) }
        #expect(changed == .refused("target t: the file has another content than its account"))
        #expect(try await store.files().isEmpty)
    }

    // MARK: Two devices

    private static let kind: RecordKind = {
        var kind = RecordKind(id: "post", title: "Post")
        kind.sides = [RecordSide(name: "picture")]
        return kind
    }()

    /// A device whose records and pictures are kept the same as those of a backend and a target.
    private struct Device {
        let store: RecordStore
        private let desk: SyncDesk
        private let blobs: BlobDesk

        init(_ folder: String, _ remote: any RecordRemote) throws {
            store = try RecordStore(folder: folder, kinds: [kind], .create)
            let clock = SyncDesk.Clock(steady: { 0 }, wall: { 1_800_000_000_000 })
            desk = try SyncDesk("post", store, remote, clock, poll: .seconds(60), seed: 1)
            blobs = BlobDesk(store, remote, clock)
        }

        /// Performs a round, and then the work on pictures.
        ///
        /// - Returns: The reason of a fault.
        func round() async throws -> String? {
            desk.handle(.retry)
            while desk.hasEffects { _ = await desk.perform() }
            guard case .ready = desk.machine.condition else { return "\(desk.machine.condition)" }
            guard case .pictures(let reason) = try await blobs.work(erases: true) else { return nil }
            return reason
        }
    }

    @Test(arguments: [StoreKind.s3, .nginx])
    func `A picture reaches another device when it is looked at, and leaves the target with its last record`(
        kind: StoreKind
    ) async throws {
        let (store, server) = (try await TestStore.start(kind), try await BackendServer.start(.example))
        let remote = try Self.backend(server, store.target())
        let one = try Device(store.folder.path + "/one", remote)
        let two = try Device(store.folder.path + "/two", remote)
        let bytes = SmallJPEG.bytes(1)
        let blob = try one.store.addBlob(bytes)
        let content = RecordContent(sides: ["picture": RecordPicture(blob)])
        // Both records have the same picture.
        let ids = try [one.store.create("post", content).id, one.store.create("post", content).id]
        #expect(try await one.round() == nil)
        #expect(try await store.files() == [Self.name(blob.sha256): bytes])

        #expect(try await two.round() == nil)
        #expect(try two.store.record(ids[0])?.content == content)
        #expect(two.store.blobPath(blob.sha256) == nil)
        #expect(try two.store.request(blob.sha256, at: 0) == .requested)
        #expect(try await two.round() == nil)
        let path = try #require(two.store.blobPath(blob.sha256))
        #expect(FileManager.default.contents(atPath: path).map(Array.init) == bytes)

        for (id, count) in zip(ids, [1, 0]) {
            _ = try one.store.trash(id, from: 1)
            #expect(try await one.round() == nil)
            #expect(try one.store.emptyTrash { _ in .max } == 1)
            #expect(try await one.round() == nil)
            #expect(try await store.files().count == count)
        }
        #expect(try one.store.unusedBlob(after: "") == nil)
    }

    @Test func `A target that is away holds up a record with a picture, and is named`() async throws {
        let (store, server) = (try await TestStore.start(.nginx), try await BackendServer.start(.example))
        let away = UploadTarget(id: "nas", service: .webdav(.init()), address: "http://127.0.0.1:1/")
        let folder = store.folder.path + "/one"
        let offline = try Device(folder, try Self.backend(server, away))
        let blob = try offline.store.addBlob(SmallJPEG.bytes(2))
        _ = try offline.store.create("post", RecordContent(sides: ["picture": RecordPicture(blob)]))
        let reason = try await offline.round()
        #expect(reason?.contains("target nas: the server does not answer") == true, "\(reason ?? "none")")
        #expect(try await server.client().changes(of: "post", since: nil, page: nil).records.isEmpty)
        let online = try Device(folder, try Self.backend(server, store.target()))
        #expect(try await online.round() == nil)
        #expect(try await server.client().changes(of: "post", since: nil, page: nil).records.count == 1)
        #expect(try await store.files().keys.sorted() == [Self.name(blob.sha256)])
    }
}
#endif
