// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import PipelineKit
import SessionKit

/// The jobs of events; each is `nil` if the user set no command for its hook.
extension HookCommands {
    /// Returns the job that runs before a slot. Its deadline is the moment at which the slot is due.
    func before(_ slot: Slot, in span: Duration) -> HookJob? {
        var job = job(.before, slot.variables.merging(["IN_MS": "\(span.wholeMilliseconds)"]) { $1 })
        job?.deadline = slot.due
        return job
    }

    /// Returns the job that runs after a slot with these pictures; `nil` if there are no pictures.
    func after(_ slot: Slot, _ stills: [Still]) -> HookJob? {
        guard let first = stills.first else { return nil }
        return job(.after, slot.variables.merging(first.variables) { $1 }.merging(stills.variables) { $1 })
    }

    /// Returns the job that runs when the countdown to a session's picture begins. Its deadline is the end of the
    /// countdown.
    func before(stage: String, in span: Duration) -> HookJob? {
        let due = PipelineClock.system.now + span
        var job = job(
            .before,
            [
                "STAGE": stage, "CAUSE": Slot.Cause.trigger.rawValue, "IN_MS": "\(span.wholeMilliseconds)",
                "DUE": Slot(index: 0, due: due, cause: .trigger).dueTime.iso8601,
            ])
        job?.deadline = due
        return job
    }

    /// Returns the job that runs when a session's picture is durable. A picture of a library has no camera.
    func after(_ still: SessionStill, in folder: String?) -> HookJob? {
        func path(_ file: SessionFileRecord) -> String {
            FileSystemPath.absolute(folder.map { $0 + "/" + file.name } ?? file.name)
        }
        let files = still.files.map(path)
        return job(
            commands[.picture] == nil ? .after : .picture,
            [
                "CAMERA": still.camera ?? "", "STAGE": still.stage, "SEQUENCE": "\(still.number)",
                "CAUSE": Slot.Cause.trigger.rawValue,
                "FILE": files[0], "CROP": still.crop.map { path($0.file) } ?? "",
                "FILES": files.joined(separator: "\n"), "COUNT": "\(files.count)",
                "OFFSET_MS": "\(still.offset.map(\.wholeMilliseconds) ?? 0)",
            ])
    }

    /// Returns the job that runs when the pictures of a session were accepted.
    func accepted(_ outcome: SessionOutcome) -> HookJob? {
        let folder = outcome.folder.map(FileSystemPath.absolute) ?? ""
        let files = outcome.pictures.map { folder + "/" + $0.still.best.name }
        return job(
            .accepted, ["FOLDER": folder, "FILES": files.joined(separator: "\n"), "COUNT": "\(files.count)"])
    }

    /// Returns the job that runs when the camera is lost.
    func lost(_ error: CaptureError) -> HookJob? { job(.lost, ["REASON": error.summary]) }

    /// Returns the job that runs when the camera is back.
    func recovered(after span: Duration) -> HookJob? {
        job(.recovered, ["AFTER_MS": "\(span.wholeMilliseconds)"])
    }

    private func job(_ hook: Hook, _ details: [String: String]) -> HookJob? {
        guard let command = commands[hook] else { return nil }
        let all = ["EVENT": hook.rawValue, "CAMERA": camera].merging(details) { $1 }
        let variables = Dictionary(uniqueKeysWithValues: all.map { ("CAPTURE_" + $0, $1) })
        return HookJob(hook: hook, command: command, variables: variables, limit: limit)
    }
}

extension Slot {
    fileprivate var variables: [String: String] {
        ["SLOT": "\(index)", "CAUSE": cause.rawValue, "DUE": dueTime.iso8601]
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
    /// The kernel limits a variable to 128 KiB. `FILES` lists the first files of a burst that is too long for 64 KiB.
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
