// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import SessionKit

/// Formats a session's folder for lists and tables.
struct SessionFolderListing {
    private let entry: SessionArchive.Entry
    private let isRunning: Bool

    /// Creates the listing of a session's folder. It blocks.
    init(_ entry: SessionArchive.Entry) { (self.entry, isRunning) = (entry, entry.isRunning) }

    /// `true` if the session can be resumed.
    var isOpen: Bool { entry.record.standing.ending == nil }

    /// Returns the path, the progress, and how to resume the session.
    func text(for terminal: Terminal) -> String {
        terminal.styled(entry.path, .bold) + "  \(title): \(progress)"
            + (isRunning ? "" : "\n    " + terminal.styled("gst-capture session resume \(entry.path)", .dim))
    }

    /// Returns each stage with its pictures.
    func table(for terminal: Terminal) -> String {
        let record = entry.record
        let head = "\(title): \(progress), begun \(record.begun)"
        let stages = record.standing.stages.flatMap { stage in
            [terminal.styled(stage.name.withoutControls, .bold) + "  \(stage.progress.rawValue)"]
                + stage.pictures.compactMap { record.stills[$0.number] }.map(line)
        }
        let aside = record.standing.setAside.compactMap { record.stills[$0.number] }.map(line)
        let rest = aside.isEmpty ? [] : [terminal.styled("from aborted runs", .bold)] + aside
        return ([head] + stages + rest).joined(separator: "\n") + "\n"
    }

    /// One object for programs.
    var json: JSONValue {
        let record = entry.record
        return .object([
            "folder": .string(entry.path), "session": .string(record.standing.session),
            "title": .string(record.title), "state": .string(isRunning ? "running" : record.state),
            "begun": .string(record.begun),
            "pictures": .array(record.pictures.map(\.json)),
        ])
    }

    private func line(_ still: SessionStill) -> String {
        let offset = still.offset.map { "  \(Wording.offset($0))" } ?? ""
        let crop = still.crop.map { "  \($0.file.name) \($0.file.width)x\($0.file.height)" } ?? ""
        return "    \(still.file.name)  \(still.file.width)x\(still.file.height)\(offset)\(crop)"
    }

    // The record may come from an untrusted source: control characters in it do not reach the terminal.
    private var title: String { entry.record.title.withoutControls }

    private var progress: String {
        let standing = entry.record.standing
        let done = standing.stages.count { $0.progress != .open }
        return "\(state), \(done) of \(Wording.count(standing.stages.count, "stage"))"
    }

    private var state: String {
        isRunning ? "running" : entry.record.standing.ending?.rawValue ?? "half done"
    }
}
