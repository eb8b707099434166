// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation
import Testing

@testable import OverlayCompositor

/// `confinement-probe` confines itself by the code of `gst-capture-raster` and attempts forbidden calls.
@Suite(.timeLimit(.minutes(2))) struct `The confinement of the drawing process` {
    private static let allowed = "allowed: "

    /// The result of each attempt, by its name.
    private func attempts() throws -> [(name: String, result: Int)] {
        let inherited = open("/dev/null", O_RDONLY)  // without close-on-exec
        defer { close(inherited) }
        let file = FileManager.default.temporaryDirectory.appending(path: "gst-capture-\(UUID())")
        try Data("a secret".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let probe = URL(filePath: try RasterProcess.standard().executable).deletingLastPathComponent()
            .appending(path: "confinement-probe")
        let child = try RasterChild(probe.path)
        try child.channel.send(Array("\(file.path)\n\(try Self.font())".utf8))
        let message = try child.channel.receive(by: RasterDeadline(.seconds(5)) { .zero })
        let answer = String(decoding: message, as: UTF8.self)
        #expect(try Data(contentsOf: file) == Data("a secret".utf8))
        return try answer.split(separator: "\n").map { line in
            let parts = line.split(separator: "\t")
            return (String(parts[0]), try #require(Int(parts[1])))
        }
    }

    private static func font() throws -> String {
        let folder = "/usr/share/fonts"
        let files = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String }
        return folder + "/" + (try #require(files?.first { $0.hasSuffix(".ttf") }))
    }

    @Test func `The drawing process cannot use other processes, the network, the user's files or privileges`() throws {
        let attempts = try attempts()
        let forbidden = attempts.filter { !$0.name.hasPrefix(Self.allowed) }
        #expect(forbidden.count > 80)
        #expect(forbidden.filter { $0.result >= 0 }.map(\.name) == [])
    }

    @Test func `The drawing process can use fonts and threads, and inherits no needless file or variable`() throws {
        let needed = try attempts().filter { $0.name.hasPrefix(Self.allowed) }
        #expect(needed.count == 7)
        #expect(needed.filter { $0.result < 0 }.map(\.name) == [])
    }
}
