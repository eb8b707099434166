// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A picture or a clip of a session with its details: an entry of `session.json`.
public struct SessionStill: Sendable, Hashable {
    /// The origin of a picture.
    public enum Origin: String, Sendable, Hashable, CaseIterable {
        /// A camera.
        case camera
        /// The user's library.
        case library
    }

    /// The number of the picture, from 1. It counts all pictures that the session requested; each number is used once.
    public var number: Int
    /// The name of the stage.
    public var stage: String
    /// The file of the whole picture, or of the clip.
    public var file: SessionFileRecord
    /// The duration of the clip; `nil` for a picture.
    public var duration: Duration?
    /// The first picture of the clip, a JPEG; `nil` for a picture, and if no decoder is installed.
    public var poster: SessionFileRecord?
    /// The crop; `nil` if the stage requires none, or if the crop could not be made or stored.
    public var crop: SessionCrop?
    /// The place of the stage's outline on the preview; `nil` if the stage has no outline, if no frame was previewed,
    /// or for a picture from the library.
    public var outline: SessionOutline?
    /// The origin of the picture.
    public var origin = Origin.camera
    /// The path of the picture in the library; `nil` for a picture from a camera.
    public var source: String?
    /// The role of the camera; `nil` for a picture from the library.
    public var role: CameraRole?
    /// The id of the camera; `nil` for a picture from the library.
    public var camera: String?
    /// The time of the frame in ISO 8601, with milliseconds and zone; `nil` for a picture from the library.
    public var taken: String?
    /// The offset of the frame from the zero of the countdown, negative if it is earlier; `nil` for a picture from the
    /// library.
    public var offset: Duration?
    /// The time from the capture of the frame to its choice; `nil` for a picture that was chosen from several frames,
    /// or is from the library.
    public var latency: Duration?
    /// The number of frames around the moment of which this is the sharpest; 1 if there was no choice.
    public var bestOf = 1
    /// The variance of the Laplacian of luma; `nil` unless the picture was chosen from several frames.
    public var sharpness: Double?
    /// The exposure time in seconds; `nil` if the driver does not report it, or for a picture from the library.
    public var exposureTime: Double?
    /// The sensitivity (ISO 12232); `nil` if the driver does not report it, or for a picture from the library.
    public var sensitivity: Double?
    /// The results of the gates at the zero of the countdown; empty for a picture from the library.
    public var gates: [GateScore] = []
    /// The same moment, as further cameras saw it; empty for a picture of one camera.
    public var views: [View] = []

    /// Creates the entry of a picture.
    public init(number: Int, stage: String, file: SessionFileRecord) {
        (self.number, self.stage, self.file) = (number, stage, file)
    }
}

extension SessionStill {
    /// The moment of a picture, as another camera of its stage saw it. It is whole, because the outline lies on the
    /// picture of the camera that is shown.
    public struct View: Sendable, Hashable {
        /// The role of the camera.
        public var role: CameraRole
        /// The id of the camera.
        public var camera: String
        /// The file.
        public var file: SessionFileRecord
        /// The time of the frame in ISO 8601, with milliseconds and zone.
        public var taken: String
        /// The offset of the frame from the zero of the countdown, negative if it is earlier.
        public var offset: Duration

        /// Creates the entry of a view.
        public init(role: CameraRole, camera: String, file: SessionFileRecord, taken: String, offset: Duration) {
            (self.role, self.camera, self.file, self.taken, self.offset) = (role, camera, file, taken, offset)
        }
    }
}

extension SessionStill {
    /// The files of the picture: the whole picture or the clip, its crop or its first picture if there is one, and
    /// those of further cameras.
    public var files: [SessionFileRecord] {
        [file] + [crop?.file, poster].compactMap { $0 } + views.map(\.file)
    }

    /// `true` for a clip.
    public var isClip: Bool { duration != nil }

    /// The ids of all cameras of the picture.
    package var cameras: [String] { (camera.map { [$0] } ?? []) + views.map(\.camera) }

    /// The file to use: the crop if there is one, otherwise the whole picture, or the clip.
    public var best: SessionFileRecord { crop?.file ?? file }

    /// The picture to show: the crop if there is one, otherwise the whole picture, or the first picture of the clip;
    /// `nil` for a clip without that.
    package var shown: SessionFileRecord? { isClip ? poster : best }
}
