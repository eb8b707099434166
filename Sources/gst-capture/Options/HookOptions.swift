// Part of gst-capture. Apache License 2.0, see LICENSE.

import ArgumentParser

/// Options that set the commands to run beside a series.
struct HookOptions: SettingOptions {
    @Option(help: .setting("exec-before"))
    var execBefore: String?

    @Option(help: .setting("exec-after"))
    var execAfter: String?

    @Option(help: .setting("exec-lost"))
    var execLost: String?

    @Option(help: .setting("exec-recovered"))
    var execRecovered: String?

    @Option(help: .setting("exec-limit"))
    var execLimit: String?

    var assignments: [SettingAssignment] {
        [
            SettingAssignment("exec-before", execBefore), SettingAssignment("exec-after", execAfter),
            SettingAssignment("exec-lost", execLost), SettingAssignment("exec-recovered", execRecovered),
            SettingAssignment("exec-limit", execLimit),
        ].compactMap { $0 }
    }
}
