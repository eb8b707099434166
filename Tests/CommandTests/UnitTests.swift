// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation
import ProgramTestSupport
import Testing

/// The program that checks units.
private let analyzer = "/usr/bin/systemd-analyze"

@Suite(
    "The systemd unit",
    .enabled(if: FileManager.default.isExecutableFile(atPath: analyzer), "systemd-analyze is not installed"),
    .timeLimit(.minutes(5)))
struct UnitTests {
    /// The unit as `make install` would write it, with the path of the built command.
    private func install(in folder: URL) throws -> URL {
        let source = "\(#filePath.split(separator: "/Tests/")[0])/packaging/gst-capture@.service"
        let text = try String(contentsOfFile: "/" + source, encoding: .utf8)
        let programs = folder.appendingPathComponent("bin")
        try FileManager.default.createDirectory(at: programs, withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(
            at: programs.appendingPathComponent("gst-capture"), withDestinationURL: RunningCommand.program())
        let unit = folder.appendingPathComponent("gst-capture@.service")
        try Data(text.replacingOccurrences(of: "@PREFIX@", with: folder.path).utf8).write(to: unit)
        return unit
    }

    private func analyze(_ arguments: String...) throws -> (status: Int32, text: String) {
        let output = Pipe()
        let process = try ChildProgram([analyzer] + arguments, output: .pipe(output), error: .pipe(output))
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        return (process.wait(), text)
    }

    @Test("systemd-analyze finds no fault in the unit")
    func verified() throws {
        let command = try Command()
        let result = try analyze("verify", "--man=no", install(in: command.folder).path)
        #expect(result.status == 0)
        #expect(result.text.isEmpty)
    }

    @Test("systemd-analyze rates the unit as safe: it exposes only cameras and the needs of GStreamer")
    func exposure() throws {
        let command = try Command()
        let unit = try install(in: command.folder).path
        // The threshold is ten times the exposure, which is at most 10.
        let result = try analyze("security", "--offline=true", "--threshold=12", unit)
        #expect(result.status == 0, "\(result.text)")
    }
}
