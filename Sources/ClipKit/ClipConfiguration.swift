// Part of gst-capture. Apache License 2.0, see LICENSE.

import CameraKit
import CaptureBase
import CaptureKit
import PipelineKit
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
    /// The width and the height of the video in pixels, after turning. If one is `nil`, the proportions stay; if both are,
    /// the size is that of the camera's frames, scaled down to fit into 1920x1080.
    public var width: Int?, height: Int?
    /// Frames a second at most; `nil` for all frames of the camera.
    public var frameRate: FrameRate?
    /// Bits a second; `nil` for a rate that suits the size.
    public var bitRate: Int?
    /// The encoder.
    package var encoder = EncoderCatalog.Choice.automatic
    /// The microphone; `nil` for a silent recording.
    package var sound: SoundSource.Input?

    /// Creates a silent recording until it is stopped.
    public init(camera: CaptureConfiguration, names: FileNameTemplate) {
        (self.camera, self.names) = (camera, names)
        // Not one picture: the camera is recovered unless the caller decides otherwise.
        self.camera.schedule = .onRequest()
        plan.continues = names.isPattern
    }
}

extension FileNameTemplate {
    /// `true` if files at other times, or with other numbers, have other names.
    fileprivate var isPattern: Bool {
        usesSequence || render(WallTime(seconds: 0, nanoseconds: 0, utcOffset: 0), sequence: 1) != description
    }
}
