// Part of gst-capture. Apache License 2.0, see LICENSE.

import ArgumentParser
import CaptureKit
import Glibc

/// How a session is run.
struct SessionOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The camera that looks at whoever looks at the screen.", valueName: "camera"), completion: .cameras)
    var front: String?

    @Option(help: ArgumentHelp("The camera that looks away from the screen.", valueName: "camera"), completion: .cameras)
    var back: String?

    @Flag(help: "Go through it without anybody: begin, take every picture, accept.")
    var auto = false

    @Option(
        help: ArgumentHelp(
            "Pictures to bring in with the key b in place of taken ones; of a folder all. Without a camera, --auto takes these.",
            valueName: "file|folder"), completion: .file())
    var library: [String] = []

    @Option(help: ArgumentHelp("How those are moved under the outline, in its widths and heights: 0.1,-0.05.", valueName: "x,y"))
    var move: String?

    @Option(help: ArgumentHelp("How much larger those are made: 1.2.", valueName: "factor"))
    var zoom: Double?

    @Option(help: ArgumentHelp("How far those are turned clockwise, in degrees.", valueName: "degrees"))
    var turn: Double?

    @Option(help: ArgumentHelp("Shake is felt by this, too: auto, off, or the folder of a sensor.", valueName: "sensor"))
    var accelerometer: String?

    @Option(help: ArgumentHelp("Beeps: on, off, or elements in gst-launch syntax that end in a sink.", valueName: "sound"))
    var sound: String?

    @OptionGroup(title: "Camera") var camera: CameraOptions
    @OptionGroup(title: "Preview") var preview: PreviewOptions
    @OptionGroup(title: "Supervision") var recovery: RecoveryOptions

    @Option(name: .shortAndLong, help: .setting("encoding"), completion: .list(["jpeg", "png"]))
    var encoding: String?

    @Option(name: .shortAndLong, help: .setting("quality"))
    var quality: String?

    @Option(help: .setting("rotate"), completion: .setting("rotate"))
    var rotate: String?

    @Option(help: .setting("flip"), completion: .setting("flip"))
    var flip: String?

    func validate() throws {
        guard front != nil || back != nil else { return }
        if camera.camera != nil { throw ValidationError("--camera is one camera for all; give --front and --back, or that") }
        if camera.source != nil { throw ValidationError("--source is one source for all; give --front and --back, or that") }
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
        for path in library {
            configuration.library += SessionArchive.isFolder(path) ? try LibraryPicture.album(path) : [path]
        }
        if let move {
            let numbers = move.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
            guard numbers.count == 2, let x = numbers[0], let y = numbers[1] else {
                throw CaptureError(.usage, "\(move) is no way to move", subject: "--move", advice: "give one such as 0.1,-0.05")
            }
            (configuration.adjustment.moveX, configuration.adjustment.moveY) = (x, y)
        }
        configuration.adjustment.zoom = zoom ?? 1
        configuration.adjustment.turn = turn ?? 0
        if let accelerometer { configuration.accelerometer = try AccelerometerRequest(parsing: accelerometer, of: "--accelerometer") }
        if let sound { configuration.sound = SoundRequest(sound) }
    }
}

extension PreviewRequest {
    /// What settings say of the preview of a session; where nobody says where, a window where there is a display, and
    /// somebody to look at it.
    init(_ settings: CaptureSettings, isAutomatic: Bool) {
        self.init()
        (width, height) = (settings.previewWidth, settings.previewHeight)
        frameRate = settings.previewFramerate
        isMirrored = settings.mirror ?? false
        sink = settings.previewSink ?? (isAutomatic || !PreviewSink.hasDisplay ? .none : .automatic)
    }
}
