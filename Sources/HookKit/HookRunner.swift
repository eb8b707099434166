// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import PipelineKit
import SessionKit

/// Runs the user's commands for events of a capture, in parallel with it. Only the first slot is due later, to leave
/// time for a `before` command (``CaptureConfiguration/notice``).
package actor HookRunner {
    /// The maximum number of waiting commands, such as uploads on a slow network.
    private static let capacity = 16

    private var commands: HookCommands
    private var stills = GatheredStills()
    private var state = SessionState()
    // Only the newest `before` command is useful: an older one is for a slot that has passed.
    private let before: HookLane
    private let after: HookLane
    private let camera: HookLane

    /// Creates a runner.
    ///
    /// - Parameter report: Reports a command that failed.
    package init(_ commands: HookCommands, report: @escaping @Sendable (Notice) async -> Void) {
        self.commands = commands
        before = HookLane(capacity: 1, report: report)
        after = HookLane(capacity: Self.capacity, report: report)
        camera = HookLane(capacity: Self.capacity, report: report)
    }

    /// Replaces the commands. Jobs that are queued already keep theirs.
    package func use(_ commands: HookCommands) { self.commands = commands }

    /// Runs the commands for an event.
    package func follow(_ event: CaptureEvent) async {
        if !commands.isLive {
            for (slot, stills) in stills.gather(event) { await after.add(commands.after(slot, stills)) }
        }
        switch event {
        case .livePhoto(let still, _): await after.add(commands.after(still.slot, [still]))
        case .upcoming(let slot, let span): await before.add(commands.before(slot, in: span))
        case .lost(let error): await camera.add(commands.lost(error))
        case .recovered(let span): await camera.add(commands.recovered(after: span))
        default: break
        }
    }

    /// Runs the commands for an event of a session.
    package func follow(session event: SessionEvent) async {
        switch event {
        case .opening(let camera, let role, _), .camera(let camera, let role):
            state.cameras[role] = camera
            commands.camera = camera
        case .stage(_, let stage): state.stage = stage.name
        case .phase(let phase) where phase.name != .counting && phase.name != .capturing: state.remaining = nil
        case .countdown(_, let remaining):
            // The remaining seconds increase only when another countdown begins.
            let isFirst = state.remaining.map { remaining > $0 } ?? true
            state.remaining = remaining
            if isFirst { await before.add(commands.before(stage: state.stage, in: remaining)) }
        case .captured(let still, let folder): await after.add(commands.after(still, in: folder))
        case .lost(let error, let role):
            state.lost = state.lost ?? PipelineClock.system.now
            commands.camera = state.cameras[role] ?? commands.camera
            await camera.add(commands.lost(error))
        case .recovered(let role):
            commands.camera = state.cameras[role] ?? commands.camera
            let span = state.lost.map { PipelineClock.system.now - $0 } ?? .zero
            state.lost = nil
            await camera.add(commands.recovered(after: span))
        case .finished(let outcome) where outcome.ending == .accepted: await after.add(commands.accepted(outcome))
        default: break
        }
    }

    /// The state of a session that is kept between two events.
    private struct SessionState {
        var stage = ""
        /// The remaining time in the last countdown event.
        var remaining: Duration?
        /// The ids of the cameras that were opened, by role.
        var cameras: [CameraRole: String] = [:]
        /// The moment at which the camera was lost; `nil` while it is available.
        var lost: ClockTime?
    }

    /// The options whose commands are running; `nil` if none are.
    package var runningNames: String? {
        get async {
            var names: [String] = []
            for lane in [before, after, camera] { if let name = await lane.runningName { names.append(name) } }
            return names.isEmpty ? nil : names.joined(separator: " and ")
        }
    }

    /// Waits for queued commands, up to the time limit of a command.
    package func finish() async {
        async let isBeforeDone: Void = before.finish(within: commands.limit)
        async let isAfterDone: Void = after.finish(within: commands.limit)
        async let isCameraDone: Void = camera.finish(within: commands.limit)
        _ = await (isBeforeDone, isAfterDone, isCameraDone)
    }

    /// Ends the running commands; a second call kills them at once.
    package func cancel() async {
        for lane in [before, after, camera] { await lane.cancel() }
    }
}

/// Collects the pictures of each slot until its commands can run.
private struct GatheredStills {
    private var stills: [Slot: [Still]] = [:]
    /// The last slot that was stored.
    private var last: Slot?
    /// Pictures that became durable after their slot, or a later one, was stored: they waited for the disk.
    private var late: (slot: Slot, stills: [Still])?

    /// Applies an event.
    ///
    /// - Returns: The slots whose commands run now, with their pictures.
    mutating func gather(_ event: CaptureEvent) -> [(Slot, [Still])] {
        switch event {
        case .captured(let still): return add(still)
        case .stored(let slot):
            last = slot
            return drainLate() + [(slot, stills.removeValue(forKey: slot) ?? [])]
        case .storageResumed, .finished: return drainLate()
        default: return []
        }
    }

    private mutating func add(_ still: Still) -> [(Slot, [Still])] {
        guard let last, still.slot.due <= last.due else {
            stills[still.slot, default: []].append(still)
            return []
        }
        let others = late?.slot == still.slot ? [] : drainLate()
        late = (still.slot, (late?.stills ?? []) + [still])
        return others
    }

    private mutating func drainLate() -> [(Slot, [Still])] {
        defer { late = nil }
        return late.map { [$0] } ?? []
    }
}
