// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The transformation that shows a stored picture upright, by the values of EXIF's Orientation (0x0112).
public enum Orientation: Int, CaseIterable, Sendable {
    /// Show the picture unchanged.
    case upright = 1
    /// Mirror left and right.
    case mirrored = 2
    /// Turn by 180 degrees.
    case upsideDown = 3
    /// Mirror top and bottom.
    case flipped = 4
    /// Mirror along the diagonal from the upper left.
    case transposed = 5
    /// Turn by 90 degrees clockwise.
    case turnedRight = 6
    /// Mirror along the diagonal from the upper right.
    case transversed = 7
    /// Turn by 90 degrees counterclockwise.
    case turnedLeft = 8

    /// Creates the orientation that turns first, then mirrors.
    public init(rotation: Rotation, flip: Flip) {
        self =
            switch (rotation, flip) {
            case (.none, .none): .upright
            case (.none, .horizontal), (.half, .vertical): .mirrored
            case (.half, .none): .upsideDown
            case (.none, .vertical), (.half, .horizontal): .flipped
            case (.clockwise90, .horizontal), (.counterclockwise90, .vertical): .transposed
            case (.clockwise90, .none): .turnedRight
            case (.clockwise90, .vertical), (.counterclockwise90, .horizontal): .transversed
            case (.counterclockwise90, .none): .turnedLeft
            }
    }

    /// `true` if width and height change places.
    public var swapsAxes: Bool { rawValue >= 5 }

    /// Returns the orientation that applies this one first, then `next`.
    public func then(_ next: Orientation) -> Orientation {
        let turns = quarterTurns + (isMirrored ? -next.quarterTurns : next.quarterTurns)
        return Orientation(quarterTurns: (turns + 4) % 4, isMirrored: isMirrored != next.isMirrored)
    }

    /// The clockwise quarter turns before the mirroring.
    private var quarterTurns: Int {
        switch self {
        case .upright, .mirrored: 0
        case .turnedRight, .transposed: 1
        case .upsideDown, .flipped: 2
        case .turnedLeft, .transversed: 3
        }
    }

    /// `true` if left and right are mirrored after turning.
    private var isMirrored: Bool {
        self == .mirrored || self == .transposed || self == .flipped || self == .transversed
    }

    private init(quarterTurns: Int, isMirrored: Bool) {
        self =
            switch quarterTurns {
            case 1: isMirrored ? .transposed : .turnedRight
            case 2: isMirrored ? .flipped : .upsideDown
            case 3: isMirrored ? .transversed : .turnedLeft
            default: isMirrored ? .mirrored : .upright
            }
    }

    /// The nick of the direction in which GStreamer's `videoflip` applies this orientation
    /// (`GstVideoOrientationMethod`).
    ///
    /// The older property `method` does nothing in GStreamer 1.22.0: the default of the newer one overrides it.
    package var videoDirection: String {
        switch self {
        case .upright: "identity"
        case .mirrored: "horiz"
        case .upsideDown: "180"
        case .flipped: "vert"
        case .transposed: "ul-lr"
        case .turnedRight: "90r"
        case .transversed: "ur-ll"
        case .turnedLeft: "90l"
        }
    }
}

/// A clockwise rotation of the picture, in degrees.
public enum Rotation: Int, CaseIterable, Sendable {
    /// No rotation.
    case none = 0
    /// A quarter turn to the right.
    case clockwise90 = 90
    /// A half turn.
    case half = 180
    /// A quarter turn to the left.
    case counterclockwise90 = 270
}

/// A mirroring of the picture.
public enum Flip: String, CaseIterable, Sendable {
    /// No mirroring.
    case none
    /// Swaps left and right.
    case horizontal
    /// Swaps top and bottom.
    case vertical
}
