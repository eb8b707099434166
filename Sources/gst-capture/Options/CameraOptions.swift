// Part of gst-capture. Apache License 2.0, see LICENSE.

import ArgumentParser

/// Options that select the camera and its format and controls.
struct CameraOptions: SettingOptions {
    @Option(name: .shortAndLong, help: .setting("camera"), completion: .cameras)
    var camera: String?

    @Option(help: .setting("source"))
    var source: String?

    @Option(help: .setting("width"))
    var width: String?

    @Option(help: .setting("height"))
    var height: String?

    @Option(help: .setting("framerate"))
    var framerate: String?

    @Option(help: .setting("format"), completion: .setting("format"))
    var format: String?

    @Option(help: .setting("decode"))
    var decode: String?

    @Option(help: .setting("settle"), completion: .setting("settle"))
    var settle: String?

    @Option(name: .customLong("set"), help: .setting("set"), completion: .controls)
    var controls: [String] = []

    @Option(name: .customLong("lock"), help: .setting("lock"), completion: .setting("lock"))
    var locks: [String] = []

    @Option(help: .setting("flash"), completion: .setting("flash"))
    var flash: String?

    @Option(help: .setting("flash-control"))
    var flashControl: String?

    var assignments: [SettingAssignment] {
        [
            SettingAssignment("camera", camera), SettingAssignment("source", source),
            SettingAssignment("width", width), SettingAssignment("height", height),
            SettingAssignment("framerate", framerate), SettingAssignment("format", format),
            SettingAssignment("decode", decode), SettingAssignment("settle", settle),
            SettingAssignment("flash", flash), SettingAssignment("flash-control", flashControl),
        ].compactMap { $0 } + .repeated("set", controls) + .repeated("lock", locks)
    }
}
