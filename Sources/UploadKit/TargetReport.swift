// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// A target in words, and as JSON.
package struct TargetReport: Sendable {
    package let state: TargetState
    package let backlog: OutboxBacklog
    private let now = WallTime.now()

    package init(_ state: TargetState, _ backlog: OutboxBacklog) { (self.state, self.backlog) = (state, backlog) }

    /// Returns the reports of all targets. Blocks.
    ///
    /// - Throws: `CaptureError` if the store cannot be read.
    package static func all(
        _ configuration: OutboxConfiguration, _ store: OutboxStore
    ) throws(CaptureError) -> [TargetReport] {
        let states = try store.targets()
        return try configuration.targets.map { target throws(CaptureError) in
            let backlog = try OutboxBacklog(of: target.id, configuration, store)
            return TargetReport(states[target.id] ?? TargetState(id: target.id), backlog)
        }
    }

    /// The titles of the columns of a table.
    package static let titles = ["TARGET", "WAITING", "OLDEST", "SENT", "DEAD", "STATE"]

    /// The cells of a table.
    package var cells: [String] {
        let oldest = backlog.oldest.map { time in
            Duration.milliseconds(max(0, now.millisecondsSince1970 - time.millisecondsSince1970)).shortText
        }
        return [
            state.id, "\(backlog.count)", oldest ?? "-", "\(state.sentCount)", "\(state.deadCount)",
            state.words(backlog.count) + keptWords,
        ]
    }

    private var keptWords: String {
        switch state.keptCount {
        case 0: ""
        case 1: "; 1 deleted picture stays there"
        default: "; \(state.keptCount) deleted pictures stay there"
        }
    }

    package var json: JSONValue {
        .object([
            "target": .string(state.id), "state": .string(state.condition),
            "reason": state.reason.map(JSONValue.string),
            "since": state.since == 0 ? nil : .string(Self.time(state.since)),
            "retry": state.until.map { .string(Self.time($0)) }, "waiting": .integer(backlog.count),
            "oldest": backlog.oldest.map { .string($0.iso8601) }, "sent": .integer(state.sentCount),
            "sent-bytes": .integer(state.sentBytes), "last-sent": state.lastSent.map { .string(Self.time($0)) },
            "skipped": .integer(state.skippedCount), "dead": .integer(state.deadCount),
            "kept": .integer(state.keptCount),
        ])
    }

    private static func time(_ milliseconds: Int) -> String { WallTime(milliseconds: milliseconds).iso8601 }
}

extension TargetState {
    /// `true` if the target has a fault.
    package var isFailing: Bool { !["ready", "paused", "closed"].contains(condition) }

    /// The state in words.
    ///
    /// - Parameter waiting: The number of pictures that wait.
    func words(_ waiting: Int) -> String {
        switch condition {
        case "ready": return waiting == 0 ? "everything is sent" : "sending"
        case "paused": return "paused; gst-capture outbox resume \(id) continues"
        case "closed": return "closed at this hour"
        default:
            let next = until.flatMap { WallTime(milliseconds: $0).formatted("%H:%M:%S") }
            return (reason ?? condition) + (next.map { "; tries again at \($0)" } ?? "")
        }
    }
}

extension WallTime {
    /// Creates a time in the zone of this machine.
    fileprivate init(milliseconds: Int) {
        self.init(seconds: Int64(milliseconds / 1000), nanoseconds: Int32(milliseconds % 1000) * 1_000_000)
    }
}

extension UploadJob {
    /// A dead or waiting job as a line.
    package var line: String {
        let time = picture.taken.iso8601.prefix(19).replacing("T", with: " ")
        let what = kind == .send ? [String(time), picture.path] : ["erase", name]
        let parts = (["#\(id)", state.rawValue] + what + [reason ?? ""]).filter { !$0.isEmpty }
        return parts.map(\.withoutControls).joined(separator: "  ")
    }

    package var json: JSONValue {
        // An erasure has only a name.
        let isSending = kind == .send
        return .object([
            "job": .integer(Int(id)), "target": .string(lane.target), "kind": .string(kind.rawValue),
            "state": .string(state.rawValue), "taken": isSending ? .string(picture.taken.iso8601) : nil,
            "path": isSending ? .string(picture.path) : nil, "name": name.isEmpty ? nil : .string(name),
            "bytes": isSending ? .integer(picture.byteCount) : nil,
            "sha256": isSending && picture.isHashed ? .string(picture.sha256) : nil, "failures": .integer(failures),
            "reason": reason.map(JSONValue.string),
        ])
    }
}

extension KeptPicture {
    /// The picture as a line.
    package var line: String {
        ["kept", name ?? "\(ledger), line \(number)", reason].map(\.withoutControls).joined(separator: "  ")
    }

    package var json: JSONValue {
        .object([
            "target": .string(target), "state": .string("kept"), "name": .optional(name), "ledger": .string(ledger),
            "line": .integer(number), "reason": .string(reason),
        ])
    }
}
