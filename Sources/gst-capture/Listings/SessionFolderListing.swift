// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import SessionKit
import TerminalKit

/// Formats a session's folder for lists and tables.
struct SessionFolderListing {
    private let entry: SessionArchive.Entry
    private let isRunning: Bool

    /// Creates the listing of a session's folder. It blocks.
    init(_ entry: SessionArchive.Entry) { (self.entry, isRunning) = (entry, entry.isRunning) }

    /// `true` if the session is not over. It can be resumed unless another process runs it.
    var isOpen: Bool { entry.record.progress.ending == nil }

    /// Returns the path, the progress, and how to resume the session.
    func text(for terminal: Terminal) -> String {
        terminal.styled(entry.path, .bold) + "  \(title): \(progress)"
            + (isRunning ? "" : "\n    " + terminal.styled("gst-capture session resume \(entry.path)", .dim))
    }

    /// Returns each stage with its pictures.
    func table(for terminal: Terminal) -> String {
        let record = entry.record
        let head = "\(title): \(progress), begun \(record.begun)"
        let stages = record.progress.stages.flatMap { stage in
            [terminal.styled(stage.name.withoutControls, .bold) + "  \(stage.state.rawValue)"]
                + stage.pictures.compactMap { record.stills[$0.number] }.map(line)
        }
        let aside = record.progress.setAside.compactMap { record.stills[$0.number] }.map(line)
        let rest = aside.isEmpty ? [] : [terminal.styled("from aborted runs", .bold)] + aside
        return ([head] + stages + rest).joined(separator: "\n") + "\n"
    }

    /// One object for programs.
    var json: JSONValue {
        let record = entry.record
        return .object([
            "folder": .string(entry.path), "session": .string(record.progress.session),
            "title": .string(record.title), "state": .string(isRunning ? "running" : record.state),
            "begun": .string(record.begun),
            "pictures": .array(record.pictures.map(\.json)),
        ])
    }

    private func line(_ still: SessionStill) -> String {
        let offset = still.offset.map { "  \(Wording.offset($0))" } ?? ""
        let crop = still.crop.map { "  \($0.file.name) \($0.file.width)x\($0.file.height)" } ?? ""
        let duration = still.duration.map { "  \(Wording.span($0))" } ?? ""
        return "    \(still.file.name)  \(still.file.width)x\(still.file.height)\(duration)\(offset)\(crop)"
    }

    // The record may come from an untrusted source: control characters in it do not reach the terminal.
    private var title: String { entry.record.title.withoutControls }

    private var progress: String {
        let stages = entry.record.progress.stages
        let done = stages.count { $0.state != .open }
        return "\(state), \(done) of \(Wording.count(stages.count, "stage"))"
    }

    private var state: String {
        isRunning ? "running" : entry.record.progress.ending?.rawValue ?? "half done"
    }
}
