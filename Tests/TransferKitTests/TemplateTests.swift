// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import Foundation
import Testing

@testable import TransferKit
@testable import UploadKit

@Suite("The shipped templates of an outbox", .timeLimit(.minutes(1))) struct TemplateTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../packaging/outbox").standardizedFileURL.path()
    private static let names = ["immich", "nextcloud", "s3", "sftp"]

    private static func configuration(_ name: String) throws -> OutboxConfiguration {
        try OutboxConfiguration(path: "\(folder)/\(name).yaml")
    }

    @Test func `All of them are tested`() throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder)
        #expect(files.sorted() == Self.names.map { $0 + ".yaml" })
    }

    @Test(arguments: names)
    func `A template is read and its target has a transport`(name: String) throws {
        let configuration = try Self.configuration(name)
        #expect(configuration.targets.map(\.id) == [name])
        #expect(configuration.routes.map(\.targets) == [[name]])
        _ = try Transports.make(configuration.targets[0].place)
    }

    @Test func `Immich gets the key and the fields that it documents`() async throws {
        let folder = try TestFolder()
        let server = try await ScriptedServer.start(try folder.makeFolder("root"))
        var target = try Self.configuration("immich").targets[0].place
        target.address = "http://127.0.0.1:\(server.port)/api/assets"
        guard case .http(var settings) = target.service else { throw CancellationError() }
        settings.secret = .file(try folder.write("key", "s3cret\n"))
        target.service = .http(settings)
        let upload = try folder.picture(1, 1000)
        #expect(try await Transports.make(target).send(upload) == .answer)
        #expect(try String(contentsOfFile: folder.path + "/root/head", encoding: .utf8).contains("x-api-key: s3cret\n"))
        let form = try #require(TestFolder.files(folder.path + "/root/api/assets")["form"])
        #expect(Data(form).range(of: Data(upload.bytes)) != nil)
        let text = String(decoding: form, as: UTF8.self)
        for part in ["deviceAssetId", "deviceId", "fileCreatedAt", "fileModifiedAt", "assetData"] {
            #expect(text.contains("name=\"\(part)\""))
        }
        #expect(text.contains("name=\"fileCreatedAt\"\r\n\r\n2026-05-01T12:00:00.000+02:00\r\n"))
    }

    @Test func `Nextcloud gets a picture at the path of the template`() async throws {
        let store = try await TestStore.start(.nginx)
        var target = try Self.configuration("nextcloud").targets[0].place
        target.address = target.address.replacing("https://cloud.example.org", with: "http://127.0.0.1:\(store.port)")
        target.service = .webdav(.init(user: "user", password: .file(store.folder.path + "/password")))
        let upload = try store.folder.picture(1, 1000)
        #expect(try await Transports.make(target).send(upload) == .readBack)
        let path = "remote.php/dav/files/me/Photos/" + upload.name
        #expect(try await store.files() == [path: upload.bytes])
    }
}
#endif
