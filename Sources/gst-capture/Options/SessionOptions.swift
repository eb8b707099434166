// Part of gst-capture. Apache License 2.0, see LICENSE.

import ArgumentParser
import CaptureKit
import SessionKit

/// The options of a session that belong to no group.
struct SessionOptions: SettingOptions {
    @Option(help: .setting("front"), completion: .cameras)
    var front: String?

    @Option(help: .setting("back"), completion: .cameras)
    var back: String?

    @Option(help: .setting("role"))
    var role: [String] = []

    @Flag(inversion: .prefixedNo, help: .setting("auto"))
    var auto: Bool?

    @Option(help: .setting("language"))
    var language: String?

    @Flag(inversion: .prefixedNo, help: .setting("loop"))
    var loop: Bool?

    @Option(help: .setting("idle"))
    var idle: String?

    @Option(help: .setting("field"))
    var field: [String] = []

    @Option(help: .setting("exec-picture"))
    var execPicture: String?

    @Option(help: .setting("exec-accepted"))
    var execAccepted: String?

    @Option(help: .setting("sound"))
    var sound: String?

    @Option(help: .setting("audio"))
    var audio: String?

    @Option(help: .setting("accelerometer"))
    var accelerometer: String?

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

    var assignments: [SettingAssignment] {
        .repeated("burn-in", burnIn) + .repeated("field", field) + .repeated("role", role)
            + [
                SettingAssignment("auto", auto), SettingAssignment("language", language),
                SettingAssignment("loop", loop), SettingAssignment("idle", idle),
                SettingAssignment("exec-picture", execPicture), SettingAssignment("exec-accepted", execAccepted),
                SettingAssignment("front", front), SettingAssignment("back", back), SettingAssignment("sound", sound),
                SettingAssignment("audio", audio), SettingAssignment("accelerometer", accelerometer),
                SettingAssignment("keep-free", keepFree),
                SettingAssignment("mount", mount), SettingAssignment("encoding", encoding),
                SettingAssignment("quality", quality), SettingAssignment("rotate", rotate),
                SettingAssignment("flip", flip),
            ].compactMap { $0 }
    }
}

/// A command that runs a session.
///
/// Its groups are not in a group: for each level of nesting, debug builds of ArgumentParser take five times as long to
/// check them.
protocol SessionRunCommand: AsyncParsableCommand, Sendable {
    var session: SessionOptions { get }
    var control: ControlOptions { get }
    var library: LibraryOptions { get }
    var adjustment: AdjustmentOptions { get }
    var camera: CameraOptions { get }
    var preview: PreviewOptions { get }
    var overlay: OverlayOptions { get }
    var recovery: RecoveryOptions { get }
    var hooks: HookOptions { get }
    var reporting: ReportingOptions { get }
}

extension SessionRunCommand {
    /// The settings that the user gave.
    var assignments: [SettingAssignment] {
        let groups: [any SettingOptions] = [session, camera, preview, recovery, hooks, overlay]
        return groups.flatMap(\.assignments) + adjustment.assignments + .repeated("library", library.library)
    }

    /// Checks the groups against each other.
    func checkGroups() throws {
        try control.check(reporting)
        guard session.front != nil || session.back != nil || !session.role.isEmpty else { return }
        for (name, text) in [("--camera", camera.camera), ("--source", camera.source)] where text != nil {
            throw ValidationError("\(name) excludes --front, --back and --role; give only one or the other")
        }
    }

}
