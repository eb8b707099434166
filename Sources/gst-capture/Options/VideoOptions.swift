// Part of gst-capture. Apache License 2.0, see LICENSE.

import ArgumentParser

/// Options for the video of a recording, and for its files.
struct VideoOptions: SettingOptions {
    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("File name with strftime fields and %n, which ends in .mp4.", valueName: "name"),
        completion: .file())
    var output: String?

    @Option(name: .customLong("for"), help: .setting("for"))
    var length: String?

    @Option(help: .setting("segment"))
    var segment: String?

    @Option(help: .setting("size"))
    var size: String?

    @Option(help: .setting("fps"))
    var fps: String?

    @Option(help: .setting("bitrate"))
    var bitrate: String?

    @Option(help: .setting("codec"), completion: .setting("codec"))
    var codec: String?

    @Option(help: .setting("audio"))
    var audio: String?

    @Option(help: .setting("rotate"), completion: .setting("rotate"))
    var rotate: String?

    @Option(help: .setting("flip"), completion: .setting("flip"))
    var flip: String?

    @Option(help: .setting("burn-in"), completion: .layers)
    var burnIn: [String] = []

    @Option(help: .setting("appearance"))
    var appearance: [String] = []

    var assignments: [SettingAssignment] {
        [
            SettingAssignment("output", output), SettingAssignment("for", length),
            SettingAssignment("segment", segment),
            SettingAssignment("size", size), SettingAssignment("fps", fps), SettingAssignment("bitrate", bitrate),
            SettingAssignment("codec", codec), SettingAssignment("audio", audio), SettingAssignment("rotate", rotate),
            SettingAssignment("flip", flip),
        ].compactMap { $0 } + .repeated("burn-in", burnIn) + .repeated("appearance", appearance)
    }
}

/// Options for recordings around triggers.
struct TriggerOptions: SettingOptions {
    @Flag(inversion: .prefixedNo, help: .setting("trigger"))
    var trigger: Bool?

    @Option(help: .setting("pre"))
    var pre: String?

    @Option(help: .setting("post"))
    var post: String?

    @Option(help: .setting("at-most"))
    var atMost: String?

    var assignments: [SettingAssignment] {
        [
            SettingAssignment("trigger", trigger), SettingAssignment("pre", pre), SettingAssignment("post", post),
            SettingAssignment("at-most", atMost),
        ].compactMap { $0 }
    }
}
