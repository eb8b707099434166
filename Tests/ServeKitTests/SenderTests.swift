// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import ServiceKit
import Testing

@testable import ServeKit

@Suite("Requests of other web pages", .timeLimit(.minutes(1)))
struct SenderTests {
    private static let cameras = "  garden: { camera: scene, width: 320, height: 240 }\n"
    private static let image = ["Sec-Fetch-Mode: no-cors", "Sec-Fetch-Dest: image"]
    private static let link = ["Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"]

    private static func status(_ service: MemoryService, _ path: String, _ headers: [String]) async throws -> Int {
        try await service.send(MemoryService.head("GET", path, headers)).status
    }

    @Test(
        "Another site cannot open a camera, also not by a link",
        arguments: ["/snapshot", "/?action=snapshot", "/cameras/garden/snapshot", "/api/v1/cameras/garden/snapshot"])
    func cameras(path: String) async throws {
        try await MemoryService.run(Self.cameras) { service async throws in
            for mode in [Self.image, Self.link] {
                #expect(try await Self.status(service, path, ["Sec-Fetch-Site: cross-site"] + mode) == 403)
            }
            #expect(try await Self.status(service, path, ["Origin: http://evil.example"]) == 403)
            #expect(service.service.streamCount.viewers == 0)
            // A page of a printer has another port. Programs and addresses that a user opens name no page.
            #expect(try await Self.status(service, path, ["Sec-Fetch-Site: same-site"] + Self.image) == 200)
            #expect(try await Self.status(service, path, ["Origin: http://localhost"]) == 200)
            #expect(try await Self.status(service, path, ["Sec-Fetch-Site: same-origin"] + Self.image) == 200)
            #expect(try await Self.status(service, path, ["Sec-Fetch-Site: none"] + Self.link) == 200)
            #expect(try await Self.status(service, path, []) == 200)
        }
    }

    @Test("Other pages take no place of a listener to events")
    func events() async throws {
        try await MemoryService.run(Self.cameras) { service async throws in
            for site in ["cross-site", "same-site"] {
                for mode in [Self.link, ["Sec-Fetch-Mode: cors", "Sec-Fetch-Dest: empty"]] {
                    #expect(try await Self.status(service, "/api/v1/events", ["Sec-Fetch-Site: \(site)"] + mode) == 403)
                }
            }
            #expect(try await Self.status(service, "/api/v1/events", ["Origin: http://localhost:9"]) == 403)
            let own = try await MemoryEvents(
                service, "", "Sec-Fetch-Site: same-origin", "Origin: http://localhost:8080")
            #expect(await own.next()?.name == "snapshot")
        }
    }

    @Test("No request that needs a role is performed for another site, except reading by a link")
    func all() async throws {
        try await MemoryService.run(Self.cameras) { service async throws in
            let document = try await service.get("/api/v1/openapi.json").json
            let paths = try #require(document["paths"] as? [String: [String: [String: Any]]])
            var count = 0
            for (path, operations) in paths {
                let concrete = path == "/" ? "/?action=stream" : path.replacing(/\{[a-z]+\}/, with: "x")
                for (method, operation) in operations where (operation["security"] as? [Any])?.isEmpty == false {
                    let head = MemoryService.head(
                        method.uppercased(), concrete, ["Sec-Fetch-Site: cross-site"] + Self.image)
                    #expect(try await service.send(head).status == 403, "\(method) \(path)")
                    count += 1
                }
            }
            #expect(count > 60)
            let link = ["Sec-Fetch-Site: cross-site"] + Self.link
            #expect(try await Self.status(service, "/api/v1/status", link) == 200)
            #expect(try await Self.status(service, "/healthz", ["Sec-Fetch-Site: cross-site"] + Self.image) == 200)
        }
    }
}
#endif
