// Part of gst-capture. Apache License 2.0, see LICENSE.

import ArgumentParser

/// Options that limit pictures to times of day, days, and positions of the sun.
struct ScheduleOptions: SettingOptions {
    @Option(help: .setting("start"))
    var start: String?

    @Flag(inversion: .prefixedNo, help: .setting("align"))
    var align: Bool?

    @Option(help: .setting("hours"))
    var hours: [String] = []

    @Option(help: .setting("days"))
    var days: [String] = []

    @Option(parsing: .unconditional, help: .setting("latitude"))
    var latitude: String?

    @Option(parsing: .unconditional, help: .setting("longitude"))
    var longitude: String?

    @Option(help: .setting("late-slots"), completion: .setting("late-slots"))
    var lateSlots: String?

    var assignments: [SettingAssignment] {
        [
            SettingAssignment("start", start), SettingAssignment("align", align),
            SettingAssignment("latitude", latitude), SettingAssignment("longitude", longitude),
            SettingAssignment("late-slots", lateSlots),
        ].compactMap { $0 } + .repeated("hours", hours) + .repeated("days", days)
    }
}
