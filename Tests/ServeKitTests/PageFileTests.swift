// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import Foundation
import ServiceKit
import Testing

@testable import ServeKit

@Suite("The files of the web page", .timeLimit(.minutes(1)))
struct PageFileTests {
    /// The files that a browser loads only for the kiosk, for shared pictures, and for German.
    private static let onDemand = ["kiosk.js", "share.js", "service-de.js"]

    @Test("The files are small, are cached by their hash, and load nothing from elsewhere")
    func files() async throws {
        try await MemoryService.run("  garden: { camera: scene }\n") { service in
            let page = try await service.get("/")
            #expect(page.status == 200)
            #expect(page.head.contains("script-src 'self'") && !page.head.contains("unsafe"))
            #expect(page.head.lowercased().contains("cache-control: no-store"))
            let root = "/" + (try #require(page.text.firstMatch(of: #/page\/[0-9a-f]{16}\//#)?.output))
            let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
                "../../page")
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            var size = 0
            for name in names where name != "index.html" {
                let file = try await service.get("\(root)\(name)")
                #expect(file.status == 200 && file.head.contains("immutable"), "\(name)")
                if !Self.onDemand.contains(name) { size += file.body.count }
                #expect(!file.text.contains("https://") || name.hasPrefix("words"), "\(name)")
            }
            #expect(size + page.body.count < 150_000)
            #expect(try await service.get("/page/0123456789abcdef/main.js").status == 404)
            #expect(try await service.get("\(root)..%2fPackage.swift").status == 404)
            #expect(try await service.get("/?action=snapshot").body.starts(with: [0xFF, 0xD8]))
        }
    }
}
#endif
