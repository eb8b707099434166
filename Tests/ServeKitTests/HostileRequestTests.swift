// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import Foundation
import ServiceKit
import Testing

@testable import ServeKit

@Suite("Requests that a service refuses", .timeLimit(.minutes(1)))
struct HostileRequestTests {
    private static let cameras = "  garden: { camera: scene, width: 320, height: 240 }\n"

    @Test("Requests that a service must refuse are problems with a status and a code, and harm nothing")
    func refused() async throws {
        try await MemoryService.run(Self.cameras) { service in
            let snap = "/api/v1/cameras/garden/snap"
            let live = "/api/v1/cameras/garden"
            let requests: [(String, String, [String], Int)] = [
                ("GET", "/api/v1/status", ["Host: evil.example"], 421),
                ("GET", "/api/v1/status", ["Host: 127.0.0.1.evil.example"], 421),
                ("GET", "/api/v1/status", ["Host: localhost:80x"], 421),
                ("GET", "/api/v1/status", ["Host: 127.0.0.1", "Host: evil.example"], 421),
                ("POST", snap, ["Origin: http://evil.example"], 403), ("POST", snap, ["Origin: null"], 403),
                ("POST", snap, ["Sec-Fetch-Site: cross-site"], 403),
                ("POST", snap, ["Origin: http://127.0.0.1:1"], 403),
                ("POST", snap, ["Content-Length: 1"], 413), ("POST", snap, ["Content-Length: 99999999999"], 413),
                ("POST", snap, ["Transfer-Encoding: chunked"], 413),
                ("GET", "/api/v1/status", ["Content-Length: 5"], 413),
                ("GET", "/page/x/main.js", [], 404), ("GET", "/api/v1/cameras/desk", [], 404),
                ("POST", "/api/v1/cameras/desk/snap", [], 404),
                ("GET", snap, [], 405), ("DELETE", "/api/v1/stills/quick-1", [], 404),
                ("PUT", "/api/v1/status", [], 405),
                ("GET", "/api/v1/stills/..%2f..%2fetc%2fpasswd", [], 404),
                ("GET", "/api/v1/stills/../../etc/passwd", [], 404),
                ("GET", "/api/v1/stills/quick-1%00", [], 404), ("GET", "/api/v1/ledger/%2e%2e", [], 404),
                ("GET", "/api/v1/stills?limit=0", [], 400), ("GET", "/api/v1/stills?limit=501", [], 400),
                ("GET", "/api/v1/stills?limit=-1", [], 400), ("GET", "/api/v1/stills?limit=1&limit=2", [], 400),
                ("GET", "/api/v1/stills?limit", [], 400), ("GET", "/api/v1/stills?x=1", [], 400),
                ("GET", "/api/v1/stills?before=..", [], 400), ("GET", "/api/v1/stills?before=a-1.a-1", [], 400),
                ("GET", "/api/v1/stills?camera=a%2fb", [], 400), ("GET", "/api/v1/stills?camera=%zz", [], 400),
                ("GET", "/api/v1/stills?camera=%ff", [], 400), ("GET", "/api/v1/stills?camera=", [], 400),
                ("GET", "/api/v1/events?kind=%0a", [], 400), ("GET", "/api/v1/events?kind=a,,b", [], 400),
                ("GET", "/api/v1/status?a=b", [], 400), ("GET", "/api/v1/ledger/garden?format=xml", [], 400),
                ("GET", "/api/v1/ledger/garden?since=yesterday", [], 400),
                ("GET", "/api/v1/ledger/garden?outcome=won", [], 400),
                ("GET", "\(live)/stream?width=0", [], 400), ("GET", "\(live)/stream?width=3841", [], 400),
                ("GET", "\(live)/stream?height=-16", [], 400), ("GET", "\(live)/stream?fps=61", [], 400),
                ("GET", "\(live)/stream?fps=0.5", [], 400), ("GET", "\(live)/stream?quality=101", [], 400),
                ("GET", "\(live)/stream?quality=99999999999999999999", [], 400),
                ("GET", "\(live)/stream?layers=%00", [], 400), ("GET", "\(live)/stream?mirror=yes", [], 400),
                ("GET", "\(live)/snapshot?width=16&width=16", [], 400), ("GET", "\(live)/snapshot?x=1", [], 400),
                ("GET", "\(live)/snapshot?width=", [], 400), ("GET", "/?action=reboot", [], 400),
                ("GET", "/?action=stream&width=1%200", [], 400), ("GET", "/cameras/garden?action=%ff", [], 400),
                ("GET", "/cameras/garden", [], 404), ("GET", "/cameras/desk?action=stream", [], 404),
                ("GET", "/api/v1/cameras/desk/stream", [], 404), ("GET", "/cameras/..%2f/snapshot", [], 404),
                ("POST", "\(live)/stream", [], 405),
            ]
            for (method, path, headers, status) in requests {
                let lines = ["\(method) \(path) HTTP/1.1", "Connection: close"]
                let hosts = headers.contains { $0.hasPrefix("Host:") } ? [] : ["Host: localhost:8080"]
                let response = try await service.send((lines + hosts + headers).joined(separator: "\r\n") + "\r\n\r\n")
                #expect(response.status == status, "\(method) \(path) \(headers): \(response.head)")
                #expect(response.head.contains("Content-Type: application/problem+json"), "\(path)")
                #expect(response.json["status"] as? Int == status && response.json["code"] is String, "\(path)")
                #expect(response.head.contains("X-Content-Type-Options: nosniff"), "\(path)")
            }
            #expect(try await service.get("/healthz").status == 200)
        }
    }

    @Test("Bytes that are no request, and heads that are too large, end only their connection")
    func malformed() async throws {
        try await MemoryService.run(Self.cameras) { service in
            let field = "X-A: \(String(repeating: "a", count: 9000))\r\n"
            let texts = [
                "\r\n\r\n\r\n", "GET\r\n\r\n", "\u{0}\u{1}\u{2}\r\n\r\n", "GET / HTTP/9.9\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\(field)\r\n",
                "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n" + (0..<5000).map { "X-\($0): a\r\n" }.joined() + "\r\n",
                "GET /\(String(repeating: "a", count: 100_000)) HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: -1\r\n\r\n",
                "POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            ]
            for text in texts {
                let connection = try await service.connect()
                await connection.write(text)
                await connection.finish()
                let response = MemoryService.Response(await connection.readToEnd())
                #expect(
                    response.status == 0 || (400...499).contains(response.status),
                    "\(text.prefix(40)): \(response.head)")
            }
            #expect(try await service.get("/healthz").status == 200)
        }
    }

    @Test("Each path of the OpenAPI document responds as it says, and no other method does")
    func openAPI() async throws {
        try await MemoryService.run(Self.cameras) { service in
            let document = try await service.get("/api/v1/openapi.json").json
            #expect(document["openapi"] as? String == "3.1.0")
            let paths = try #require(document["paths"] as? [String: [String: [String: Any]]])
            #expect(paths.count >= 15)
            let endless = ["/events", "/stream", "/stream.mp4"]
            for (path, operations) in paths where !endless.contains(where: path.hasSuffix) {
                let concrete = path.replacing("{camera}", with: "garden").replacing("{series}", with: "x")
                    .replacing("{still}", with: "x-1")
                for method in ["GET", "POST", "PUT", "DELETE", "PATCH"] {
                    let response = try await service.request(method, concrete)
                    guard let operation = operations[method.lowercased()] else {
                        #expect(response.status == 405, "\(method) \(path)")
                        continue
                    }
                    let responses = try #require(operation["responses"] as? [String: [String: Any]])
                    let described = try #require(
                        responses["\(response.status)"], "\(method) \(path) \(response.status)")
                    let types =
                        (described["content"] as? [String: Any])?.keys.map { "\($0)" } ?? ["application/problem+json"]
                    #expect(
                        types.contains { response.head.contains("Content-Type: \($0)") }, "\(path) \(response.head)")
                }
            }
        }
    }
}
#endif
