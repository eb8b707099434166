// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import ServiceKit
import Testing

@testable import ServeKit

@Suite("Methods, routes and caches", .timeLimit(.minutes(1)))
struct MethodTests {
    private static let cameras = "  garden: { camera: scene, width: 320, height: 240, output: FOLDER/%n.jpg }\n"

    @Test("HEAD has the status and the fields of GET, and no body")
    func head() async throws {
        try await MemoryService.run(Self.cameras) { service async throws in
            _ = try await service.request("POST", "/api/v1/cameras/garden/snap")
            let paths = [
                "/", "/healthz", "/api/v1/cameras/garden", "/api/v1/stills/garden-1", "/api/v1/cameras/x", "/metrics",
            ]
            for path in paths + ["/api/v1/stills/garden-1/thumbnail", "/api/v1/ledger/garden", "/api/v1/stills?x=1"] {
                let (get, head) = (try await service.get(path), try await service.request("HEAD", path))
                #expect(head.status == get.status && head.body.isEmpty, "\(path) \(head.head)")
                let fields = ["Content-Type", "ETag", "Cache-Control"]
                for field in fields {
                    func line(_ response: MemoryService.Response) -> Substring? {
                        response.head.split(separator: "\r\n").first { $0.hasPrefix(field + ":") }
                    }
                    #expect(line(head) == line(get), "\(path) \(field)")
                }
            }
            let refused = try await service.request("PUT", "/api/v1/cameras/garden")
            #expect(refused.status == 405 && refused.head.contains("Allow: GET, HEAD"))
        }
    }

    @Test("HEAD opens no camera, and takes no place of a viewer or a listener")
    func headOfStreams() async throws {
        try await MemoryService.run(Self.cameras) { service async throws in
            let types = [
                "/stream": "multipart/x-mixed-replace", "/?action=snapshot": "image/jpeg",
                "/api/v1/cameras/garden/stream": "multipart/x-mixed-replace", "/api/v1/events": "text/event-stream",
            ]
            for (path, type) in types {
                for _ in 0..<40 {
                    let head = try await service.request("HEAD", path)
                    #expect(head.status == 200 && head.head.contains("Content-Type: \(type)"), "\(path)")
                    #expect(!head.head.contains("Content-Length"))
                }
            }
            #expect(try await service.request("HEAD", "/cameras/x/stream").status == 404)
            #expect(try await service.request("HEAD", "/stream?width=0").status == 400)
            #expect(service.service.streamCount.viewers == 0)
        }
    }

    @Test("A browser keeps pictures and thumbnails, and asks whether they are current")
    func cache() async throws {
        try await MemoryService.run(Self.cameras) { service async throws in
            _ = try await service.request("POST", "/api/v1/cameras/garden/snap")
            for path in ["/api/v1/stills/garden-1", "/api/v1/stills/garden-1/thumbnail"] {
                let first = try await service.get(path)
                let tag = try #require(first.head.firstMatch(of: /ETag: (\S+)/), "\(first.head)").output.1
                #expect(first.status == 200 && first.head.contains("Cache-Control: private, no-cache\r\n"))
                let again = try await service.get(path, "If-None-Match: \(tag)")
                #expect(again.status == 304 && again.body.isEmpty && again.head.contains("ETag: \(tag)"))
                #expect(again.head.contains("Cache-Control: private, no-cache"))
            }
            #expect(try await service.get("/api/v1/status").head.contains("Cache-Control: no-store"))
        }
    }

    @Test("Routes are found with and without the router, those without parameters first")
    func routes() {
        func endpoint(_ method: String, _ path: String) -> Endpoint {
            Endpoint(method: .init(method) ?? .get, path: path, summary: "", content: .none) { _ in .init(status: .ok) }
        }
        let routes = Routes([
            endpoint("GET", "/"), endpoint("GET", "/a/{b}"), endpoint("DELETE", "/a/{b}"), endpoint("POST", "/a/c"),
            endpoint("GET", "/a/{b}/c"),
        ])
        #expect(routes.route(of: "/a/x", found: nil)?.path == "/a/{b}")
        #expect(routes.route(of: "//a/x/", found: nil)?.endpoint(.delete)?.path == "/a/{b}")
        #expect(routes.route(of: "/a/c", found: nil)?.path == "/a/c")
        #expect(routes.route(of: "/a/c", found: "/a/{b}")?.endpoint(.head)?.method == .get)
        #expect(routes.route(of: "/a/x", found: nil)?.endpoint(.post) == nil)
        #expect(routes.route(of: "", found: nil)?.path == "/" && routes.route(of: "/b", found: "NotFound") == nil)
    }
}
#endif
