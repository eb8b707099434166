// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import Foundation
import OverlayRaster
import Testing

@Suite("The README", .timeLimit(.minutes(5)))
struct ReadmeTests {
    @Test("has an example that runs")
    func example() async throws {
        // README begins
        var configuration = CaptureConfiguration(source: .camera(.scene), output: .caller)
        configuration.schedule = .every(.milliseconds(200), count: 3, for: nil)

        let controller = CaptureController(configuration)
        async let summary = controller.run()
        for await event in controller.events {
            guard case .captured(let still) = event else { continue }
            print(still.captured, still.offset, still.bytes?.count ?? 0)
        }
        print(await summary.captured, "pictures")
        // README ends
    }

    @Test("has an example of a session that runs")
    func session() async throws {
        struct RasterProcess { static func standard() throws -> CairoRasteriser { CairoRasteriser() } }
        // README begins
        let file = try SessionLibrary().file("avatar")
        let camera = CaptureConfiguration(source: .camera(.scene), output: .caller)
        let configuration = SessionConfiguration(cameras: [.front: camera], output: .caller)

        let controller = SessionController(file.session, configuration, rasteriser: try RasterProcess.standard())
        Task { for await event in controller.events { if case .phase(let phase) = event { print(phase.name) } } }
        // README ends
        Task { await controller.cancel() }
        // README begins
        let outcome = await controller.run()  // meanwhile: await controller.trigger(), skip(), accept(), cancel() …
        for picture in outcome.pictures { print(picture.still.stage, picture.bytes?.count ?? 0) }
        // README ends
    }

    @Test("shows those examples as they stand here")
    func text() throws {
        let source = try String(contentsOfFile: #filePath, encoding: .utf8)
        let parts = source.components(separatedBy: "// README begins\n").dropFirst()
        #expect(parts.count == 3)
        for part in parts {
            let body = try #require(part.components(separatedBy: "        // README ends").first)
            let example = body.split(separator: "\n", omittingEmptySubsequences: false)
                .map { $0.hasPrefix("        ") ? $0.dropFirst(8) : $0 }.joined(separator: "\n")
            #expect(try Self.readme.contains(example))
        }
    }

    @Test("shows a session that is good")
    func sessionFile() throws {
        let blocks = try Self.readme.components(separatedBy: "```yaml\n").dropFirst()
            .compactMap { $0.components(separatedBy: "```").first }
        let text = try #require(blocks.first { $0.contains("stages:") })
        let session = try SessionFile(path: "mine.yaml", bytes: Array(text.utf8)).session
        #expect(session.stages.map(\.name) == ["front", "back"])
        #expect(session.stages[0].bestOf == 5)
    }

    @Test("names each session that is shipped")
    func sessions() throws {
        let readme = try Self.readme
        for entry in SessionLibrary().entries { #expect(readme.contains("`\(entry.name)`")) }
    }

    private static var readme: String {
        get throws {
            let root = (0..<3).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }
            return try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
        }
    }

    @Test("names each preset that is shipped")
    func presets() throws {
        let readme = try Self.readme
        for path in ShippedPresets.paths {
            #expect(readme.contains("`\(URL(filePath: path).deletingPathExtension().lastPathComponent)`"))
        }
    }

    @Test("shows layers as they can be written")
    func layers() throws {
        let lines = try Self.readme.split(separator: "\n").filter { $0.hasPrefix("gst-capture") }
        for line in lines {
            for option in ["overlay", "burn-in", "appearance"] {
                guard let rest = line.split(separator: "--\(option) ").dropFirst().first else { continue }
                let isQuoted = rest.hasPrefix("'")
                let text = rest.split(separator: isQuoted ? "'" : " ", maxSplits: 1).first
                let settings = try CaptureSettings(options: [(option, String(try #require(text)))])
                #expect(settings != CaptureSettings())
            }
        }
        #expect(lines.count { $0.contains("--overlay") } >= 8)
    }
}
