// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A picture of a session, as its standing names it. Its file and its record are kept by whoever took it, by the number.
public struct SessionPicture: Sendable, Hashable {
    /// Counts all pictures that the session asked for, from 1; none comes twice, not even after a retake.
    public let number: Int
    /// The camera that took it; `nil` for a picture that no camera of the session took.
    public let camera: CameraRole?

    /// Creates a picture.
    public init(number: Int, camera: CameraRole?) {
        self.number = number
        self.camera = camera
    }
}
