// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A picture of a session, as the session's progress lists it. The controller keeps its file and its record by
/// ``number``.
public struct SessionPicture: Sendable, Hashable {
    /// Counts all pictures that the session requested, from 1. Numbers are unique, even after a retake.
    public let number: Int
    /// The camera that captured the picture; `nil` if no camera of the session did.
    public let camera: CameraRole?

    /// Creates a picture.
    public init(number: Int, camera: CameraRole?) {
        self.number = number
        self.camera = camera
    }
}
