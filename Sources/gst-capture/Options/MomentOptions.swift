// Part of gst-capture. Apache License 2.0, see LICENSE.

import ArgumentParser

/// Options that define when a picture is captured.
struct MomentOptions: SettingOptions {
    @Option(help: .setting("delay"))
    var delay: String?

    @Option(help: .setting("countdown"))
    var countdown: String?

    @Option(parsing: .unconditional, help: .setting("at"))
    var at: String?

    @Option(help: .setting("burst"))
    var burst: String?

    var assignments: [SettingAssignment] {
        [
            SettingAssignment("delay", delay), SettingAssignment("countdown", countdown),
            SettingAssignment("at", at), SettingAssignment("burst", burst),
        ].compactMap { $0 }
    }
}
