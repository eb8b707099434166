// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import ServiceKit
import Testing

@testable import ServeKit

@Suite("The log of requests", .timeLimit(.minutes(1)))
struct RequestLogTests {
    private static let cameras = "  garden: { camera: scene, width: 320, height: 240 }\n"

    @Test("Secrets of links are never logged, however a client writes their paths")
    func secrets() async throws {
        try await MemoryService.run(Self.cameras) { service async throws in
            let secret = TokenSecret.pairing().text
            for path in ["/pair/\(secret)", "//pair//\(secret)/", "/cam/pair/\(secret)", "/%70air/\(secret)"] {
                for method in ["POST", "DELETE", "HEAD", "OPTIONS"] {
                    #expect(try await service.request(method, path).status != 500)
                }
            }
            for path in ["/share/\(secret)", "/api/v1/shared/\(secret)", "//api/v1/shared/\(secret)/1"] {
                for method in ["GET", "HEAD", "POST", "DELETE"] {
                    #expect([404, 405].contains(try await service.request(method, path).status))
                }
            }
            #expect(try await service.get("/api/v1/status?token=\(secret)").status == 400)
            #expect(try await service.get("/snapshot?token=\(secret)").status == 200)
            #expect(MemoryLog.lines(with: secret).isEmpty)
            #expect(!MemoryLog.lines(with: "POST /pair/{code}").isEmpty)
        }
    }

    @Test("A change is logged with its path, and a request without an effect is not")
    func changes() async throws {
        let cameras = "  logged: { camera: scene, width: 320, height: 240 }\n"
        try await MemoryService.run(cameras) { service async throws in
            #expect(try await service.request("POST", "/api/v1/cameras/logged/call-off").status == 200)
            #expect(try await service.request("HEAD", "/api/v1/cameras/logged").status == 200)
            #expect(try await service.request("PUT", "/api/v1/cameras/logged").status == 405)
            let lines = MemoryLog.lines(with: "/cameras/logged")
            #expect(lines.count == 1 && lines[0].hasPrefix("POST /api/v1/cameras/logged/call-off "), "\(lines)")
            #expect(lines.first?.contains("status=200") == true && lines.first?.contains("who=anonymous") == true)
        }
    }

    @Test("A client without a token, or another web page, cannot fill the log")
    func refusals() async throws {
        try await MemoryService.run(Self.cameras, reach: .network, tokens: ["hand": .capture]) {
            service, fields async throws in
            let (client, path) = ("192.0.2.78", "/api/v1/cameras/garden/call-off")
            func status(_ headers: String...) async throws -> Int {
                let connection = try await service.connect(from: client)
                await connection.write(MemoryService.head("POST", path, headers))
                return MemoryService.Response(await connection.readToEnd()).status
            }
            for _ in 0..<20 {
                #expect(try await status() == 401)
                #expect(try await status("Origin: http://evil.example") == 403)
            }
            #expect(MemoryLog.lines(with: "peer=\(client):40000").count == 10)
            #expect(MemoryLog.lines(with: "not logged peer=\(client)").count == 1)
            #expect(try await status(try #require(fields["hand"])) == 200)
            #expect(MemoryLog.lines(with: "peer=\(client):40000").count == 11)
        }
    }

    @Test("A client that guesses pairing links gets 429, and fills neither the log nor reads the file each time")
    func guesses() async throws {
        try await MemoryService.run(Self.cameras, reach: .network, tokens: ["phone": .view]) {
            service, _ async throws in
            let client = "192.0.2.77"
            func guess(_ code: String) async throws -> MemoryService.Response {
                let connection = try await service.connect(from: client)
                await connection.write(MemoryService.head("POST", "/pair/\(code)", []))
                return MemoryService.Response(await connection.readToEnd())
            }
            for number in 0..<10 { #expect(try await guess("\(number)").status == 404) }
            for number in 0..<20 { #expect(try await guess("\(number)").status == 429) }
            // For each of the first ten: the refusal, and the request.
            #expect(MemoryLog.lines(with: "wrong token peer=\(client)").count == 10)
            #expect(MemoryLog.lines(with: "peer=\(client):40000").count == 10)
            #expect(MemoryLog.lines(with: "not logged peer=\(client)").count == 1)
            // A link that another process offers meanwhile works also for this client.
            let link = TokenSecret.pairing()
            _ = try TokenFile(folder: service.folder.path + "/state").update { table throws(CaptureError) in
                try table.offer(link, name: "tablet", role: .view, at: .now())
            }
            #expect(try await guess(link.text).status == 200)
            #expect(try await guess(link.text).status == 429)
        }
    }
}
#endif
