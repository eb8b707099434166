// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import PipelineKit

extension HookCommands {
    /// Before a slot; over when the slot is due.
    func before(_ slot: Slot, in span: Duration) -> HookJob? {
        var job = job(.before, slot.variables.merging(["IN_MS": "\(span.wholeMilliseconds)"]) { $1 })
        job?.deadline = slot.due
        return job
    }

    /// After a slot, which has these pictures.
    func after(_ slot: Slot, _ stills: [Still]) -> HookJob? {
        guard let first = stills.first else { return nil }
        return job(.after, slot.variables.merging(first.variables) { $1 }.merging(stills.variables) { $1 })
    }

    /// When the countdown of a session's picture begins; over when it ends.
    func before(stage: String, in span: Duration) -> HookJob? {
        let due = PipelineClock.system.now + span
        var job = job(
            .before,
            [
                "STAGE": stage, "CAUSE": Slot.Cause.trigger.rawValue, "IN_MS": "\(span.wholeMilliseconds)",
                "DUE": Timestamp.iso8601(Slot(index: 0, due: due, cause: .trigger).dueTime),
            ])
        job?.deadline = due
        return job
    }

    /// After a session's picture, which is durable.
    func after(_ still: SessionStill, in folder: String?) -> HookJob? {
        func path(_ file: SessionFileRecord) -> String {
            FileSystemPath.absolute(folder.map { $0 + "/" + file.name } ?? file.name)
        }
        let files = [path(still.file)] + (still.crop.map { [path($0.file)] } ?? [])
        return job(
            .after,
            [
                "STAGE": still.stage, "SEQUENCE": "\(still.number)", "CAUSE": Slot.Cause.trigger.rawValue,
                "FILE": files[0], "CROP": still.crop.map { path($0.file) } ?? "",
                "FILES": files.joined(separator: "\n"), "COUNT": "\(files.count)",
                "OFFSET_MS": "\(still.offset.map(\.wholeMilliseconds) ?? 0)",
            ])
    }

    /// When the camera is lost, and why.
    func lost(_ error: CaptureError) -> HookJob? { job(.lost, ["REASON": error.summary]) }

    /// When it is back.
    func recovered(after span: Duration) -> HookJob? {
        job(.recovered, ["AFTER_MS": "\(span.wholeMilliseconds)"])
    }

    private func job(_ hook: Hook, _ told: [String: String]) -> HookJob? {
        guard let command = commands[hook] else { return nil }
        let all = told.merging(["EVENT": hook.rawValue, "CAMERA": camera]) { $1 }
        let variables = Dictionary(uniqueKeysWithValues: all.map { ("CAPTURE_" + $0, $1) })
        return HookJob(hook: hook, command: command, variables: variables, limit: limit)
    }
}

extension Slot {
    fileprivate var variables: [String: String] {
        ["SLOT": "\(index)", "CAUSE": cause.rawValue, "DUE": Timestamp.iso8601(due)]
    }
}

extension Still {
    fileprivate var variables: [String: String] {
        [
            "FILE": path.map(FileSystemPath.absolute) ?? "", "SEQUENCE": "\(sequence)",
            "OFFSET_MS": "\(offset.wholeMilliseconds)",
        ]
    }
}

extension [Still] {
    /// The kernel takes 128 KiB a variable at most: of a very long burst, the first files are named.
    fileprivate var variables: [String: String] {
        var names = ""
        for path in compactMap(\.path).map(FileSystemPath.absolute) where names.utf8.count + path.utf8.count < 65536 {
            names += (names.isEmpty ? "" : "\n") + path
        }
        return ["FILES": names, "COUNT": "\(count)"]
    }
}

extension Duration {
    fileprivate var wholeMilliseconds: Int64 { nanoseconds / 1_000_000 }
}
