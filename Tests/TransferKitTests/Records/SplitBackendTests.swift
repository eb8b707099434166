// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import Foundation
import RecordKit
import Testing
import UploadKit

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
}
#endif
