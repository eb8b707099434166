// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation

/// A JPEG file, decoded to gray by a third-party program.
struct Picture {
    /// The number of pixels in a row.
    let width: Int
    /// The number of rows.
    let height: Int
    /// The mean brightness, from 0 (black) to 255 (white).
    let mean: Double

    /// Decodes a file with `djpeg`, which reports a truncated file.
    init(jpeg file: URL) async throws {
        let decoded = try await Program.run("djpeg", ["-grayscale", "-pnm", file.path])
        guard decoded.status == 0, decoded.error.isEmpty else {
            throw LabRun.Failure(description: "\(file.lastPathComponent): \(decoded.error)")
        }
        try self.init(pgm: decoded.output)
    }

    /// Reads a binary PGM as `djpeg` writes it: `P5`, a line with width and height, a line with 255, then bytes.
    private init(pgm: Data) throws {
        let parts = pgm.split(separator: UInt8(ascii: "\n"), maxSplits: 3, omittingEmptySubsequences: false)
        let size = parts.count == 4 ? String(decoding: parts[1], as: UTF8.self).split(separator: " ") : []
        let numbers = size.compactMap { Int($0) }
        guard numbers.count == 2, parts[3].count == numbers[0] * numbers[1], !parts[3].isEmpty else {
            throw LabRun.Failure(description: "djpeg gave no gray picture")
        }
        (width, height) = (numbers[0], numbers[1])
        mean = Double(parts[3].reduce(0) { $0 + Int($1) }) / Double(parts[3].count)
    }
}
