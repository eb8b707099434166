// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation
import ProgramTestSupport

/// Runs programs of this machine to their end.
enum Program {
    /// The output of a program, and its exit status.
    struct Outcome {
        let status: Int32
        let output: Data
        let error: String
    }

    /// Runs a program, found in `PATH`, to its end.
    ///
    /// Output goes to files, so that no amount of it can block on a pipe.
    static func run(_ name: String, _ arguments: [String]) async throws -> Outcome {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (output, error) = (folder.appendingPathComponent("output"), folder.appendingPathComponent("error"))

        let process = try ChildProgram(
            [name] + arguments, output: .file(handle(writing: output)), error: .file(handle(writing: error)))
        let status = await process.status()
        let message = try String(decoding: Data(contentsOf: error), as: UTF8.self)
        return Outcome(status: status, output: try Data(contentsOf: output), error: message)
    }

    private static func handle(writing file: URL) throws -> FileHandle {
        try Data().write(to: file)
        return try FileHandle(forWritingTo: file)
    }
}
