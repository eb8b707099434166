// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit

/// Says what is wrong in files, each with its line and column, and which ones are good.
struct FileCheck {
    /// All that is wrong in a file, by its name.
    let errors: (String) async throws(CaptureError) -> [CaptureError]

    /// Checks them all.
    ///
    /// - Throws: ``ExitStatus`` of the first thing that is wrong.
    func run(_ files: [String]) async throws {
        var first: CaptureError?
        for file in files {
            let errors = await told(file)
            first = first ?? errors.first
        }
        if let first { throw ExitStatus(first) }
    }

    private func told(_ file: String) async -> [CaptureError] {
        let found: [CaptureError]
        do throws(CaptureError) { found = try await errors(file) } catch { found = [error] }
        for error in found { Console().report(error) }
        if found.isEmpty { StandardStream.output.line("\(file): good") }
        return found
    }
}
