// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import PipelineKit

/// Runs the user's commands on what happens during a capture, beside it: no slot waits for them.
actor HookRunner {
    /// So many uploads may wait while the network is slow.
    private static let capacity = 16

    private var commands: HookCommands
    private var stills = GatheredStills()
    private var state = SessionState()
    // Of what comes before a picture, only the newest is worth its while.
    private let before: HookLane
    private let after: HookLane
    private let camera: HookLane

    /// Creates a runner.
    ///
    /// - Parameter tell: Says what went wrong with a command.
    init(_ commands: HookCommands, tell: @escaping @Sendable (String) async -> Void) {
        self.commands = commands
        before = HookLane(capacity: 1, tell: tell)
        after = HookLane(capacity: Self.capacity, tell: tell)
        camera = HookLane(capacity: Self.capacity, tell: tell)
    }

    /// Takes other commands from now on.
    func use(_ commands: HookCommands) { self.commands = commands }

    /// Runs what is to be run on an event.
    func follow(_ event: CaptureEvent) async {
        for (slot, stills) in stills.gather(event) { await after.add(commands.after(slot, stills)) }
        switch event {
        case .upcoming(let slot, let span): await before.add(commands.before(slot, in: span))
        case .lost(let error): await camera.add(commands.lost(error))
        case .recovered(let span): await camera.add(commands.recovered(after: span))
        default: break
        }
    }

    /// Runs what is to be run on an event of a session.
    func follow(session event: SessionEvent) async {
        switch event {
        case .stage(_, let stage): state.stage = stage.name
        case .phase(let phase) where phase.name != .counting && phase.name != .capturing: state.remaining = nil
        case .countdown(_, let remaining):
            // Seconds that are left grow only when another countdown begins.
            let isFirst = state.remaining.map { remaining > $0 } ?? true
            state.remaining = remaining
            if isFirst { await before.add(commands.before(stage: state.stage, in: remaining)) }
        case .captured(let still, let folder): await after.add(commands.after(still, in: folder))
        case .lost(let error):
            state.lost = state.lost ?? PipelineClock.system.now
            await camera.add(commands.lost(error))
        case .recovered:
            let span = state.lost.map { PipelineClock.system.now - $0 } ?? .zero
            state.lost = nil
            await camera.add(commands.recovered(after: span))
        default: break
        }
    }

    /// What is known of a session between two events.
    private struct SessionState {
        var stage = ""
        /// What the countdown showed last.
        var remaining: Duration?
        /// When the camera was lost.
        var lost: ClockTime?
    }

    /// The options whose commands run now; `nil` where none does.
    var runningNames: String? {
        get async {
            var names: [String] = []
            for lane in [before, after, camera] { if let name = await lane.runningName { names.append(name) } }
            return names.isEmpty ? nil : names.joined(separator: " and ")
        }
    }

    /// Waits for what runs, as long as a command may take.
    func finish() async {
        async let isBeforeDone: Void = before.finish(within: commands.limit)
        async let isAfterDone: Void = after.finish(within: commands.limit)
        async let isCameraDone: Void = camera.finish(within: commands.limit)
        _ = await (isBeforeDone, isAfterDone, isCameraDone)
    }

    /// Ends what runs; once more, without asking first.
    func cancel() async {
        for lane in [before, after, camera] { await lane.cancel() }
    }
}

/// The pictures of slots, until commands can run for the whole slot.
private struct GatheredStills {
    private var stills: [Slot: [Still]] = [:]
    /// The last slot that is over.
    private var last: Slot?
    /// Pictures of a slot that was over before: they waited for the disk.
    private var late: (slot: Slot, stills: [Still])?

    /// Takes an event into account.
    ///
    /// - Returns: The slots whose commands run now, with their pictures.
    mutating func gather(_ event: CaptureEvent) -> [(Slot, [Still])] {
        switch event {
        case .captured(let still): return add(still)
        case .stored(let slot):
            last = slot
            return takeLate() + [(slot, stills.removeValue(forKey: slot) ?? [])]
        case .storageResumed, .finished: return takeLate()
        default: return []
        }
    }

    private mutating func add(_ still: Still) -> [(Slot, [Still])] {
        guard let last, still.slot.due <= last.due else {
            stills[still.slot, default: []].append(still)
            return []
        }
        let others = late?.slot == still.slot ? [] : takeLate()
        late = (still.slot, (late?.stills ?? []) + [still])
        return others
    }

    private mutating func takeLate() -> [(Slot, [Still])] {
        defer { late = nil }
        return late.map { [$0] } ?? []
    }
}
