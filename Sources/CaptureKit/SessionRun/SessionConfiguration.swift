// Part of gst-capture. Apache License 2.0, see LICENSE.

import OverlayCompositor

/// All that a session needs to know besides its description.
public struct SessionConfiguration: Sendable {
    /// Where its pictures go.
    public enum Output: Sendable, Hashable {
        /// To a folder of the session's own, which is made in this one.
        case folder(in: String)
        /// To this folder, which an earlier run made: it is gone on with.
        case resumed(folder: String)
        /// To the caller, as bytes in ``SessionOutcome/pictures``; nothing is kept.
        case caller
    }

    /// The cameras, by role. One alone plays both roles; with none, pictures can be brought in only.
    ///
    /// Of a configuration the source counts, what it is asked for, its controls, how stills are encoded and turned, which
    /// layers are burnt in, and how it is recovered.
    public var cameras: [CameraRole: CaptureConfiguration]
    /// Where its pictures go.
    public var output: Output
    /// What has to hold of the disk before a picture is stored.
    public var disk = SessionDisk()
    /// Layers on the preview below those of the session itself.
    public var overlay: [Layer] = []
    /// What is shown, and where; by default nowhere, while gates still see it.
    public var preview: PreviewRequest = .nowhere
    /// How what is drawn looks.
    public var appearance = Style()
    /// Whether it beeps.
    public var sound = SoundRequest.off
    /// The JPEG quality of crops, 1...100.
    public var cropQuality = 95
    /// What feels shake besides the picture.
    public var accelerometer = AccelerometerRequest.off
    /// Where outlines are looked for.
    public var outlines = OutlineLibrary()
    /// The file that the session was read from: a copy of it is kept with the pictures.
    public var definition: SessionFile?
    /// Who knows which tutorial; `nil` to remember nothing.
    public var tutorialMemory: TutorialMemory?
    /// True where whoever looks at the preview has keys, and is told of them.
    public var hasKeys = false
    /// How long the last screen stays; a key or a touch closes it at once. By default it closes at once.
    public var farewell = Duration.zero
    /// True to go through it without anybody: it begins by itself, skips nothing that has pictures, and accepts.
    public var isAutomatic = false
    /// Pictures of a library that are brought in one after the other, by path, when ``SessionController/bring()`` asks;
    /// without a camera, and without anybody, by themselves.
    public var library: [String] = []
    /// How those are moved under the outline before they are cropped.
    public var adjustment = CropAdjustment()
    /// Reads the time of day; tests give another clock.
    package var wallClock: @Sendable () -> WallTime = { .now() }

    /// Creates a configuration.
    public init(cameras: [CameraRole: CaptureConfiguration], output: Output) {
        self.cameras = cameras
        self.output = output
    }
}

extension PreviewRequest {
    /// Frames that only gates see.
    public static var nowhere: PreviewRequest {
        var request = PreviewRequest()
        request.sink = .none
        return request
    }
}
