// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import PresetKit

/// The commands in a capture's settings.
struct HookCommands: Sendable, Hashable {
    /// The shell command for each hook.
    var commands: [Hook: String] = [:]
    /// The time limit of each command.
    var limit = CaptureSettings.standardExecLimit
    /// The id of the camera.
    var camera = ""

    /// Creates the commands of a capture.
    init(_ settings: CaptureSettings, _ source: CaptureConfiguration.Source) {
        commands[.before] = settings.execBefore
        commands[.after] = settings.execAfter
        commands[.lost] = settings.execLost
        commands[.recovered] = settings.execRecovered
        limit = settings.execLimit ?? limit
        camera = if case .camera(let camera) = source { camera.id } else { "source" }
    }
}
