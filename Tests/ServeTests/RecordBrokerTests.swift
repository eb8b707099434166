// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import Foundation
import ProgramTestSupport
import Testing

@Suite(
    "Records of two services with a broker", .timeLimit(.minutes(5)),
    .enabled(if: PictureServer.isAvailable, PictureServer.advice))
struct RecordBrokerTests {
    private typealias Shared = PageTests.SharedRecords

    /// Starts a service that looks at the backend once an hour.
    private static func start(_ backend: ExampleBackend, _ broker: Broker, _ password: URL) throws -> ServedProgram {
        let settings =
            "poll: 1h\nmqtt: {broker: \"mqtt://127.0.0.1:\(broker.port)\", user: camera, "
            + "password-file: \(password.path), topic: site/records}"
        return try Shared.start(backend, settings)
    }

    @Test("Changes reach the other service at once, also after the broker was away")
    func changes() async throws {
        let folder = try ServedProgram.makeFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let password = folder.appendingPathComponent("password")
        try Data("secret word\n".utf8).write(to: password)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: password.path)
        let backend = try ExampleBackend(in: folder)
        let broker = try await Broker(in: folder)
        let (one, two) = (try Self.start(backend, broker, password), try Self.start(backend, broker, password))
        let id = try Self.create("Ann", one)
        try Shared.await("Ann", two, id)
        let etag = try #require(try await broker.messages(1, "site/records/#").first)
        #expect(etag.payload.allSatisfy(\.isNumber) && etag.topic.hasPrefix("site/records/"))
        // Without values, and of any length: nothing of it is believed.
        try await broker.publish(etag.topic, "soon")
        try await broker.publish(etag.topic, String(repeating: "9", count: 4000), "-r")
        try Shared.await("Bob", one, try Self.create("Bob", two))
        await broker.stop()
        let later = try Self.create("Cid", one)
        let restarted = try await Broker(in: folder, port: broker.port)
        try Shared.await("Cid", two, later)
        await restarted.stop()
    }

    private static func create(_ name: String, _ program: ServedProgram) throws -> String {
        let created = try program.send("POST", Shared.cards, json: #"{"fields": {"name": "\#(name)"}}"#)
        return try #require(created.json["id"] as? String, "\(created.text)")
    }
}
#endif
