// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit

/// Runs the user's commands on what happens during a capture, beside it: no slot waits for them.
actor HookRunner {
    /// So many uploads may wait while the network is slow.
    private static let capacity = 16

    private var commands: HookCommands
    private var stills: [Still] = []
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
        switch event {
        case .upcoming(let slot, let span): await before.add(commands.before(slot, in: span))
        case .captured(let still): stills.append(still)
        case .stored(let slot):
            await after.add(commands.after(slot, stills))
            stills = []
        case .lost(let error): await camera.add(commands.lost(error))
        case .recovered(let span): await camera.add(commands.recovered(after: span))
        default: break
        }
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
