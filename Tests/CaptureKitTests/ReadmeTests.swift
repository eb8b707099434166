// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import Foundation
import Testing

@Suite("The README", .timeLimit(.minutes(1)))
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

    @Test("shows that example as it stands here")
    func text() throws {
        let source = try String(contentsOfFile: #filePath, encoding: .utf8)
        let parts = source.split(separator: "// README begins\n").dropFirst().first?.split(
            separator: "        // README ends")
        let body = try #require(parts?.first)
        let example = body.split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.hasPrefix("        ") ? $0.dropFirst(8) : $0 }.joined(separator: "\n")
        #expect(try Self.readme.contains(example))
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
