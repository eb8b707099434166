// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// A picture of a session with all that is known of it: an entry of `session.json`.
public struct SessionStill: Sendable, Hashable {
    /// Where a picture comes from.
    public enum Origin: String, Sendable, Hashable, CaseIterable {
        /// It was taken.
        case camera
        /// It was brought in from a library.
        case library
    }

    /// Counts all pictures that the session asked for, from 1.
    public var number: Int
    /// The name of its stage.
    public var stage: String
    /// The whole picture.
    public var file: SessionFileRecord
    /// What was cut out of it, where the stage asks for that.
    public var crop: SessionCrop?
    /// Where the outline of its stage lay on the preview; `nil` if the stage has none, or the picture was brought in.
    public var outline: SessionOutline?
    /// Where it comes from.
    public var origin = Origin.camera
    /// What it was in the library, by path; `nil` for one that was taken.
    public var source: String?
    /// The role of the camera that took it.
    public var role: CameraRole?
    /// The camera that took it, by its id; `nil` for one that was brought in.
    public var camera: String?
    /// The moment of the frame, as ISO 8601 has it, with milliseconds and zone; `nil` where nobody knows.
    public var taken: String?
    /// How far that is from the zero of the countdown; negative where it is earlier.
    public var offset: Duration?
    /// How long the frame was on its way from the camera, which is how late a shutter without a clock would be.
    public var latency: Duration?
    /// Of how many frames around the moment it is the sharpest; 1 where there was no choice.
    public var bestOf = 1
    /// The variance of the Laplacian of luma, where it was measured.
    public var sharpness: Double?
    /// Exposure time in seconds, where the driver tells.
    public var exposureTime: Double?
    /// After ISO 12232, where the driver tells.
    public var sensitivity: Double?
    /// What the gates found at the moment of the picture.
    public var gates: [GateScore] = []

    /// Creates the entry of a picture.
    public init(number: Int, stage: String, file: SessionFileRecord) {
        (self.number, self.stage, self.file) = (number, stage, file)
    }
}

extension SessionStill {
    /// All files of it.
    var files: [SessionFileRecord] { [file] + (crop.map { [$0.file] } ?? []) }

    /// What is shown of it, and wanted most: the crop where there is one.
    public var best: SessionFileRecord { crop?.file ?? file }
}
