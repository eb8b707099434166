// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation

/// What came of one step in the lab.
struct LabStep: Sendable {
    /// The exit status; 124 where it took too long.
    let status: Int
    /// What it printed to standard output.
    let output: String
    /// What it printed to standard error.
    let error: String
    /// Where it ran.
    let folder: URL

    /// Reads what a step left in its folder.
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

    /// A file that it wrote.
    func file(_ name: String) -> URL { folder.appendingPathComponent(name) }

    /// Everything that it wrote, by name, in order; hidden files too, but for the folder of a ledger.
    func files() throws -> [String] {
        let all = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        return all.filter { !["status", "stdout", "stderr", ".gst-capture"].contains($0) }.sorted()
    }
}
