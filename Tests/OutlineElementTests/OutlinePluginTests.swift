// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation
import ProgramTestSupport
import Testing

/// Runs GStreamer's own programs with the plugin's file.
@Suite("The plugin libgstoutline.so", .ownThread, .timeLimit(.minutes(2)))
final class OutlinePluginTests {
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("outline-plugin-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let built = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        try FileManager.default.createSymbolicLink(
            at: folder.appendingPathComponent("libgstoutline.so"),
            withDestinationURL: built.appendingPathComponent("libgstoutline.so"))
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Runs a program. Returns its exit status and output.
    private func run(_ line: [String]) throws -> (status: Int32, output: String) {
        var variables = ProcessInfo.processInfo.environment
        variables["GST_PLUGIN_PATH"] = folder.path
        variables["GST_REGISTRY"] = folder.appendingPathComponent("registry.bin").path
        let pipe = Pipe()
        let program = try ChildProgram(line, environment: variables, output: .pipe(pipe), error: .pipe(pipe))
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        return (program.wait(), String(decoding: output, as: UTF8.self))
    }

    @Test("gst-inspect shows the element, its formats and its properties")
    func inspected() throws {
        let (status, output) = try run(["gst-inspect-1.0", "outlineoverlay"])
        #expect(status == 0)
        for text in ["Outline overlay", "Apache 2.0", "GstBaseTransform", "I420", "YUY2", "appearance", "wait"] {
            #expect(output.contains(text), "\(text)")
        }
        #expect(!output.contains("GRAY16_LE"))
    }

    @Test("gst-launch draws an outline into a picture")
    func launched() throws {
        let picture = folder.appendingPathComponent("picture.png").path
        let source = "videotestsrc num-buffers=1 pattern=black ! video/x-raw,width=320,height=240"
        for element in ["identity", "outlineoverlay outline=face"] {
            let line = "\(source) ! \(element) ! videoconvert ! pngenc ! filesink location=\(picture)"
            let (status, output) = try run(["gst-launch-1.0", "-q"] + line.split(separator: " ").map(String.init))
            #expect(status == 0, "\(output)")
            let size = try #require(FileManager.default.contents(atPath: picture)).count
            #expect(element == "identity" ? size < 1500 : size > 2000, "\(element): \(size) bytes")
        }
    }

    @Test("gst-launch prints the line of an outline that does not exist")
    func missing() throws {
        let (status, output) = try run(
            ["gst-launch-1.0", "-q", "videotestsrc", "!", "outlineoverlay", "outline=fce", "!", "fakesink"])
        #expect(status != 0)
        #expect(output.contains(#""fce": there is no such outline; did you mean face?"#))
    }
}
