// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import Foundation
import RecordKit
import SystemBase
import Testing
import UploadKit

@testable import TransferKit

/// Records and pictures at real backends.
@Suite("Backends of records", .timeLimit(.minutes(3))) struct BackendTests {
    private let id = RecordID.random()

    @Test(arguments: BackendKind.allCases)
    func `A server keeps the contract of a backend`(kind: BackendKind) async throws {
        let server = try await BackendServer.start(kind)
        let python = try TestProcess.path("python3", advice: "apt install python3")
        let blobs = kind == .kinto ? ["--without-blobs"] : []
        let lines = try await TestProcess.run(
            python,
            [BackendServer.examples + "contract.py", server.records, "--secrets", server.folder.path + "/secrets"]
                + blobs)
        #expect(lines.hasSuffix("OK"), "\(lines)")
    }

    @Test(arguments: BackendKind.allCases)
    func `A record comes back as it was sent`(kind: BackendKind) async throws {
        let server = try await BackendServer.start(kind)
        let client = try server.client()
        let etag = try await client.put(id, .example(), of: "card", over: nil)
        let changes = try await client.changes(of: "card", since: nil, page: nil)
        #expect(changes == RecordChanges(records: [.init(id: id, etag: etag, content: .example())], etag: etag))
        let empty = try await client.put(id, RecordContent(), of: "card", over: etag)
        let later = try await client.changes(of: "card", since: etag, page: nil)
        #expect(later.records == [.init(id: id, etag: empty, content: RecordContent())])
    }

    @Test(arguments: BackendKind.allCases)
    func `A change over another version is refused with the one that is there`(kind: BackendKind) async throws {
        let server = try await BackendServer.start(kind)
        let client = try server.client()
        let first = try await client.put(id, .example(), of: "card", over: nil)
        let second = try await client.put(id, .example("Bob"), of: "card", over: first)
        let existing = RecordRemoteFault.changed(.init(id: id, etag: second, content: .example("Bob")))
        let carl = RecordContent.example("Carl")
        let create = await fault { () throws(RecordRemoteFault) in
            _ = try await client.put(id, carl, of: "card", over: nil)
        }
        #expect(create == existing)
        let change = await fault { () throws(RecordRemoteFault) in
            _ = try await client.put(id, carl, of: "card", over: first)
        }
        #expect(change == existing)
        let delete = await fault { () throws(RecordRemoteFault) in
            _ = try await client.delete(id, of: "card", over: first)
        }
        #expect(delete == existing)
        let unknown = await fault { () throws(RecordRemoteFault) in
            _ = try await client.put(.random(), carl, of: "card", over: first)
        }
        #expect(unknown == .changed(nil))
    }

    @Test(arguments: BackendKind.allCases)
    func `A deletion is listed, and happens once`(kind: BackendKind) async throws {
        let server = try await BackendServer.start(kind)
        let client = try server.client()
        let first = try await client.put(id, .example(), of: "card", over: nil)
        let second = try await client.delete(id, of: "card", over: first)
        let changes = try await client.changes(of: "card", since: first, page: nil)
        #expect(changes == RecordChanges(records: [.init(id: id, etag: second, content: nil)], etag: second))
        #expect(try await client.changes(of: "card", since: nil, page: nil).records.isEmpty)
        let again = await fault { () throws(RecordRemoteFault) in
            _ = try await client.delete(id, of: "card", over: second)
        }
        guard case .missing = again else { return #expect(again == nil) }
        #expect(try await client.put(id, .example(), of: "card", over: nil) > second)
    }

    @Test(arguments: BackendKind.allCases)
    func `Pages have all changes in order, and those that happen meanwhile at the end`(kind: BackendKind) async throws {
        let server = try await BackendServer.start(kind)
        let client = try server.client(entries: 3)
        let start = try await client.changes(of: "card", since: nil, page: nil).etag
        var expected: [RemoteRecord] = []
        for number in 0..<7 {
            let (id, content) = (RecordID.random(), RecordContent.example("\(number)"))
            let etag = try await client.put(id, content, of: "card", over: nil)
            expected.append(.init(id: id, etag: etag, content: content))
        }
        let last = try #require(expected.last)
        var page = try await client.changes(of: "card", since: start, page: nil)
        let late = try await client.put(expected[0].id, .example("late"), of: "card", over: expected[0].etag)
        expected.append(.init(id: expected[0].id, etag: late, content: .example("late")))
        var found = page.records
        while let next = page.next {
            page = try await client.changes(of: "card", since: start, page: next)
            found += page.records
            #expect(page.etag == last.etag)
        }
        #expect(found == expected)
        #expect(!page.hasGap)
        let after = try await client.changes(of: "card", since: last.etag, page: nil)
        #expect(after.records == [expected[7]])
        let unchanged = try await client.changes(of: "card", since: late, page: nil)
        #expect(unchanged == RecordChanges(etag: late, isUnchanged: true))
    }

    @Test(arguments: BackendKind.allCases)
    func `A backend that lost its records is found out`(kind: BackendKind) async throws {
        let server = try await BackendServer.start(kind)
        let client = try server.client()
        let etag = try await client.put(id, .example(), of: "card", over: nil)
        #expect(try await client.changes(of: "card", since: etag, page: nil).isUnchanged)
        try await server.lose("card")
        let changes = try await client.changes(of: "card", since: etag, page: nil)
        #expect(changes.records.isEmpty && (changes.hasGap || changes.etag < etag))
    }

    @Test func `A collection of Kinto is created when it is first used, and not when it is gone`() async throws {
        let server = try await BackendServer.start(.kinto)
        let client = try server.client()
        #expect(try await client.changes(of: "listed", since: nil, page: nil).records.isEmpty)
        #expect(try await client.put(id, .example(), of: "stored", over: nil) > 0)
        let gone = await fault { () throws(RecordRemoteFault) in
            _ = try await client.changes(of: "gone", since: 1, page: nil)
        }
        #expect(gone == .missing("the backend does not have the collection (404)"))
    }

    @Test(arguments: BackendKind.allCases)
    func `Wrong credentials are a fault of access`(kind: BackendKind) async throws {
        let server = try await BackendServer.start(kind)
        var backend = try server.backend
        backend.credentials = .login(.init(user: "board1", password: .file(try server.folder.write("bad", "wrong\n"))))
        let client = try BackendClient(backend)
        let expected = RecordRemoteFault.unauthorized("the server refuses the user or the password (401)")
        let list = await fault { () throws(RecordRemoteFault) in
            _ = try await client.changes(of: "card", since: nil, page: nil)
        }
        #expect(list == expected)
        let put = await fault { () throws(RecordRemoteFault) in
            _ = try await client.put(id, .example(), of: "card", over: nil)
        }
        #expect(put == expected)
    }

    @Test func `What the example has acknowledged outlives its death`() async throws {
        let server = try await BackendServer.start(.example)
        let client = try server.client()
        var acknowledged: [RecordID: Int] = [:]
        for _ in 0..<4 {
            let stored = try await withThrowingTaskGroup(of: (RecordID, Int)?.self) { group in
                for number in 0..<24 {
                    let id = RecordID.random()
                    group.addTask {
                        (try? await client.put(id, .example("\(number)"), of: "card", over: nil)).map { (id, $0) }
                    }
                }
                var stored: [(RecordID, Int)] = []
                // The others are under way then, or never arrive.
                for try await one in group {
                    if let one { stored.append(one) }
                    if stored.count == 10 { server.kill() }
                }
                return stored
            }
            #expect(stored.count >= 10)
            acknowledged.merge(stored) { $1 }
            try await server.restart()
        }
        let listed = try await client.changes(of: "card", since: nil, page: nil).records
        let etags = Dictionary(uniqueKeysWithValues: listed.map { ($0.id, $0.etag) })
        #expect(acknowledged.allSatisfy { etags[$0.key] == $0.value })
    }

    // MARK: Pictures

    @Test func `A picture is stored, found and fetched by its hash`() async throws {
        let server = try await BackendServer.start(.example)
        let (client, picture) = (try server.client(), try server.folder.picture(1, 3_000_000))
        let blob = try Self.blob(picture)
        #expect(try await !client.hasBlob(blob.sha256))
        try await client.putBlob(picture.path, blob)
        #expect(try await client.hasBlob(blob.sha256))
        // It is there already.
        try await client.putBlob(picture.path, blob)
        let folder = try server.folder.makeFolder("fetched")
        try await client.getBlob(blob, to: folder + "/a.jpg")
        #expect(TestFolder.files(folder) == ["a.jpg": picture.bytes])
    }

    @Test func `A picture that is missing, or damaged at the backend, leaves no file`() async throws {
        let server = try await BackendServer.start(.example)
        let (client, picture) = (try server.client(), try server.folder.picture(2, 100_000))
        let blob = try Self.blob(picture)
        let folder = try server.folder.makeFolder("fetched")
        let missing = await fault { () throws(RecordRemoteFault) in try await client.getBlob(blob, to: folder + "/a") }
        #expect(missing == .missing("the backend does not have the file (404)"))
        try await client.putBlob(picture.path, blob)
        var bytes = picture.bytes
        for change in [{ bytes[50_000] ^= 1 }, { bytes.removeLast() }, { bytes += [1, 2, 3] }] {
            change()
            try server.folder.write("backend/blobs/\(blob.sha256.prefix(2))/\(blob.sha256)", bytes)
            let damaged = await fault { () throws(RecordRemoteFault) in
                try await client.getBlob(blob, to: folder + "/a")
            }
            guard case .damaged = damaged else { return #expect(damaged == nil) }
        }
        #expect(TestFolder.files(folder).isEmpty)
    }

    @Test func `A picture that changed on this machine is refused, and nothing is stored`() async throws {
        let server = try await BackendServer.start(.example)
        let (client, picture) = (try server.client(), try server.folder.picture(3, 100_000))
        let blob = try Self.blob(picture)
        try Data(picture.bytes.reversed()).write(to: URL(filePath: picture.path))
        let changed = await fault { () throws(RecordRemoteFault) in try await client.putBlob(picture.path, blob) }
        #expect(changed == .refused("the file has another content than its account"))
        let gone = await fault { () throws(RecordRemoteFault) in try await client.putBlob("/nowhere", blob) }
        #expect(gone == .refused("the file is gone"))
        #expect(try await !client.hasBlob(blob.sha256))
    }

    @Test func `The example removes pictures that its records do not name, and none without records`() async throws {
        let folder = try TestFolder()
        let python = try TestProcess.path("python3", advice: "apt install python3")
        let left = try await TestProcess.run(
            python, ["-B", "-c", Self.collection, String(BackendServer.examples), folder.path])
        #expect(left == "ab a")
    }

    /// Stores the pictures `a` and `b` and makes them old, and prints those that are left: first without a record, then with
    /// one that names `a`.
    private static let collection = #"""
        import os, pathlib, sys
        sys.path.insert(0, sys.argv[1])
        import backend
        folder = pathlib.Path(sys.argv[2])
        database, blobs = backend.Database(folder / "records.db"), backend.Blobs(folder)
        def left():
            for letter in "ab":
                path = blobs.path(letter * 64)
                path.parent.mkdir(exist_ok=True)
                path.touch()
                os.utime(path, (0, 0))
            blobs.collect(database)
            return "".join(sorted(path.name[0] for path in folder.glob("blobs/*/*")))
        print(left(), end=" ")
        database.put("site1/card", "00000000-0000-4000-8000-000000000000", '{"x":"' + "a" * 64 + '"}', None)
        print(left())
        """#

    private static func blob(_ picture: Upload) throws -> RecordBlob {
        try #require(
            RecordBlob(sha256: picture.sha256, byteCount: picture.byteCount, width: 1920, height: 1080))
    }
}
#endif
