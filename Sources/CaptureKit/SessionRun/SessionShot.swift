// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A picture that a camera took for a session, encoded and not yet stored.
struct SessionShot: Sendable {
    /// The picture with its bytes.
    let still: Still
    /// The file's bytes.
    let bytes: [UInt8]
    /// What the bytes are.
    let format: StillFormat
    /// The pixels of a raw frame as they were before encoding, upright: crops are compressed once. `nil` if the camera
    /// compresses its frames, or the stage crops nothing.
    let pixels: StillPixels?
    /// How long the frame was on its way from the camera; `nil` where others were waited for.
    let latency: Duration?
    /// Of how many frames it was chosen.
    let bestOf: Int
    /// How sharp it is, where that was measured.
    let sharpness: Double?
    /// Exposure time and sensitivity, where the driver tells.
    let exposure: ExposureReading?
}
