// Part of gst-capture. Apache License 2.0, see LICENSE.

import ClipKit
import PresetKit

/// A step of a session: one picture, several of the same kind, or a clip.
public struct SessionStage: Sendable, Hashable {
    /// How the pictures of a stage follow each other.
    public enum Sequence: Sendable, Hashable {
        /// The next picture follows after this interval, with a countdown.
        case timed(Duration)
        /// Each picture needs a trigger.
        case triggered
    }

    /// The earlier picture that shows through on the preview.
    public enum Ghost: String, Sendable, Hashable, CaseIterable {
        case none
        /// The first picture of the session.
        case first
        /// The latest picture of the session.
        case previous
    }

    /// The part that is cut out of the picture.
    public enum Crop: String, Sendable, Hashable, CaseIterable {
        /// Nothing: the picture stays whole.
        case none
        /// The outline's shape.
        case outline
        /// The shape whose four edges are found near the outline, with its perspective corrected.
        case rectify
    }

    /// The handling of a picture whose four edges are not found.
    public enum Unrectified: String, Sendable, Hashable, CaseIterable {
        /// The picture is discarded, and the stage waits for a trigger; after two such pictures in a row the third is
        /// cropped along the outline.
        case retake
        /// The picture is cropped along the outline, and a notice reports that.
        case keep
    }

    /// The corners of a crop.
    public enum Corners: String, Sendable, Hashable, CaseIterable {
        /// Rounded like the outline's; the rest is white.
        case rounded
        /// Unchanged.
        case square
        /// Transparent outside of the outline's shape.
        case masked
    }

    /// The name of the stage, which is part of its file names.
    public var name: String
    /// The title on the screen; `nil` for the name in words.
    public var title: String?
    /// The condition that begins the stage; `nil` for the session's.
    public var start: SessionDescription.Start?
    /// The instruction for the person in the picture.
    public var prompt = ""
    /// The outline on the preview, by name or by file; `nil` for none.
    public var outline: String?
    /// The length of the countdown before its pictures; `nil` for the session's.
    public var countdown: Duration?
    /// The camera that the stage needs; `nil` for any, which the user can switch.
    public var camera: CameraRole?
    /// Further cameras that capture each picture at the same moment as ``camera``, which is shown; empty for none.
    public var besides: [CameraRole] = []
    /// `true` if the user can skip the stage.
    public var isSkippable = false
    /// Gates in addition to the session's; `nil` for the session's alone, empty for no gates at all.
    public var gates: [GateRequest]?
    /// The number of its pictures; at least one.
    public var pictures = 1
    /// How the pictures follow each other.
    public var sequence = Sequence.triggered
    /// The earlier picture that shows through on the preview.
    public var ghost = Ghost.none
    /// The part that is cut out of the picture.
    public var crop = Crop.none
    /// The handling of a picture whose edges ``Crop/rectify`` does not find.
    public var unrectified = Unrectified.retake
    /// The corners of a crop.
    public var corners = Corners.square
    /// The width of the crop in print, in millimeters, which its file states; `nil` for none.
    public var printWidth: Int?
    /// The number of frames around the moment, of which the sharpest becomes the picture.
    public var bestOf = 1
    /// The length of the clip that the stage records in place of a picture, unless a trigger ends it earlier; `nil` for
    /// a stage of pictures. A stage has one clip, and ``pictures``, ``sequence``, ``crop``, ``bestOf`` and ``besides``
    /// have no effect on it.
    public var clip: Duration?
    /// The size, the rate and the encoder of the clip.
    public var video = VideoSettings()
    /// The microphone of the clip.
    public var microphone = MicrophoneRequest.off

    /// The most pictures of a stage.
    static let mostPictures = 1000
    /// The shortest clip.
    static let shortestClip = Duration.milliseconds(500)

    /// Creates a stage.
    public init(name: String) { self.name = name }
}
