// Part of gst-capture. Apache License 2.0, see LICENSE.

import ArgumentParser

/// Options for recovery after a lost camera, and for standby between pictures.
struct RecoveryOptions: SettingOptions {
    @Option(help: .setting("recover"), completion: .setting("recover"))
    var recover: String?

    @Option(help: .setting("stall-after"))
    var stallAfter: String?

    @Flag(inversion: .prefixedNo, help: .setting("standby"))
    var standby: Bool?

    var assignments: [SettingAssignment] {
        [
            SettingAssignment("recover", recover), SettingAssignment("stall-after", stallAfter),
            SettingAssignment("standby", standby),
        ].compactMap { $0 }
    }
}
