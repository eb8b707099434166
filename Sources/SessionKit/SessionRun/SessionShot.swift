// Part of gst-capture. Apache License 2.0, see LICENSE.

import CameraKit
import CaptureKit
import CropKit
import StillKit

/// A picture that a camera captured for a session, encoded and not yet stored.
struct SessionShot: Sendable {
    /// The picture with its bytes.
    let still: Still
    /// The file's bytes.
    let bytes: [UInt8]
    /// The format of the bytes.
    let format: StillFormat
    /// The pixels of a raw frame as they were before encoding, upright: crops are compressed once. `nil` if the camera
    /// compresses its frames, or the stage crops nothing.
    let pixels: StillPixels?
    /// The time from the frame's capture to its choice; `nil` if the picture was chosen from several frames.
    let latency: Duration?
    /// The number of frames from which the picture was chosen.
    let bestOf: Int
    /// The sharpness of the frame, if measured.
    let sharpness: Double?
    /// The exposure time and the sensitivity, if the driver reports them.
    let exposure: ExposureReading?
}
