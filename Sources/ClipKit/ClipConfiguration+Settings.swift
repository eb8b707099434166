// Part of gst-capture. Apache License 2.0, see LICENSE.

import CameraKit
import CaptureBase
import CaptureKit
import PresetKit
import StillKit
import VideoKit

extension ClipConfiguration {
    /// Checks settings against each other, finds the layers that they name, and fills in the settings that the user
    /// left open. Blocks on file access if the settings name layers.
    ///
    /// - Parameters:
    ///   - camera: The camera that the settings name, found by `CameraCatalog.resolve(_:)`; `nil` if they name a source
    ///     or the scene.
    ///   - outlines: The library in which outlines are looked up.
    /// - Throws: `CaptureError` that names the option at fault.
    public init(
        _ settings: CaptureSettings, camera: Camera? = nil, outlines: OutlineLibrary = OutlineLibrary()
    ) throws(CaptureError) {
        let names = try Self.names(settings)
        // The settings of pictures and series have no effect on the camera.
        var own = settings
        (own.output, own.encoding, own.interval, own.count, own.length, own.until) = (nil, nil, nil, nil, nil, nil)
        (own.burst, own.delay, own.countdown, own.ramp, own.overlay) = (nil, nil, nil, nil, nil)
        self.init(
            camera: try CaptureConfiguration(own, mode: .snap, camera: camera, outlines: outlines), names: names)
        if let recover = settings.recover ?? (plan.continues ? nil : .off) { self.camera.recovery = recover }
        (video.width, video.height) = (settings.videoSize?.width, settings.videoSize?.height)
        (video.frameRate, video.bitRate) = (settings.videoFramerate, settings.bitrate)
        video.encoder = try Self.encoder(settings.videoCodec ?? "auto")
        sound = SoundSource.Input(MicrophoneRequest(settings.audio ?? "off"))
        (plan.length, plan.segment) = (settings.length, settings.segment)
        plan.trigger = try Self.trigger(settings)
        guard plan.continues || settings.segment == nil && plan.trigger == nil else {
            throw CaptureError(
                .usage, "\"\(names)\" gives all files the same name", subject: "--output",
                advice: "put %n or a time such as %H%M%S into the name")
        }
    }

    private static func names(_ settings: CaptureSettings) throws(CaptureError) -> FileNameTemplate {
        let name = settings.output ?? "%Y-%m-%d_%H-%M-%S_%n.mp4"
        guard name.lowercased().hasSuffix(".mp4") else {
            throw CaptureError(
                .usage, "\(name) is not the name of an MP4 file", subject: "--output", advice: "end it in .mp4")
        }
        return try FileNameTemplate(parsing: name)
    }

    private static func encoder(_ text: String) throws(CaptureError) -> EncoderCatalog.Choice {
        do throws(CaptureError) {
            return try EncoderCatalog.Choice(text)
        } catch {
            throw CaptureError(.usage, error.message, subject: "--codec", advice: error.advice)
        }
    }

    private static func trigger(_ settings: CaptureSettings) throws(CaptureError) -> ClipPlan.Trigger? {
        guard settings.trigger ?? false else {
            let given = [("--pre", settings.pre), ("--post", settings.post), ("--at-most", settings.atMost)]
            guard let (option, _) = given.first(where: { $0.1 != nil }) else { return nil }
            throw CaptureError(.usage, "needs --trigger", subject: option, advice: "add --trigger, or leave it out")
        }
        let (before, after) = (settings.pre ?? .seconds(5), settings.post ?? .seconds(10))
        if let longest = settings.atMost, longest < before + after {
            throw CaptureError(
                .usage, "is shorter than --pre and --post together", subject: "--at-most",
                advice: "give \((before + after).shortText) or more")
        }
        return ClipPlan.Trigger(before: before, after: after, longest: settings.atMost)
    }
}

extension SoundSource.Input {
    /// The place of a request; `nil` for no sound.
    package init?(_ request: MicrophoneRequest) {
        switch request {
        case .off: return nil
        case .automatic: self = .automatic
        case .device(let name): self = .device(name)
        case .elements(let text): self = .elements(text)
        }
    }
}
