// Part of gst-capture. Apache License 2.0, see LICENSE.

import ArgumentParser
import CameraKit
import CaptureKit
import FrameLink
import PipelineKit
import PresetKit
import TerminalKit

/// Lists, reads and sets the camera's controls.
struct ControlsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "controls",
        abstract: "List, read and set the camera's controls, such as brightness and exposure.",
        discussion: """
            Values are numbers, 50% of the range, on and off, the words of a menu, or default. A camera keeps the \
            values until it is unplugged; snap and timelapse also accept --set.

            Examples:
              gst-capture controls
              gst-capture controls --camera /dev/video0 --set brightness=128
              gst-capture controls --set auto_exposure=manual
              gst-capture controls --get brightness
              gst-capture controls --reset
              gst-capture controls --json | jq -r .name

            With --json each line is a control: name, title, kind, value, default, min, max, step, menu, flags.
            """
    )

    @Option(name: .shortAndLong, help: .setting("camera"), completion: .cameras)
    var camera: String?

    @Option(help: ArgumentHelp("Set a control; may be repeated.", valueName: "name=value"), completion: .controls)
    var set: [String] = []

    @Option(
        help: ArgumentHelp("Print the value of a control; may be repeated.", valueName: "name"), completion: .controls)
    var get: [String] = []

    @Flag(help: "Reset all controls to the driver's defaults, before anything else.")
    var reset = false

    @Flag(help: "One JSON object a line.")
    var json = false

    func run() async throws {
        let wanted = try set.map(Self.assignment)
        let camera = try await chosenCamera()
        let work = ControlsWork(camera: camera, reset: reset, settings: wanted, names: get)
        let controls = try await work.run()
        for control in controls { show(control) }
        if controls.isEmpty, !reset { Console().report("\(camera.id) has no controls") }
    }

    private func show(_ control: CameraControl) {
        let listing = ControlListing(control)
        let isList = set.isEmpty && get.isEmpty
        let text = isList ? listing.text(for: Terminal(.output)) : get.isEmpty ? listing.assignment : listing.value
        StandardStream.output.line(json ? listing.json.text : text)
    }

    private func chosenCamera() async throws(CaptureError) -> Camera {
        let options = [SettingAssignment("camera", camera)].compactMap { $0 }
        let settings = try SettingSources.resolve(options: options, preset: nil)
        return try await CameraFinder.find(settings.camera ?? CameraCatalog.automatic)
    }

    private static func assignment(_ text: String) throws(CaptureError) -> ControlAssignment {
        guard let (name, value) = text.nameAndValue, !name.isEmpty else {
            throw CaptureError(
                .usage, "'\(text)' has no value", subject: "--set", advice: "write name=value, such as brightness=50%"
            )
        }
        return ControlAssignment(name: name, value: value)
    }
}

/// Operations on a camera's controls that run together.
private struct ControlsWork: Sendable {
    let camera: Camera
    let reset: Bool
    let settings: [ControlAssignment]
    let names: [String]

    /// Resets and sets controls, and returns those to print.
    func run() async throws(CaptureError) -> [CameraControl] {
        guard let served = camera.service else {
            return try await BlockingWork.run { () throws(CaptureError) in try runOnDevice() }
        }
        // The service sets them again when the camera was unplugged.
        let controls = try await LocalService.controls(of: served, reset: reset, settings: settings)
        if !names.isEmpty { return try named(names, controls) }
        return settings.isEmpty ? reset ? [] : controls : try named(settings.map(\.name), controls)
    }

    /// Finds controls among those that a service has listed.
    private func named(_ names: [String], _ controls: [CameraControl]) throws(CaptureError) -> [CameraControl] {
        var found: [CameraControl] = []
        for name in names { found.append(try CameraControl.named(name, among: controls, of: camera.path ?? camera.id)) }
        return found
    }

    private func runOnDevice() throws(CaptureError) -> [CameraControl] {
        let controls = try CameraControls(camera)
        if reset { try controls.reset() }
        try controls.set(settings)
        if !names.isEmpty { return try named(names, controls) }
        return settings.isEmpty ? reset ? [] : try controls.list() : try named(settings.map(\.name), controls)
    }

    private func named(_ names: [String], _ controls: CameraControls) throws(CaptureError) -> [CameraControl] {
        var found: [CameraControl] = []
        for name in names { found.append(try controls.control(named: name)) }
        return found
    }
}
