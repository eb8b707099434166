// Part of gst-capture. Apache License 2.0, see LICENSE.

import ArgumentParser

/// Options for the films that are made while a series runs.
struct DayFilmOptions: SettingOptions {
    @Option(help: .setting("film"), completion: .setting("film"))
    var film: String?

    @Option(help: .setting("film-rate"))
    var filmRate: String?

    @Option(help: .setting("film-size"))
    var filmSize: String?

    @Option(help: .setting("film-gaps"), completion: .setting("film-gaps"))
    var filmGaps: String?

    @Flag(inversion: .prefixedNo, help: .setting("film-deflicker"))
    var filmDeflicker: Bool?

    @Option(help: .setting("film-time"))
    var filmTime: String?

    @Option(help: .setting("film-codec"), completion: .setting("film-codec"))
    var filmCodec: String?

    @Option(help: .setting("film-bitrate"))
    var filmBitrate: String?

    @Option(help: .setting("film-max-age"))
    var filmMaxAge: String?

    var assignments: [SettingAssignment] {
        [
            SettingAssignment("film", film), SettingAssignment("film-rate", filmRate),
            SettingAssignment("film-size", filmSize), SettingAssignment("film-gaps", filmGaps),
            SettingAssignment("film-deflicker", filmDeflicker), SettingAssignment("film-time", filmTime),
            SettingAssignment("film-codec", filmCodec), SettingAssignment("film-bitrate", filmBitrate),
            SettingAssignment("film-max-age", filmMaxAge),
        ].compactMap { $0 }
    }
}
