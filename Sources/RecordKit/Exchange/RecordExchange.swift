// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// A file format of records for spreadsheets and other programs.
package enum RecordFormat: Sendable, Hashable {
    /// Comma-separated values with a line of names: `id`, the fields, and the sides.
    case csv
    /// One JSON object a line (JSON Lines).
    case json

    /// Returns the format by the ending of a file's name.
    package init(path: String) throws(CaptureError) {
        let name = DeviceFiles.name(of: path).lowercased()
        if name.hasSuffix(".csv") {
            self = .csv
        } else if name.hasSuffix(".jsonl") || name.hasSuffix(".ndjson") {
            self = .json
        } else {
            throw CaptureError(
                .usage, "has no ending of a format", subject: RegularFile.display(path),
                advice: "name it .csv or .jsonl")
        }
    }
}

/// A mistake in a line of an imported file.
package struct RecordLineFault: Error, Sendable, Hashable {
    /// The line, from 1.
    package let line: Int
    /// The mistake.
    package let fault: RecordFault

    /// The mistake as `file:line: field: problem`.
    package func error(_ path: String) -> CaptureError {
        let part = fault.part.map { "\($0.name): " } ?? ""
        return CaptureError(
            .inputOutput, part + fault.problem, subject: "\(RegularFile.display(path)):\(line)", advice: fault.advice)
    }
}

/// The folder of pictures that a file names.
struct ExchangeFolder {
    private let folder: String

    /// - Parameter path: The file that names the pictures.
    init(besides path: String) { folder = DeviceFiles.folder(of: path) }

    /// Returns the path of a picture.
    ///
    /// - Throws: `RecordFault` if the name leads out of the folder of the file: a file from another person must not
    ///   read
    ///   other pictures of this machine.
    func path(_ name: String, _ part: RecordPart) throws(RecordFault) -> String {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        guard !parts.contains(""), !parts.contains("."), !parts.contains(".."), name == name.withoutControls else {
            throw RecordFault(
                part, "\(name.quoted) is not a file beside this one",
                advice: "give its path from the folder of this file, such as cards/1.jpg")
        }
        return folder.isEmpty ? "/" + name : folder + "/" + name
    }
}
