// Part of gst-capture. Apache License 2.0, see LICENSE.

import ArgumentParser

/// What is done about a camera that is lost.
struct RecoveryOptions: SettingOptions {
    @Option(help: .setting("recover"), completion: .setting("recover"))
    var recover: String?

    @Option(help: .setting("stall-after"))
    var stallAfter: String?

    var assignments: [SettingAssignment] {
        [SettingAssignment("recover", recover), SettingAssignment("stall-after", stallAfter)].compactMap { $0 }
    }
}
