// Part of gst-capture. Apache License 2.0, see LICENSE.

import ArgumentParser

/// Options for the interval and the end of a series.
struct SeriesOptions: SettingOptions {
    @Option(name: .shortAndLong, help: .setting("interval"))
    var interval: String?

    @Option(name: [.long, .customShort("n")], help: .setting("count"))
    var count: String?

    @Option(name: .customLong("for"), help: .setting("for"))
    var length: String?

    @Option(help: .setting("until"))
    var until: String?

    var assignments: [SettingAssignment] {
        [
            SettingAssignment("interval", interval), SettingAssignment("count", count),
            SettingAssignment("for", length), SettingAssignment("until", until),
        ].compactMap { $0 }
    }
}
