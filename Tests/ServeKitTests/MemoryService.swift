// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import CaptureTestSupport
import ConnectionKit
import Foundation
import Hummingbird
import HummingbirdCore
import LibraryFeed
import Logging
import MetricsKit
import OverlayRaster
import PipelineKit
import ServiceKit
import Testing

@testable import ServeKit

/// A service whose clients are in memory.
final class MemoryService: Sendable {
    /// A response of the service.
    struct Response: Sendable {
        let status: Int
        let head: String
        let body: Data

        var text: String { String(decoding: body, as: UTF8.self) }
        var json: [String: Any] { (try? JSONSerialization.jsonObject(with: body) as? [String: Any]) ?? [:] }
    }

    /// The folder of the test, which has the files of the configuration.
    let folder: TemporaryFolder
    var url: URL { URL(filePath: folder.path) }
    /// The log so far.
    var log: String { lines.text }
    let service: CaptureService
    let library: ServiceLibrary
    let feed: LibraryFeed
    let api: API
    /// The samples of metrics.
    let samples = MetricStore()
    private let lines = MemoryLog()
    private let access: ListenerAccess
    private let child: GuardedChannel<HTTP1Channel>

    /// Runs a service while a test sends requests.
    ///
    /// - Parameters:
    ///   - cameras: The section `cameras`, in which `FOLDER` stands for the folder of the test.
    ///   - head: The other sections of the configuration.
    ///   - folder: The folder of an earlier service; `nil` for a new one.
    ///   - reach: The clients that can reach the service.
    ///   - hosts: Names of the machine besides its addresses.
    ///   - tokens: The roles of the tokens, by their names; `nil` for no file with tokens.
    ///   - connections: How many connections there may be.
    ///   - body: Gets the service, and the fields `Authorization` of the tokens by their names.
    static func run<Result: Sendable>(
        _ cameras: String, head: String = "", in folder: TemporaryFolder? = nil,
        reach: ListenerAccess.Reach = .machine, hosts: [String] = [], tokens: [String: Role]? = nil,
        connections: Int = ConnectionLimit.most,
        _ body: (MemoryService, [String: String]) async throws -> Result
    ) async throws -> Result {
        try GStreamer.initialize()
        MemoryLog.begin()
        let folder = try folder ?? TemporaryFolder()
        let fields = try tokens.map { try Self.write($0, to: TokenFile(folder: folder.path + "/state")) }
        let memory = try await MemoryService(cameras, head, folder, reach, hosts, connections)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { if let error = await memory.service.run() { throw error } }
            group.addTask { await memory.feed.run() }
            let result: Swift.Result<Result, any Error>
            do {
                result = .success(try await body(memory, fields ?? [:]))
            } catch {
                result = .failure(error)
            }
            await memory.service.stop()
            try await group.waitForAll()
            return try result.get()
        }
    }

    /// Runs a service without tokens while a test sends requests.
    static func run<Result: Sendable>(
        _ cameras: String, head: String = "", in folder: TemporaryFolder? = nil,
        reach: ListenerAccess.Reach = .machine, connections: Int = ConnectionLimit.most,
        _ body: (MemoryService) async throws -> Result
    ) async throws -> Result {
        try await run(cameras, head: head, in: folder, reach: reach, connections: connections) { service, _ in
            try await body(service)
        }
    }

    private init(
        _ cameras: String, _ head: String, _ folder: TemporaryFolder, _ reach: ListenerAccess.Reach, _ hosts: [String],
        _ connections: Int
    ) async throws {
        let text = (head + "cameras:\n" + cameras).replacing("FOLDER", with: folder.path)
        let configuration = try ServiceConfiguration(path: try folder.write("serve.yaml", text))
        let (state, rasterizer, metrics) = (folder.path + "/state", CairoRasterizer(), ServeMetrics(samples))
        let library = try await ServiceLibrary.open(in: state)
        let outbox = try configuration.outbox.map { try ServiceOutbox(path: $0, state: state) }
        service = CaptureService(
            configuration, rasterizer: rasterizer, observer: metrics, state: state,
            removals: { await library.removals(in: $0, after: $1) }, outbox: outbox?.sentPictures)
        let errors = await service.prepare()
        try #require(errors.isEmpty, "\(errors)")
        let requests = PictureRequests(service, state: state)
        let failures = await requests.recover(API.recovered)
        try #require(failures.isEmpty, "\(failures)")
        let page = try PageFiles.installed(configuration.page)
        self.library = library
        if let outbox { metrics.measure(outbox) }
        feed = LibraryFeed(library, service) { Issue.record($0) }
        let records = try configuration.records.map { [service] settings in
            RecordDesk(settings.kinds, folder: try settings.folder(in: state)) { service.emit($0) }
        }
        api = API(
            service, requests, metrics, library: library, outbox: outbox, records: records, films: nil, page: page,
            rasterizer: rasterizer
        ) {
            ServiceLink.base(configuration)
        }
        access = ListenerAccess(
            control: try AccessControl(TokenFile(folder: state)), reach: reach, isTLS: false, isInsecure: false,
            hosts: hosts + configuration.safety.hosts, publicAddress: configuration.safety.address)
        let responder = APIResponder(api.router(access).buildResponder(), Logger(label: "gst-capture.test"))
        child = GuardedChannel(
            HTTP1Channel(responder: responder.respond, configuration: ServeProgram.limits),
            ConnectionLimit(most: connections) { metrics.changeConnections(by: $0) }, nil)
        self.folder = folder
    }

    /// Writes tokens. Returns their fields by their names.
    private static func write(_ roles: [String: Role], to file: TokenFile) throws -> [String: String] {
        var fields: [String: String] = [:]
        _ = try file.update { table throws(CaptureError) in
            for (name, role) in roles {
                let secret = TokenSecret.token()
                try table.add(secret, name: name, role: role, at: .now())
                fields[name] = "Authorization: Bearer \(secret.text)"
            }
        }
        return fields
    }
}

// MARK: - Requests

extension MemoryService {
    /// Opens a connection.
    ///
    /// - Parameter client: The address of the client.
    func connect(from client: String = "127.0.0.1") async throws -> MemoryConnection {
        try await lines.whileActive {
            try await MemoryConnection(child, client: access.reach == .socket ? nil : client)
        }
    }

    /// Sends a request, and returns the response.
    func request(_ method: String, _ path: String, _ headers: String...) async throws -> Response {
        try await send(Self.head(method, path, headers))
    }

    func get(_ path: String, _ headers: String...) async throws -> Response {
        try await send(Self.head("GET", path, headers))
    }

    /// Sends a request with a body of JSON.
    func send(_ method: String, _ path: String, json: String, _ headers: String...) async throws -> Response {
        let fields = ["Content-Type: application/json", "Content-Length: \(json.utf8.count)"] + headers
        return try await send(Self.head(method, path, fields) + json)
    }

    /// Sends a request with a body of a media type.
    func send(
        _ method: String, _ path: String, _ body: Data, type: String, _ headers: String...
    ) async throws -> Response {
        let fields = ["Content-Type: \(type)", "Content-Length: \(body.count)"] + headers
        return try await send(Data(Self.head(method, path, fields).utf8) + body)
    }

    /// Sends text, and reads to the end of the connection.
    func send(_ text: String) async throws -> Response { try await send(Data(text.utf8)) }

    /// Sends bytes, and reads to the end of the connection.
    func send(_ bytes: Data) async throws -> Response {
        let connection = try await connect()
        await connection.write(bytes)
        return Response(await connection.readToEnd())
    }

    /// Returns the head of a request. It names a host unless the headers do.
    static func head(_ method: String, _ path: String, _ headers: [String]) -> String {
        let host = headers.contains { $0.lowercased().hasPrefix("host:") } ? [] : ["Host: localhost:8080"]
        let lines = ["\(method) \(path) HTTP/1.1", "Connection: close"] + host + headers
        return lines.joined(separator: "\r\n") + "\r\n\r\n"
    }
}

extension MemoryService.Response {
    /// Reads the bytes of a connection that has ended.
    init(_ data: Data) {
        let end = data.range(of: Data("\r\n\r\n".utf8)) ?? data.endIndex..<data.endIndex
        head = String(decoding: data[..<end.lowerBound], as: UTF8.self)
        status = head.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        let body = Data(data[end.upperBound...])
        self.body = head.lowercased().contains("transfer-encoding: chunked") ? Self.joined(chunks: body) : body
    }

    private static func joined(chunks: Data) -> Data {
        var (rest, all) = (chunks[...], Data())
        while let line = rest.range(of: Data("\r\n".utf8)),
            let count = Int(String(decoding: rest[..<line.lowerBound], as: UTF8.self), radix: 16), count > 0
        {
            all += rest[line.upperBound...].prefix(count)
            rest = rest[line.upperBound...].dropFirst(count + 2)
        }
        return all
    }
}
#endif
