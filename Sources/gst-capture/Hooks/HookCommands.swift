// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit

/// The commands that a capture's settings name.
struct HookCommands: Sendable, Hashable {
    /// What the shell runs on each occasion.
    var commands: [Hook: String] = [:]
    /// How long each may take.
    var limit = CaptureSettings.standardExecLimit
    /// What the camera is called.
    var camera = ""

    /// The commands of a capture.
    init(_ settings: CaptureSettings, _ source: CaptureConfiguration.Source) {
        commands[.before] = settings.execBefore
        commands[.after] = settings.execAfter
        commands[.lost] = settings.execLost
        commands[.recovered] = settings.execRecovered
        limit = settings.execLimit ?? limit
        camera = if case .camera(let camera) = source { camera.id } else { "source" }
    }
}
