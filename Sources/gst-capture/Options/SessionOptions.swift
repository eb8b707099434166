// Part of gst-capture. Apache License 2.0, see LICENSE.

import ArgumentParser
import CaptureKit
import SessionKit

/// Options for running a session.
struct SessionOptions: ParsableArguments {
    @Option(help: .setting("front"), completion: .cameras)
    var front: String?

    @Option(help: .setting("back"), completion: .cameras)
    var back: String?

    @Flag(help: "Run without a user: begin, take every picture, accept.")
    var auto = false

    @Option(help: .setting("sound"))
    var sound: String?

    @Option(help: .setting("accelerometer"))
    var accelerometer: String?

    @Option(
        help: ArgumentHelp(
            "Read requests of a program from standard input, one JSON object a line; needs --json.", valueName: "stdin"),
        completion: .list(["stdin"]))
    var control: String?

    @OptionGroup(title: "Library") var library: LibraryOptions
    @OptionGroup(title: "Camera") var camera: CameraOptions
    @OptionGroup(title: "Preview") var preview: PreviewOptions
    @OptionGroup(title: "Overlay") var overlay: OverlayOptions
    @OptionGroup(title: "Supervision") var recovery: RecoveryOptions
    @OptionGroup(title: "Hooks") var hooks: HookOptions

    @Option(help: .setting("keep-free"))
    var keepFree: String?

    @Option(help: .setting("mount"), completion: .directory)
    var mount: String?

    @Option(name: .customLong("burn-in"), help: .setting("burn-in"), completion: .layers)
    var burnIn: [String] = []

    @Option(
        name: .shortAndLong, help: ArgumentHelp("The format of the pictures: jpeg or png.", valueName: "jpeg|png"),
        completion: .list(["jpeg", "png"]))
    var encoding: String?

    @Option(name: .shortAndLong, help: .setting("quality"))
    var quality: String?

    @Option(help: .setting("rotate"), completion: .setting("rotate"))
    var rotate: String?

    @Option(help: .setting("flip"), completion: .setting("flip"))
    var flip: String?

    func validate() throws {
        guard control == nil || control == "stdin" else {
            throw ValidationError("--control \"\(control ?? "")\" is not known; give stdin")
        }
        guard front != nil || back != nil else { return }
        for (name, text) in [("--camera", camera.camera), ("--source", camera.source)] where text != nil {
            throw ValidationError("\(name) excludes --front and --back; give only one or the other")
        }
    }

    /// Checks that replies to requests can be printed.
    func checkControl(_ reporting: ReportingOptions) throws {
        guard control == nil || reporting.json else {
            throw ValidationError("--control replies in JSON; add --json")
        }
    }

    /// The settings that the user gave.
    var assignments: [SettingAssignment] {
        camera.assignments + preview.assignments + recovery.assignments
            + hooks.assignments + overlay.assignments + .repeated("library", library.library)
            + .repeated("burn-in", burnIn)
            + [
                SettingAssignment("front", front), SettingAssignment("back", back), SettingAssignment("sound", sound),
                SettingAssignment("accelerometer", accelerometer), SettingAssignment("keep-free", keepFree),
                SettingAssignment("mount", mount), SettingAssignment("encoding", encoding),
                SettingAssignment("quality", quality),
                SettingAssignment("rotate", rotate), SettingAssignment("flip", flip),
            ].compactMap { $0 }
    }

    /// Applies the options that are not settings to a configuration.
    ///
    /// - Throws: ``CaptureError`` that names the option at fault.
    func apply(to configuration: inout SessionConfiguration) throws(CaptureError) {
        (configuration.isAutomatic, configuration.hasKeys) = (auto, !auto)
        configuration.adjustment = try library.adjustment.adjustment()
    }
}
