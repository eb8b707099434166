// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A step of a session: one picture, or several of the same kind.
public struct SessionStage: Sendable, Hashable {
    /// How the pictures of a stage follow each other.
    public enum Sequence: Sendable, Hashable {
        /// The next is taken so long after the one before, counted down to.
        case timed(Duration)
        /// Somebody asks for each.
        case triggered
    }

    /// Which earlier picture shows through on the preview.
    public enum Ghost: String, Sendable, Hashable, CaseIterable {
        case none
        /// The first of the session.
        case first
        /// The last that was taken.
        case previous
    }

    /// What is cut out of the picture.
    public enum Crop: String, Sendable, Hashable, CaseIterable {
        /// Nothing: it stays whole.
        case none
        /// The outline's shape.
        case outline
        /// The shape whose four edges are found near the outline, its perspective corrected.
        case rectify
    }

    /// What becomes of a picture whose four edges are not found.
    public enum Unrectified: String, Sendable, Hashable, CaseIterable {
        /// It is not kept, and the stage waits for a trigger; after two such pictures the third is kept.
        case retake
        /// It is cut along the outline, and a notice says so.
        case keep
    }

    /// What becomes of the corners of a picture that is cropped.
    public enum Corners: String, Sendable, Hashable, CaseIterable {
        /// Rounded as the outline's are, the rest filled.
        case rounded
        /// Left as they are.
        case square
        /// Transparent wherever the outline's shape is not.
        case masked
    }

    /// Its name, which is part of the names of its files.
    public var name: String
    /// What whoever is in the picture has to do.
    public var prompt = ""
    /// The outline on the preview, by name or by file; `nil` for none.
    public var outline: String?
    /// How long is counted before its pictures; `nil` for as long as the session says.
    public var countdown: Duration?
    /// The camera it needs; `nil` for any, which can be switched then.
    public var camera: CameraRole?
    /// Whether it can be left out.
    public var isSkippable = false
    /// What has to hold, beside the session's gates; `nil` for those alone, empty for none at all.
    public var gates: [GateRequest]?
    /// How many pictures it takes; at least one.
    public var pictures = 1
    /// How they follow each other.
    public var sequence = Sequence.triggered
    /// Which earlier picture shows through on the preview.
    public var ghost = Ghost.none
    /// What is cut out of the picture.
    public var crop = Crop.none
    /// What becomes of a picture whose edges ``Crop/rectify`` does not find.
    public var unrectified = Unrectified.retake
    /// What becomes of the corners of a crop.
    public var corners = Corners.square
    /// Of so many frames around the moment the sharpest is taken.
    public var bestOf = 1

    /// Creates a stage.
    public init(name: String) { self.name = name }
}
