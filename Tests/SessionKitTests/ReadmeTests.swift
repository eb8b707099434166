// Part of gst-capture. Apache License 2.0, see LICENSE.

import CameraKit
import CaptureKit
import CaptureTestSupport
import Foundation
import OverlayRaster
import PresetKit
import ScheduleKit
import SessionKit
import Testing

/// The README and the chapters in `docs`: their examples, names and links.
@Suite("The README and the chapters", .timeLimit(.minutes(5)))
struct ReadmeTests {
    @Test("The README has an example of a capture that runs")
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

    @Test("The chapter on embedding has an example of a picture that runs")
    func still() async throws {
        enum Camera { static func first() -> CameraKit.Camera { .scene } }
        // README begins
        let still = try await Camera.first().still()
        print(still.width, still.height, still.bytes?.count ?? 0)
        // README ends
        #expect(still.bytes?.isEmpty == false)
    }

    @Test("The chapter on embedding has an example of two jobs on one camera that runs")
    func hub() async throws {
        // README begins
        let hub = CameraHub()
        var configuration = CaptureConfiguration(source: .camera(.scene), output: .caller)
        configuration.schedule = .every(.milliseconds(200), count: 5)

        let series = CaptureController(configuration, hub: hub)
        async let summary = series.run()

        let single = CaptureConfiguration(source: .camera(.scene), output: .caller)
        let picture = await CaptureController(single, hub: hub).run()
        print(picture.captured, "picture beside a series of", await summary.captured)
        // README ends
        #expect(picture.captured == 1, "\(picture.ending)")
    }

    @Test("The chapter on embedding has an example of a session that runs")
    func session() async throws {
        struct RasterProcess { static func standard() throws -> CairoRasterizer { CairoRasterizer() } }
        // README begins
        let file = try SessionLibrary().file("avatar")
        let camera = CaptureConfiguration(source: .camera(.scene), output: .caller)
        let configuration = SessionConfiguration(cameras: [.front: camera], output: .caller)

        let controller = SessionController(file.session, configuration, rasterizer: try RasterProcess.standard())
        Task { for await event in controller.events { if case .phase(let phase) = event { print(phase.name) } } }
        // README ends
        Task { await controller.cancel() }
        // README begins
        let outcome = await controller.run()  // meanwhile: await controller.trigger(), skip(), accept(), cancel() …
        for picture in outcome.pictures { print(picture.still.stage, picture.bytes?.count ?? 0) }
        // README ends
    }

    @Test("The documents show the examples of this file verbatim")
    func text() throws {
        let source = try String(contentsOfFile: #filePath, encoding: .utf8)
        let parts = source.components(separatedBy: "// README begins\n").dropFirst()
        #expect(parts.count == 5)
        let documents = try Self.documents
        for part in parts {
            let body = try #require(part.components(separatedBy: "        // README ends").first)
            let example = body.split(separator: "\n", omittingEmptySubsequences: false)
                .map { $0.hasPrefix("        ") ? $0.dropFirst(8) : $0 }.joined(separator: "\n")
            #expect(documents.contains(example))
        }
    }

    @Test("The README shows a valid session")
    func sessionFile() throws {
        let blocks = Self.yaml(in: try Self.contents(of: "README.md"))
        let text = try #require(blocks.first { $0.contains("stages:") })
        let session = try SessionFile(path: "mine.yaml", bytes: Array(text.utf8)).session
        #expect(session.stages.map(\.name) == ["front", "back"])
        #expect(session.stages[0].bestOf == 5)
    }

    @Test("All sessions and presets in the documents are valid")
    func files() throws {
        let blocks = Self.yaml(in: try Self.documents)
        #expect(blocks.count >= 3)
        // ServiceKitTests read the configurations of services, UploadKitTests those of the outbox, RecordKitTests kinds of
        // records; that of Prometheus is for promtool.
        let others = ["cameras:", "scrape_configs:", "targets:", "records:", "sides:"]
        for block in blocks where !others.contains(where: block.contains) {
            if block.contains("stages:") {
                _ = try SessionFile(path: "mine.yaml", bytes: Array(block.utf8))
            } else {
                _ = try Preset(path: "mine.yaml", bytes: Array(block.utf8))
            }
        }
    }

    @Test("The chapter on sessions names each shipped session")
    func sessions() throws {
        let chapter = try Self.contents(of: "docs/sessions.md")
        for entry in SessionLibrary().entries { #expect(chapter.contains("`\(entry.name)`")) }
    }

    @Test("The chapter on presets names each shipped preset")
    func presets() throws {
        let chapter = try Self.contents(of: "docs/presets.md")
        for path in ShippedPresets.paths {
            #expect(chapter.contains("`\(URL(filePath: path).deletingPathExtension().lastPathComponent)`"))
        }
    }

    @Test("The chapter on troubleshooting describes each code of a notice once")
    func notices() throws {
        let lines = try Self.contents(of: "docs/troubleshooting.md").split(separator: "\n")
        for code in Notice.Code.allCases {
            #expect(lines.count { $0.hasPrefix("| `\(code.rawValue)` |") } == 1, "\(code.rawValue)")
        }
    }

    @Test("The commands in the documents show layers in valid syntax")
    func layers() throws {
        let lines = try Self.documents.split(separator: "\n").filter { $0.hasPrefix("gst-capture") }
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

    @Test("Relative links lead to files and headings that exist")
    func links() throws {
        for path in try Self.paths + ["CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"] {
            let folder = path.hasPrefix("docs/") ? "docs/" : ""
            let links = try Self.contents(of: path).components(separatedBy: "](").dropFirst()
                .compactMap { $0.components(separatedBy: ")").first }
            for link in links where !link.hasPrefix("https://") {
                let parts = link.components(separatedBy: "#")
                let target = parts[0].isEmpty ? path : folder + parts[0]
                #expect(FileManager.default.fileExists(atPath: "\(Self.root)/\(target)"), "\(path): \(link)")
                if parts.count == 2 {
                    let anchors = try Self.anchors(in: target)
                    #expect(anchors.contains(parts[1]), "\(path): \(link)")
                }
            }
        }
    }

    @Test("The README links to each chapter, and has at most 150 lines")
    func overview() throws {
        let readme = try Self.contents(of: "README.md")
        for path in try Self.paths.dropFirst() { #expect(readme.contains("](\(path)")) }
        #expect(readme.split(separator: "\n", omittingEmptySubsequences: false).count <= 151)
    }

    /// The folder of the checkout.
    private static let root = "\(#filePath.split(separator: "/Tests/")[0])"

    /// The README and all chapters, as paths in the checkout.
    private static var paths: [String] {
        get throws {
            let names = try FileManager.default.contentsOfDirectory(atPath: "\(root)/docs")
            return ["README.md"] + names.filter { $0.hasSuffix(".md") }.sorted().map { "docs/\($0)" }
        }
    }

    /// The text of the README and all chapters.
    private static var documents: String {
        get throws {
            let texts = try paths.map { path in try contents(of: path) }
            return texts.joined(separator: "\n")
        }
    }

    /// Returns the text of a document.
    private static func contents(of path: String) throws -> String {
        try String(contentsOfFile: "\(root)/\(path)", encoding: .utf8)
    }

    /// Returns the YAML files in a text.
    private static func yaml(in text: String) -> [String] {
        text.components(separatedBy: "```yaml\n").dropFirst().compactMap { $0.components(separatedBy: "```").first }
    }

    /// Returns the anchors that GitHub gives the headings of a document.
    private static func anchors(in path: String) throws -> [String] {
        let lines = try contents(of: path).components(separatedBy: "\n")
        let marks: Set<Character> = [" ", "-", "_"]
        return lines.filter { $0.hasPrefix("#") }.map { line -> String in
            let heading = line.drop { $0 == "#" }.trimmingCharacters(in: .whitespaces).lowercased()
            let kept = heading.filter { $0.isLetter || $0.isNumber || marks.contains($0) }
            return kept.replacingOccurrences(of: " ", with: "-")
        }
    }
}
