// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureKit
import StillKit
import VideoKit

/// All settings of a recording, checked and complete.
public struct ClipConfiguration: Sendable {
    /// The camera: its format, controls and orientation, and the layers that are burnt in. Its schedule and its output have
    /// no effect.
    public var camera: CaptureConfiguration
    /// The names of the files. The time in a name is that of the first picture.
    public var names: FileNameTemplate
    /// When files begin and end.
    public var plan = ClipPlan()
    /// The size, rate and encoder of the video.
    public var video = VideoSettings()
    /// The microphone; `nil` for a silent recording.
    package var sound: SoundSource.Input?
    /// The encoders of the machine; tests replace them.
    package var encoders = EncoderCatalog.shared

    /// Creates a silent recording until it is stopped.
    public init(camera: CaptureConfiguration, names: FileNameTemplate) {
        (self.camera, self.names) = (camera, names)
        // Not one picture: the camera is recovered unless the caller decides otherwise.
        self.camera.schedule = .onRequest()
        plan.continues = names.isPattern
    }
}

extension CaptureConfiguration {
    /// `true` if the camera may deliver H.264: its first frame shows it. `false` for a format that is none, and for frames
    /// that are decoded.
    package var mayDeliverH264: Bool { decode == nil && (request.format.map { $0.lowercased() == "h264" } ?? true) }
}

extension FileNameTemplate {
    /// `true` if files at other times, or with other numbers, have other names.
    var isPattern: Bool {
        usesSequence || render(WallTime(seconds: 0, nanoseconds: 0, utcOffset: 0), sequence: 1) != description
    }
}
