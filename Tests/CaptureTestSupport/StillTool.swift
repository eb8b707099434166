// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation
import ProgramTestSupport
import Testing

/// Installed picture tools, which check our files independently.
package enum StillTool {
    /// The output of a program, and its exit status.
    package struct Outcome {
        package let status: Int32
        package let output: Data

        package var text: String { String(decoding: output, as: UTF8.self) }
    }

    /// The comment of a skipped test.
    package static let advice: Comment = "a picture tool is missing; run scripts/setup test"

    /// `true` if all of these programs are installed.
    package static func has(_ names: String...) -> Bool {
        names.allSatisfy { name in
            ["/usr/bin", "/usr/local/bin"].contains {
                FileManager.default.isExecutableFile(atPath: "\($0)/\(name)")
            }
        }
    }

    /// Runs a program to its end. Errors and output go to one file, so that a full pipe cannot block it.
    package static func run(_ name: String, _ arguments: [String]) async throws -> Outcome {
        let folder = try TemporaryFolder()
        let file = folder.path + "/output"
        _ = FileManager.default.createFile(atPath: file, contents: nil)
        let handle = try FileHandle(forWritingTo: URL(filePath: file))
        let process = try ChildProgram([name] + arguments, output: .file(handle), error: .file(handle))
        let status = await process.status()
        return Outcome(status: status, output: try Data(contentsOf: URL(filePath: file)))
    }

    /// The tags of a picture as exiftool reads them, numbers as numbers, with its warnings.
    package static func tags(of bytes: [UInt8], _ name: String) async throws -> [String: String] {
        try #require(try await tags(of: [bytes], name).first)
    }

    /// The tags of several pictures: exiftool starts slowly.
    package static func tags(of pictures: [[UInt8]], _ name: String) async throws -> [[String: String]] {
        let folder = try TemporaryFolder()
        let files = pictures.indices.map { "\(folder.path)/\(100 + $0)-\(name)" }
        for (bytes, file) in zip(pictures, files) { try Data(bytes).write(to: URL(filePath: file)) }
        let outcome = try await run("exiftool", ["-q", "-j", "-n", "-a", "-validate", "-warning", "-all"] + files)
        let read = try #require(try JSONSerialization.jsonObject(with: outcome.output) as? [[String: Any]])
        try #require(read.count == pictures.count)
        return read.map { $0.mapValues { "\($0)" } }
    }

    /// The result of a program that reads a picture.
    package static func judge(
        _ bytes: [UInt8], _ name: String, _ program: String, _ options: String...
    ) async throws -> Outcome {
        let folder = try TemporaryFolder()
        let file = folder.path + "/" + name
        try Data(bytes).write(to: URL(filePath: file))
        return try await run(program, options + [file])
    }
}
