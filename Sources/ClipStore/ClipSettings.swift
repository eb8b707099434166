// Part of gst-capture. Apache License 2.0, see LICENSE.

import CameraKit
import CaptureBase
import CaptureKit
import ClipKit
import PresetKit
import StillKit

/// The settings of the clips of a camera of a service.
public struct ClipSettings: Sendable, Equatable {
    /// All settings of recordings, with those of the camera.
    public let settings: CaptureSettings
    /// The absolute names of the files.
    package let names: FileNameTemplate
    /// The limits of all clips.
    package let policy: StoragePolicy

    /// The keys of ``settings`` that a configuration accepts besides those of the video.
    private static let keys: Set = [
        "output", "for", "rotate", "flip", "burn-in", "appearance", "recover", "stall-after", "standby", "keep-free",
        "max-size", "max-age", "max-count", "max-age-sent", "keep-unsent", "on-limit", "mount",
    ]

    /// Checks settings, and fills in the limits that the user left open. Blocks on file access if the settings name layers.
    ///
    /// - Throws: `CaptureError` that names the option at fault.
    public init(_ settings: CaptureSettings) throws(CaptureError) {
        var settings = settings
        settings.keepFree = settings.keepFree ?? StoragePolicy.floorForClients
        settings.onLimit = settings.onLimit ?? .prune
        try Self.checkOutput(settings.output)
        if case .thin = settings.onLimit {
            throw CaptureError(.usage, "clips are not thinned", subject: "--on-limit", advice: "use prune or stop")
        }
        if settings.trigger ?? false, settings.length != nil {
            throw CaptureError(
                .usage, "has no effect with --trigger", subject: "--for", advice: "use --post and --at-most")
        }
        policy = try StoragePolicy(settings)
        var checked = settings
        (checked.camera, checked.source) = (Camera.sceneID, nil)
        let configuration = try ClipConfiguration(checked)
        guard configuration.plan.continues else {
            throw CaptureError(
                .usage, "gives all files the same name", subject: "--output",
                advice: "put %n or a time such as %H%M%S into the name")
        }
        (self.settings, names) = (settings, configuration.names)
    }

    private init(_ settings: CaptureSettings, _ names: FileNameTemplate, _ policy: StoragePolicy) {
        (self.settings, self.names, self.policy) = (settings, names, policy)
    }

    private static func checkOutput(_ output: String?) throws(CaptureError) {
        guard let output, !output.utf8.contains(where: { $0 < 0x20 }) else {
            throw CaptureError(
                .usage, "is missing", subject: "--output",
                advice: "give file names such as /srv/door/clips/%Y-%m-%d/%H%M%S.mp4")
        }
        guard output.hasPrefix("/") else {
            throw CaptureError(
                .usage, "\(output.quoted) is not absolute", subject: "--output",
                advice: "begin it with /: a service has no working folder")
        }
    }

    /// `true` if triggers begin the clips, and `false` if requests start recordings.
    package var isTriggered: Bool { settings.trigger ?? false }

    /// The path of the list of the clips.
    package var account: String { ClipFolder.accountPath(for: names) }

    /// The absolute path of the folder below which all clips are.
    package var folder: String { names.baseFolder }

    /// Finds the clips that an outbox has sent; `nil` if their limits need none. Blocks.
    package func sentPictures(_ outbox: SentPicturesSource?) throws(CaptureError) -> (any SentPictures)? {
        var request = try settings.sentPicturesRequest(names, ledger: account, isGiven: outbox != nil)
        request?.isOfClips = true
        return try request?.pictures(in: outbox)
    }

    /// Returns the same settings for another camera.
    package func with(_ change: (CaptureSettings) -> CaptureSettings) -> ClipSettings {
        ClipSettings(change(settings), names, policy)
    }

    /// The configuration of a recording. Blocks on file access if the settings name layers.
    ///
    /// - Parameters:
    ///   - camera: The camera that the settings name; `nil` if they name elements or the scene.
    ///   - length: The duration of the recording; `nil` for that of the settings.
    package func configuration(_ camera: Camera?, for length: Duration?) throws(CaptureError) -> ClipConfiguration {
        var configuration = try ClipConfiguration(settings, camera: camera)
        if let length { configuration.plan.length = length }
        // A recording that opens the camera must not keep the camera's series from it.
        configuration.camera.ramps = settings.ramp ?? []
        return configuration
    }
}

// MARK: - Reading

extension ClipSettings {
    /// Reads the section `clips` of a camera. Blocks.
    ///
    /// - Parameters:
    ///   - camera: The settings of the camera, which fill in unset ones.
    ///   - file: The name of the file in errors.
    package init(
        _ key: SourcedText, _ node: YAMLNode, of camera: CaptureSettings, file: String
    ) throws(InvalidValue) {
        var (section, problems) = (SettingsSection(file: file, otherKeys: []), [InvalidValue]())
        for (key, value) in try SectionKeys(node, of: key).entries {
            do throws(InvalidValue) {
                try section.read(key, try value.input)
                try Self.check(key)
            } catch {
                problems.append(error)
            }
        }
        if let problem = InvalidValue.joining(problems) { throw problem }
        do throws(CaptureError) {
            try self.init(section.settings.merging(over: camera.ofCamera))
        } catch {
            throw section.mistake(error, at: key)
        }
    }

    private static func check(_ key: SourcedText) throws(InvalidValue) {
        guard !keys.contains(key.text), Setting.named(key.text)?.section != .video else { return }
        guard Setting.ofCamera.contains(key.text) else {
            throw InvalidValue("\(key.text): is not a key of clips", advice: "remove it", at: key.place)
        }
        throw InvalidValue(
            "\(key.text): belongs to the camera, which all its jobs share", advice: "move it to the camera",
            at: key.place)
    }
}

extension CaptureSettings {
    /// The settings that clips take from their camera: not its files, their limits, and its schedule.
    fileprivate var ofCamera: CaptureSettings {
        var settings = withoutOutput.withoutSchedule
        (settings.keepFree, settings.maxSize, settings.maxAge, settings.maxCount) = (nil, nil, nil, nil)
        (settings.maxAgeSent, settings.keepUnsent, settings.onLimit, settings.mount) = (nil, nil, nil, nil)
        return settings
    }
}
