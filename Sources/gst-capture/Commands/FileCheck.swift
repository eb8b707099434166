// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import TerminalKit

/// Checks files, and reports each mistake with its line and column, or that the file is good.
struct FileCheck {
    /// Returns the mistakes in a file.
    let errors: (String) async throws(CaptureError) -> [CaptureError]

    /// Checks all files.
    ///
    /// - Throws: ``ExitStatus`` of the first mistake.
    func run(_ files: [String]) async throws {
        var first: CaptureError?
        for file in files {
            let errors = await check(file)
            first = first ?? errors.first
        }
        if let first { throw ExitStatus(first) }
    }

    private func check(_ file: String) async -> [CaptureError] {
        let found: [CaptureError]
        do throws(CaptureError) { found = try await errors(file) } catch { found = [error] }
        for error in found { Console().report(error) }
        if found.isEmpty { StandardStream.output.line("\(file): good") }
        return found
    }
}
