// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A picture that a camera took for a session, encoded and not yet stored.
struct SessionShot: Sendable {
    /// The picture with its bytes.
    let still: Still
    /// The file's bytes.
    let bytes: [UInt8]
    /// What the bytes are.
    let format: StillFormat
    /// How long the frame was on its way from the camera.
    let latency: Duration
    /// Of how many frames it was chosen.
    var bestOf = 1
    /// How sharp it is, where that was measured.
    var sharpness: Double?
    /// Exposure time and sensitivity, where the driver tells.
    let exposure: ExposureReading?
}
