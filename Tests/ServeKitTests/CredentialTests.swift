// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import Foundation
import ServiceKit
import Testing

@testable import ServeKit

@Suite("Cookies, passwords and tokens in addresses", .timeLimit(.minutes(1)))
struct CredentialTests {
    private static let cameras = "  garden: { camera: scene, width: 320, height: 240, output: FOLDER/%n.jpg }\n"

    /// Pairs a browser that uses an address. Returns the name and the value of its cookie.
    private static func pair(_ service: MemoryService, _ headers: String...) async throws -> String {
        let link = TokenSecret.pairing()
        _ = try TokenFile(folder: service.folder.path + "/state").update { table throws(CaptureError) in
            try table.offer(link, name: "tablet", role: .view, at: .now())
        }
        let response = try await service.send(MemoryService.head("POST", "/pair/\(link.text)", headers))
        let cookie = response.head.firstMatch(of: /Set-Cookie: ([^;]+);/)
        return String(try #require(cookie, "\(response.head)").output.1)
    }

    @Test("Services at two ports of a host, or at two paths of a proxy, have cookies of different names")
    func names() async throws {
        let proxy = "url: https://example.org:8443/cam/\nhosts: [camera.local]\n"
        try await MemoryService.run(Self.cameras, head: proxy, reach: .network, tokens: [:]) {
            service, _ async throws in
            let addresses = [
                ["Host: localhost:8080"]: "gst-capture-8080", ["Host: camera.local"]: "gst-capture",
                ["Host: example.org:8443"]: "__Host-gst-capture-8443-cam",
                ["Host: localhost:9", "X-Forwarded-Prefix: /cam/"]: "__Host-gst-capture-8443-cam",
            ]
            for (fields, name) in addresses {
                let link = TokenSecret.pairing()
                _ = try TokenFile(folder: service.folder.path + "/state").update { table throws(CaptureError) in
                    try table.offer(link, name: "tablet", role: .view, at: .now())
                }
                let response = try await service.send(MemoryService.head("POST", "/pair/\(link.text)", fields))
                let cookie = try #require(response.head.firstMatch(of: /Set-Cookie: (([^=]+)=[^;]+);(.*)/), "\(fields)")
                #expect(cookie.output.2 == name)
                #expect(cookie.output.3.contains("Secure") == name.hasPrefix("__Host-"))
                let own = MemoryService.head("GET", "/api/v1/status", fields + ["Cookie: \(cookie.output.1)"])
                #expect(try await service.send(own).status == 200, "\(fields)")
            }
        }
    }

    @Test("The cookie of a service at another port is not tried, also not as a wrong token")
    func otherPort() async throws {
        try await MemoryService.run(Self.cameras, reach: .network, tokens: [:]) { service, _ async throws in
            let cookie = try await Self.pair(service)
            for _ in 0..<20 {
                let other = try await service.get("/api/v1/status", "Cookie: gst-capture-9090=gst_0")
                #expect(other.status == 401 && other.text.contains("a token is missing"))
            }
            let both = "Cookie: gst-capture-9090=gst_0; \(cookie)"
            #expect(try await service.get("/api/v1/status", both).status == 200)
        }
    }

    @Test("A cookie with an unknown token is removed, and ignored if the service needs no token")
    func stale() async throws {
        let stale = "Cookie: gst-capture-8080=gst_0"
        let removal = "Set-Cookie: gst-capture-8080=; Path=/; Max-Age=0;"
        try await MemoryService.run(Self.cameras) { service async throws in
            for _ in 0..<20 {
                let response = try await service.get("/api/v1/status", stale)
                #expect(response.status == 200 && response.head.contains(removal))
            }
            #expect(try await service.request("POST", "/api/v1/cameras/garden/snap", stale).status == 201)
        }
        try await MemoryService.run(Self.cameras, reach: .network, tokens: [:]) { service, _ async throws in
            // The page itself needs no token: it comes first, and removes the cookie.
            let page = try await service.get("/healthz", stale)
            #expect(page.status == 200 && page.head.contains(removal))
            let refused = try await service.get("/api/v1/status", stale)
            #expect(refused.status == 401 && refused.head.contains(removal))
            let known = try await service.get("/api/v1/status", "Cookie: \(try await Self.pair(service))")
            #expect(known.status == 200 && !known.head.contains("Set-Cookie"))
        }
    }

    @Test("The password of a proxy is ignored if the service needs no token, and in a paired browser")
    func proxyPassword() async throws {
        let password = "Authorization: Basic " + Data("boss:of the proxy".utf8).base64EncodedString()
        try await MemoryService.run(Self.cameras) { service async throws in
            for path in ["/api/v1/status", "/snapshot"] {
                #expect(try await service.get(path, password).status == 200)
            }
        }
        try await MemoryService.run(Self.cameras, reach: .network, tokens: [:]) { service, _ async throws in
            #expect(try await service.get("/", password).status == 200)
            let cookie = "Cookie: \(try await Self.pair(service, password))"
            for path in ["/api/v1/status", "/snapshot"] {
                #expect(try await service.get(path, password, cookie).status == 200)
                #expect(try await service.get(path, password).status == 401)
            }
        }
    }

    @Test("A token with the role view opens pictures and streams as a password or in the address, and nothing else")
    func viewers() async throws {
        let tokens: [String: Role] = ["eye": .view, "hand": .capture]
        try await MemoryService.run(Self.cameras, reach: .network, tokens: tokens) { service, fields async throws in
            func secret(_ name: String) throws -> String {
                String(try #require(fields[name]).dropFirst("Authorization: Bearer ".count))
            }
            func basic(_ user: String, _ password: String) -> String {
                "Authorization: Basic " + Data("\(user):\(password)".utf8).base64EncodedString()
            }
            let (eye, hand) = (try secret("eye"), try secret("hand"))
            let shot = try await service.request("POST", "/api/v1/cameras/garden/snap", try #require(fields["hand"]))
            let stills = try #require(shot.json["stills"] as? [[String: Any]])
            let still = "/api/v1/stills/\(try #require(stills.first?["id"] as? String))"
            for path in ["/snapshot", "/?action=snapshot", "/cameras/garden/snapshot", still, still + "/thumbnail"] {
                let question = path.contains("?") ? "&" : "?"
                for user in ["", "eye", "octoprint"] {
                    #expect(try await service.get(path, basic(user, eye)).status == 200, "\(path)")
                }
                #expect(try await service.get("\(path)\(question)token=\(eye)").status == 200, "\(path)")
                #expect(try await service.request("HEAD", path, basic("a", eye)).status == 200)
                #expect(try await service.get(path, basic("a", hand)).status == 403)
                #expect(try await service.get("\(path)\(question)token=\(hand)").status == 403)
                // Players ask with a password only after this field; browsers would show a dialog.
                let missing = try await service.get(path)
                #expect(missing.status == 401 && missing.head.contains("WWW-Authenticate: Basic realm="))
                #expect(try await !service.get(path, "Accept: image/webp,*/*").head.contains("Basic"))
            }
            for path in ["/api/v1/status", "/api/v1/events", "/api/v1/stills", still + "/exif", "/metrics"] {
                let refused = try await service.get(path, basic("a", eye))
                #expect(refused.status == 401 && refused.text.contains("a token is missing"), "\(path)")
                #expect([400, 401].contains(try await service.get("\(path)?token=\(eye)").status), "\(path)")
            }
            #expect(try await service.request("POST", "/api/v1/cameras/garden/snap", basic("a", eye)).status == 401)
            #expect(MemoryLog.lines(with: eye).isEmpty && MemoryLog.lines(with: hand).isEmpty)
            #expect(MemoryLog.lines(with: basic("a", eye)).isEmpty)
            #expect(try await service.get("/snapshot?token=gst_0").status == 401)
            #expect(try await service.get("/snapshot", "Authorization: Basic !").status == 401)
            #expect(try await service.get("/snapshot", basic("a", "b:c")).status == 401)
        }
    }
}
#endif
