// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import Foundation
import StillKit
import Testing
import UploadKit

@testable import TransferKit

/// Files that are fetched from targets.
@Suite("Fetching from targets", .timeLimit(.minutes(2))) struct FetchTests {
    /// Returns the request for a picture under its name, in a folder of the test.
    private static func download(_ upload: Upload, _ folder: TestFolder) throws -> Download {
        Download(
            name: upload.name, byteCount: upload.byteCount, sha256: upload.sha256,
            path: try folder.makeFolder("fetched") + "/a.jpg")
    }

    private static func fetched(_ folder: TestFolder) -> [String: [UInt8]] {
        TestFolder.files(folder.path + "/fetched")
    }

    private static func fault(_ request: () async throws(TransferFault) -> Bool) async -> TransferFault? {
        do throws(TransferFault) {
            _ = try await request()
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `A picture is found and fetched whole, and one that is missing leaves no file`(kind: StoreKind) async throws {
        let store = try await TestStore.start(kind)
        let transport = try Transports.make(store.target())
        let upload = try store.folder.picture(1, 300_000)
        let download = try Self.download(upload, store.folder)
        #expect(try await !transport.has(upload.name))
        #expect(try await !transport.fetch(download))
        #expect(Self.fetched(store.folder).isEmpty)
        _ = try await transport.send(upload)
        #expect(try await transport.has(upload.name))
        #expect(try await !transport.has("2026/05/photo-2.jpg"))
        #expect(try await !transport.has("2027/photo-1.jpg"))
        #expect(try await transport.fetch(download))
        #expect(Self.fetched(store.folder) == ["a.jpg": upload.bytes])
        var status = stat()
        #expect(stat(download.path, &status) == 0 && status.st_mode & 0o777 == 0o600)
    }

    @Test(arguments: StoreKind.allCases, [49_999, 50_000, 90_000])
    func `A file with another size or hash is damaged, and leaves no file`(kind: StoreKind, size: Int) async throws {
        let store = try await TestStore.start(kind)
        let transport = try Transports.make(store.target())
        let (wanted, other) = (try store.folder.picture(1, 50_000), try store.folder.picture(2, size))
        _ = try await transport.send(other)
        let download = try Self.download(wanted, store.folder)
        let fault = await Self.fault { () throws(TransferFault) in try await transport.fetch(download) }
        #expect(fault == .damaged("the file at the target has another content"))
        #expect(Self.fetched(store.folder).isEmpty)
    }

    // The scripted server asks for no password.
    @Test(arguments: StoreKind.allCases.filter { $0 != .http })
    func `A wrong password or key is a fault of access, and no missing picture`(kind: StoreKind) async throws {
        let store = try await TestStore.start(kind)
        let upload = try store.folder.picture(1, 1000)
        _ = try await Transports.make(store.target()).send(upload)
        let transport = try Transports.make(store.target(isWrong: true))
        let download = try Self.download(upload, store.folder)
        let fault = await Self.fault { () throws(TransferFault) in try await transport.fetch(download) }
        #expect(fault?.kind == "access", "\(String(describing: fault))")
        #expect(Self.fetched(store.folder).isEmpty)
    }

    @Test(arguments: StoreKind.allCases)
    func `A picture that cannot be stored here is a fault of this machine`(kind: StoreKind) async throws {
        let store = try await TestStore.start(kind)
        let transport = try Transports.make(store.target())
        let upload = try store.folder.picture(1, 1000)
        _ = try await transport.send(upload)
        var download = try Self.download(upload, store.folder)
        download.path = store.folder.path + "/nowhere/a.jpg"
        let fault = await Self.fault { () throws(TransferFault) in try await transport.fetch(download) }
        #expect(fault?.kind == "unreachable" && fault?.reason.contains("cannot be stored") == true)
    }

    @Test func `The part of a picture that a killed program left is removed, and that of one that runs stays`() throws {
        let folder = try TestFolder()
        let download = try Self.download(try folder.picture(1, 1000), folder)
        func file() throws -> FetchedFile {
            try FetchedFile(download.path, byteCount: download.byteCount, sha256: download.sha256)
        }
        let parts = folder.path + "/fetched"
        let name: String
        do {
            let file = try file()
            name = try #require(TestFolder.files(parts).keys.first)
            TemporaryFile.removeLeftovers(in: parts)
            #expect(TestFolder.files(parts).keys.sorted() == [name])
            withExtendedLifetime(file) {}
        }
        #expect(TestFolder.files(parts).isEmpty)
        // A killed program has no lock.
        try folder.write("fetched/" + name, "half")
        TemporaryFile.removeLeftovers(in: parts)
        #expect(TestFolder.files(parts).isEmpty)
    }

    // MARK: Hostile servers

    @Test(arguments: [
        (AnsweringServer.answer(200, "<html>Please log in</html>"), "damaged"),
        ("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + String(repeating: "<p>", count: 100_000), "damaged"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nhalf", "unreachable"),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nxyz", "unreachable"),
        (AnsweringServer.answer(204), "damaged"), (AnsweringServer.answer(206, "part"), "damaged"),
        (AnsweringServer.answer(302, "", ["Location: http://127.0.0.1:1/"]), "access"),
        (AnsweringServer.answer(403, "<html>"), "access"), (AnsweringServer.answer(500, "<html>"), "unreachable"),
        (AnsweringServer.answer(429, "", ["Retry-After: 7"]), "unreachable"), ("", "unreachable"),
    ])
    func `An answer that is not the picture is a fault, and leaves no file`(answer: String, kind: String) async throws {
        let (server, folder) = (try await AnsweringServer([answer]), try TestFolder())
        let upload = try folder.picture(1, 1000)
        let address = "http://127.0.0.1:\(server.port)/photos"
        let secret = SecretSource.file(try folder.write("secret", "word\n"))
        let services: [UploadTarget.Service] = [
            .webdav(.init()), .http(.init()), .s3(.init(keyID: "key", secret: secret)),
        ]
        for service in services {
            let transport = try Transports.make(UploadTarget(id: "t", service: service, address: address))
            let download = try Self.download(upload, folder)
            let fault = await Self.fault { () throws(TransferFault) in try await transport.fetch(download) }
            #expect(fault?.kind == kind, "\(String(describing: fault))")
            #expect(Self.fetched(folder).isEmpty)
        }
    }

    @Test func `A server that sends without end is left after the size of the picture`() async throws {
        let folder = try TestFolder()
        let server = try await ScriptedServer.start(try folder.makeFolder("root"))
        for service in [UploadTarget.Service.webdav(.init()), .http(.init())] {
            let target = UploadTarget(id: "t", service: service, address: "http://127.0.0.1:\(server.port)/endless")
            let transport = try Transports.make(target)
            let download = try Self.download(try folder.picture(1, 100_000), folder)
            let fault = await Self.fault { () throws(TransferFault) in try await transport.fetch(download) }
            #expect(fault?.kind == "damaged")
            #expect(Self.fetched(folder).isEmpty)
        }
    }

    @Test(arguments: [
        ("NoSuchKey", 404, nil), ("", 404, nil),
        ("NoSuchBucket", 404, TransferFault.missing("the bucket does not exist")),
        ("SignatureDoesNotMatch", 403, .access("the store refuses the secret key")),
        ("RequestTimeTooSkewed", 403, .clock("the clock of this machine differs from that of the store")),
        ("SlowDown", 503, .unreachable("the store has no time now (SlowDown)", pause: nil)),
    ])
    func `The code of a store is a fault in words`(code: String, status: Int, fault: TransferFault?) async throws {
        let server = try await AnsweringServer([AnsweringServer.answer(status, "<Error><Code>\(code)</Code></Error>")])
        let folder = try TestFolder()
        let bucket = UploadTarget.S3(keyID: "key", secret: .file(try folder.write("secret", "word\n")))
        let target = UploadTarget(id: "t", service: .s3(bucket), address: "http://127.0.0.1:\(server.port)/photos")
        let transport = try Transports.make(target)
        let download = try Self.download(try folder.picture(1, 1000), folder)
        #expect(await Self.fault { () throws(TransferFault) in try await transport.fetch(download) } == fault)
        if fault == nil { #expect(try await !transport.fetch(download)) }
        #expect(Self.fetched(folder).isEmpty)
    }

    @Test func `Pictures that were sent in a form cannot be fetched`() async throws {
        let folder = try TestFolder()
        var settings = UploadTarget.HTTP()
        settings.method = .post
        let target = UploadTarget(id: "t", service: .http(settings), address: "http://127.0.0.1:1/")
        #expect(!target.canFetch)
        let transport = try Transports.make(target)
        let upload = try folder.picture(1, 1000)
        let download = try Self.download(upload, folder)
        for fault in [
            await Self.fault { () throws(TransferFault) in try await transport.fetch(download) },
            await Self.fault { () throws(TransferFault) in try await transport.has(upload.name) },
        ] { #expect(fault?.kind == "refused") }
    }

    @Test(arguments: ["../a.jpg", "/a.jpg", "", "a b.jpg", "a/../../b"])
    func `A name that leaves the folder is refused`(name: String) async throws {
        let folder = try TestFolder()
        let target = UploadTarget(id: "t", service: .webdav(.init()), address: "http://127.0.0.1:1/")
        let transport = try Transports.make(target)
        var download = try Self.download(try folder.picture(1, 1000), folder)
        download.name = name
        let wanted = download
        #expect(await Self.fault { () throws(TransferFault) in try await transport.fetch(wanted) }?.kind == "refused")
        #expect(await Self.fault { () throws(TransferFault) in try await transport.has(name) }?.kind == "refused")
    }
}
#endif
