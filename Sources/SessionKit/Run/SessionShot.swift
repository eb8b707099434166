// Part of gst-capture. Apache License 2.0, see LICENSE.

import CameraKit
import CaptureBase
import CropKit

/// An encoded picture that a camera or the library provided for a ``Taking``, not stored yet.
struct SessionShot: Sendable {
    /// The file's bytes, with their format and size.
    let picture: LibraryPicture
    /// The upright pixels of the raw frame, or else of the file, for the gates and the crop; `nil` before they are
    /// needed, and for a picture from the library.
    var pixels: StillPixels?
    /// The id of the camera; `nil` for a picture from the library.
    var camera: String?
    /// The moment of the frame, and its offset from zero, negative if the frame is earlier; `nil` for a picture from
    /// the library.
    var captured: WallTime?, offset: Duration?
    /// The time from the frame's capture to its choice; `nil` if the picture was chosen from several frames, or is from
    /// the library.
    var latency: Duration?
    /// The number of frames from which the picture was chosen.
    var bestOf = 1
    /// The sharpness of the frame; `nil` unless the picture was chosen from several frames.
    var sharpness: Double?
    /// The exposure time and the sensitivity; `nil` if the driver does not report them.
    var exposure: ExposureReading?
    /// The same moment, as further cameras saw it.
    var views: [(role: CameraRole, shot: SessionShot)] = []
}

extension SessionStill {
    /// Creates the entry of a picture whose file is stored.
    init(_ taking: Taking, _ shot: SessionShot, of stage: SessionStage, file: SessionFileRecord) {
        self.init(number: taking.number, stage: stage.name, file: file)
        (role, gates, origin) = (taking.role, taking.scores, taking.role == nil ? .library : .camera)
        outline = stage.outline.flatMap { name in taking.geometry.map { SessionOutline(name, on: $0) } }
        (source, camera) = (shot.picture.path, shot.camera)
        (taken, offset, latency) = (shot.captured?.iso8601, shot.offset, shot.latency)
        (bestOf, sharpness) = (shot.bestOf, shot.sharpness)
        (exposureTime, sensitivity) = (shot.exposure?.time, shot.exposure?.sensitivity)
    }
}
