// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import Foundation
import Testing
import UploadKit

@testable import TransferKit

/// The properties of the HTTP transport alone.
@Suite("Delivery over HTTP", .timeLimit(.minutes(2))) struct HTTPTests {
    @Test(arguments: [
        ("plain", UploadKit.Confirmation.answer), ("digest", .hash), ("wrong-digest", .answer), ("etag", .hash),
        ("json", .hash),
    ])
    func `An answer with the hash confirms it`(behavior: String, confirmation: UploadKit.Confirmation) async throws {
        let folder = try TestFolder()
        let server = try await ScriptedServer.start(try folder.makeFolder("root"))
        _ = try folder.makeFolder("root/\(behavior)")
        let target = UploadTarget(
            id: "t", service: .http(.init()), address: "http://127.0.0.1:\(server.port)/\(behavior)?key=1&b=%20c")
        let upload = try folder.picture(1, 1000, as: "a.jpg")
        #expect(try await Transports.make(target).send(upload) == confirmation)
        #expect(TestFolder.files(folder.path + "/root/\(behavior)") == ["a.jpg": upload.bytes])
        let head = try String(contentsOfFile: folder.path + "/root/head", encoding: .utf8)
        #expect(head.contains("Idempotency-Key: \"\(upload.sha256)\""))
        #expect(head.contains("Content-Digest: sha-256=:\(upload.sha256.base64OfHexadecimal):"))
    }

    @Test func `A form has its fields and the picture and its headers have the secret`() async throws {
        let folder = try TestFolder()
        let server = try await ScriptedServer.start(try folder.makeFolder("root"))
        var settings = UploadTarget.HTTP()
        settings.method = .post
        settings.headers = [.init("X-Key", "token {secret}"), .init("X-Camera", "{camera}")]
        settings.fields = [.init("taken", "{taken}"), .init("who", "{camera}, {board}")]
        settings.fileField = "asset"
        settings.secret = .file(try folder.write("secret", "s3cret\n"))
        let address = "http://127.0.0.1:\(server.port)/plain/{camera}"
        let transport = try Transports.make(UploadTarget(id: "t", service: .http(settings), address: address))
        let upload = try folder.picture(1, 300_000)
        #expect(!transport.canErase)
        #expect(try await transport.send(upload) == .answer)
        let form = try #require(TestFolder.files(folder.path + "/root/plain")["front door/form"])
        let text = String(decoding: form, as: UTF8.self)
        for part in [
            "name=\"taken\"\r\n\r\n2026-05-01T12:00:00.000+02:00\r\n", "name=\"who\"\r\n\r\nfront door, b\r\n",
            "name=\"asset\"; filename=\"photo-1.jpg\"\r\nContent-Type: image/jpeg\r\n",
        ] {
            #expect(text.contains(part))
        }
        #expect(Data(form).range(of: Data(upload.bytes)) != nil)
        let head = try String(contentsOfFile: folder.path + "/root/head", encoding: .utf8)
        #expect(head.contains("X-Key: token s3cret\n"))
        #expect(head.contains("X-Camera: front door\n"))
    }

    @Test func `A form under the same name is not overwritten`() async throws {
        let folder = try TestFolder()
        let server = try await ScriptedServer.start(try folder.makeFolder("root"))
        var settings = UploadTarget.HTTP()
        settings.method = .post
        let address = "http://127.0.0.1:\(server.port)/status-409/"
        let transport = try Transports.make(UploadTarget(id: "t", service: .http(settings), address: address))
        #expect(await transport.fault(try folder.picture(1, 1000))?.kind == "nameTaken")
    }

    @Test func `A value cannot add a header`() async throws {
        let folder = try TestFolder()
        let server = try await ScriptedServer.start(try folder.makeFolder("root"))
        _ = try folder.makeFolder("root/plain")
        var settings = UploadTarget.HTTP()
        settings.headers = [.init("X-Camera", "{camera}")]
        let address = "http://127.0.0.1:\(server.port)/plain"
        let transport = try Transports.make(UploadTarget(id: "t", service: .http(settings), address: address))
        var upload = try folder.picture(1, 1000, as: "a.jpg")
        upload.values["camera"] = "x\r\nX-Other: y"
        #expect(await transport.fault(upload) == .refused("{camera} contains a control character"))
        upload.values["camera"] = ""
        #expect(await transport.fault(upload) == nil)
    }

    @Test(arguments: [
        "ftp://host/", "https://", "https://user:password@host/", "https://host/a/../b", "https://host/%2e%2E/b",
        "https://host/a#b", "https://ho st/", "host", "",
    ])
    func `An address that could mean something else is refused`(address: String) {
        #expect(throws: CaptureError.self) {
            try Transports.make(UploadTarget(id: "t", service: .http(.init()), address: address))
        }
    }
}
#endif
