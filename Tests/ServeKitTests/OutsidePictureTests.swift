// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureTestSupport
import Foundation
import Testing

@testable import ServeKit

@Suite("Pictures from outside", .timeLimit(.minutes(2)))
struct OutsidePictureTests {
    private static let cameras = "  garden: { camera: scene, width: 320, height: 240 }\n"
    private static let upload = "/api/v1/sessions/booth/upload"

    private static func file(_ name: String) throws -> Data {
        let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        return try Data(contentsOf: tests.appending(path: "StillKitTests/Corpus/\(name)"))
    }

    @Test("An upload that is not a sound picture to its end is 422; a sound one of any color model goes to the session")
    func uploads() async throws {
        try await MemoryService.run(Self.cameras) { service in
            let png = try Self.file("plain.png")
            var wrong = png
            wrong[wrong.count - 20] ^= 1
            for damaged in [png.dropLast(20), png.dropLast(5), wrong] {
                let response = try await service.send("POST", Self.upload, Data(damaged), type: "image/png")
                #expect(response.status == 422 && response.text.contains("not a complete PNG"), "\(response.text)")
            }
            // There is no such session.
            for (name, type) in [("plain.png", "image/png"), ("cmyk-adobe.jpg", "image/jpeg")] {
                let response = try await service.send("POST", Self.upload, Self.file(name), type: type)
                #expect(response.status == 404, "\(name): \(response.text)")
            }
        }
    }

    @Test("Many outlines at once are all drawn, and the same bytes come again")
    func outlines() async throws {
        try await MemoryService.run(Self.cameras) { service in
            let paths = ["face", "card", "hand"].flatMap { name in
                (1...6).map { "/api/v1/outlines/\(name)/render?width=\($0 * 32)&height=64" }
            }
            let first = try await withThrowingTaskGroup(of: (String, MemoryService.Response).self) { group in
                for path in paths { group.addTask { (path, try await service.get(path)) } }
                return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
            }
            #expect(first.values.allSatisfy { $0.status == 200 })
            for path in paths { #expect(try await service.get(path).body == first[path]?.body) }
        }
    }
}
#endif
