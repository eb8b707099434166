// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import Foundation
import ServiceKit
import Testing

@testable import ServeKit

@Suite("A service behind a proxy", .timeLimit(.minutes(1)))
struct ProxyTests {
    private static let cameras = "  garden: { camera: scene, width: 320, height: 240, output: FOLDER/%n.jpg }\n"
    private static let snap = "/api/v1/cameras/garden/snap"

    /// Runs a service with a public address.
    private static func run(_ body: (MemoryService, _ token: String) async throws -> Void) async throws {
        let head = "url: https://example.org/cam/\n"
        try await MemoryService.run(Self.cameras, head: head, tokens: ["hand": .capture]) {
            service, fields async throws in
            try await body(service, try #require(fields["hand"]))
        }
    }

    @Test("A port of this machine needs a token if other machines reach it through a proxy, also without a token file")
    func tokens() async throws {
        try await MemoryService.run(Self.cameras, head: "url: https://example.org\n") { service async throws in
            #expect(try await service.get("/api/v1/status").status == 401)
            #expect(try await service.get("/").status == 200)
        }
    }

    @Test("With the Host of the proxy's own request, the refusal names the key, and the key admits the page")
    func refusal() async throws {
        let origin = "Origin: https://example.org"
        try await MemoryService.run(Self.cameras) { service async throws in
            let refused = try await service.request("POST", Self.snap, origin)
            #expect(refused.status == 403 && refused.text.contains("set url: "), "\(refused.text)")
            let misdirected = try await service.get("/api/v1/status", "Host: example.org")
            #expect(misdirected.status == 421 && misdirected.text.contains("url:"))
        }
        try await Self.run { service, token async throws in
            #expect(try await service.request("POST", Self.snap, origin, token).status == 201)
            #expect(try await service.request("POST", Self.snap, origin, token, "Host: example.org").status == 201)
            for other in ["http://example.org", "https://example.org:444", "https://example.org.evil", "null"] {
                let refused = try await service.request("POST", Self.snap, "Origin: \(other)", token)
                #expect(refused.status == 403, "\(other)")
            }
        }
    }

    @Test("Addresses in responses have the path that the proxy removes, if the request came through it")
    func location() async throws {
        try await Self.run { service, token async throws in
            func location(_ headers: String...) async throws -> String {
                let response = try await service.send(MemoryService.head("POST", Self.snap, headers + [token]))
                return String(try #require(response.head.firstMatch(of: /Location: (\S+)/)).output.1)
            }
            #expect(try await location().hasPrefix("/api/v1/stills/garden-"))
            #expect(try await location("Host: example.org").hasPrefix("/cam/api/v1/stills/garden-"))
            #expect(try await location("X-Forwarded-Prefix: /cam").hasPrefix("/cam/api/v1/stills/garden-"))
            // Only the configured path is believed.
            #expect(try await location("X-Forwarded-Prefix: //evil.example").hasPrefix("/api/v1/stills/garden-"))
        }
        try await MemoryService.run(Self.cameras) { service async throws in
            let response = try await service.request("POST", Self.snap, "X-Forwarded-Prefix: /cam")
            #expect(response.head.contains("Location: /api/v1/stills/garden-"))
        }
    }

    @Test("The page and the API name no path from the root of the host")
    func relative() async throws {
        try await MemoryService.run(Self.cameras) { service async throws in
            for (path, root) in [("/", ""), ("/kiosk/x", "../"), ("/share/x/", "../../"), ("//", "../")] {
                let page = try await service.get(path).text
                let links = page.matches(of: /(?:href|src)=\\?"([^"]+)"/).map { String($0.output.1) }
                #expect(links.count > 3 && links.allSatisfy { $0.hasPrefix(root) && !$0.hasPrefix("/") }, "\(links)")
                let script = try #require(links.first { $0.hasSuffix("main.js") })
                let base = try #require(URL(string: "http://localhost" + path))
                let address = try #require(URL(string: script, relativeTo: base)).absoluteURL.path
                #expect(try await service.get(address).status == 200, "\(path) \(address)")
            }
            let document = try await service.get("/api/v1/openapi.json").json
            let servers = try #require(document["servers"] as? [[String: String]])
            #expect(servers.first?["url"] == "../../")
        }
    }

    @Test("The scripts of the page name no path from the root of the host")
    func scripts() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../page")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".js") }
        #expect(names.count > 20)
        for name in names {
            let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
            let code = text.split(separator: "\n").filter { !$0.contains("*") && !$0.contains("//") }
            for line in code { #expect(!line.contains(/['"`]\/[a-z]/), "\(name): \(line)") }
        }
    }

    @Test(
        "The public address is one of a web page",
        arguments: [
            ("https://example.org", "https://example.org", ""), ("https://EXAMPLE.org/", "https://example.org", ""),
            ("http://cam.local:8081/a/b-c/", "http://cam.local:8081", "/a/b-c"),
            ("https://[2001:db8::1]:443/cam", "https://[2001:db8::1]", "/cam"),
        ])
    func address(text: String, origin: String, path: String) throws {
        let address = try PublicAddress(parsing: text)
        #expect(address.origin == origin && address.path == path && address.description == origin + path)
    }

    @Test(
        "Other texts are refused",
        arguments: [
            "", "example.org", "ftp://example.org", "https://", "https://a b", "https://a/../b", "https://a//b",
            "https://a/b?c", "https://a:0", "https://a:70000", "https://u:p@a", "https://a/%2e", "https://a/b#c",
            "https://" + String(repeating: "a", count: 300),
        ])
    func refused(text: String) {
        #expect(throws: (any Error).self) { try PublicAddress(parsing: text) }
    }
}
#endif
