// Part of gst-capture. Apache License 2.0, see LICENSE.

import ArgumentParser
import CaptureKit

/// How a session is run.
struct SessionOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The camera that looks at whoever looks at the screen.", valueName: "camera"),
        completion: .cameras)
    var front: String?

    @Option(
        help: ArgumentHelp("The camera that looks away from the screen.", valueName: "camera"), completion: .cameras)
    var back: String?

    @Flag(help: "Go through it without anybody: begin, take every picture, accept.")
    var auto = false

    @Option(
        help: ArgumentHelp("Beeps: on, off, or elements in gst-launch syntax that end in a sink.", valueName: "sound"))
    var sound: String?

    @Option(
        help: ArgumentHelp("What feels shake beside the picture: auto, off, or a sensor's folder.", valueName: "sensor")
    )
    var accelerometer: String?

    @OptionGroup(title: "Library") var library: LibraryOptions
    @OptionGroup(title: "Camera") var camera: CameraOptions
    @OptionGroup(title: "Preview") var preview: PreviewOptions
    @OptionGroup(title: "Supervision") var recovery: RecoveryOptions

    @Option(
        name: .shortAndLong, help: ArgumentHelp("What its pictures are: jpeg or png.", valueName: "jpeg|png"),
        completion: .list(["jpeg", "png"]))
    var encoding: String?

    @Option(name: .shortAndLong, help: .setting("quality"))
    var quality: String?

    @Option(help: .setting("rotate"), completion: .setting("rotate"))
    var rotate: String?

    @Option(help: .setting("flip"), completion: .setting("flip"))
    var flip: String?

    func validate() throws {
        guard front != nil || back != nil else { return }
        for (name, text) in [("--camera", camera.camera), ("--source", camera.source)] where text != nil {
            throw ValidationError("\(name) is one for all stages; give that, or --front and --back")
        }
    }

    /// The settings that were given.
    var assignments: [SettingAssignment] {
        camera.assignments + preview.assignments + recovery.assignments
            + [
                SettingAssignment("encoding", encoding), SettingAssignment("quality", quality),
                SettingAssignment("rotate", rotate), SettingAssignment("flip", flip),
            ].compactMap { $0 }
    }

    /// Puts what is no setting into a configuration.
    ///
    /// - Throws: ``CaptureError`` that names the option at fault.
    func apply(to configuration: inout SessionConfiguration) throws(CaptureError) {
        (configuration.isAutomatic, configuration.hasKeys) = (auto, !auto)
        configuration.library = try library.pictures()
        configuration.adjustment = try library.adjustment.adjustment()
        if let accelerometer {
            configuration.accelerometer = try AccelerometerRequest(parsing: accelerometer, of: "--accelerometer")
        }
        if let sound { configuration.sound = SoundRequest(sound) }
    }
}
