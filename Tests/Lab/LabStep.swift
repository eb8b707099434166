// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation

/// The result of a step in the lab.
struct LabStep: Sendable {
    /// The exit status; 124 after the time limit.
    let status: Int
    /// The text on standard output.
    let output: String
    /// The text on standard error.
    let error: String
    /// The working folder.
    let folder: URL

    /// Reads the files that a step left in its folder.
    init(folder: URL) throws {
        func text(_ name: String) throws -> String {
            try String(decoding: Data(contentsOf: folder.appendingPathComponent(name)), as: UTF8.self)
        }
        guard let line = try? text("status"), let status = Int(line.trimmingCharacters(in: .newlines)) else {
            throw LabRun.Failure(description: "the lab did not get to the end of this step: \(folder.path)")
        }
        self.status = status
        self.output = try text("stdout")
        self.error = try text("stderr")
        self.folder = folder
    }

    /// The URL of a file of the step.
    func file(_ name: String) -> URL { folder.appendingPathComponent(name) }

    /// The names of all its files, hidden ones too, in order, without the folder of a ledger.
    func files() throws -> [String] {
        let all = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        return all.filter { !["status", "stdout", "stderr", ".gst-capture"].contains($0) }.sorted()
    }
}
