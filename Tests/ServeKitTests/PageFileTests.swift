// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import Foundation
import ServiceKit
import Testing

@testable import ServeKit

@Suite("The files of the web page", .timeLimit(.minutes(1)))
struct PageFileTests {
    /// Returns the scripts that a browser loads for one: itself, and all that it imports at once.
    private static func scripts(of start: String, _ texts: [String: String]) -> Set<String> {
        var (found, waiting) = (Set<String>(), [start])
        while let name = waiting.popLast() {
            guard found.insert(name).inserted, let text = texts[name] else { continue }
            waiting += text.matches(of: #/(?m)^import [^(]*?'\./([a-z-]+\.js)'/#).map { String($0.output.1) }
        }
        return found
    }

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
            var (sizes, texts) = ([String: Int](), [String: String]())
            for name in names where name != "index.html" {
                let file = try await service.get("\(root)\(name)")
                #expect(file.status == 200 && file.head.contains("immutable"), "\(name)")
                (sizes[name], texts[name]) = (file.body.count, file.text)
                #expect(!file.text.contains("https://") || name.hasPrefix("words"), "\(name)")
            }
            let size = { (names: Set<String>) in names.compactMap { sizes[$0] }.reduce(0, +) }
            let live = Self.scripts(of: "main.js", texts).union(["theme.css", "page.css"])
            let pictures = Self.scripts(of: "pictures.js", texts).union(["library.css"])
            #expect(live.count > 10 && size(live) + page.body.count < 150_000)
            let library = size(pictures.subtracting(live))
            #expect(pictures.count > 10 && library < 60_000, "the library has \(library) bytes")
            let onDemand = [
                "albums.js", "choose-picture.js", "clips.js", "selection-bar.js", "tags.js", "trash.js", "viewer.js",
            ]
            #expect(pictures.isDisjoint(with: onDemand) && onDemand.allSatisfy { sizes[$0] != nil })
            let outbox = Self.scripts(of: "outbox.js", texts).union(["outbox.css"]).subtracting(live)
            #expect(outbox.contains("words-outbox.js") && size(outbox) < 20_000)
            #expect(try await service.get("/page/0123456789abcdef/main.js").status == 404)
            #expect(try await service.get("\(root)..%2fPackage.swift").status == 404)
            #expect(try await service.get("/?action=snapshot").body.starts(with: [0xFF, 0xD8]))
        }
    }
}
#endif
