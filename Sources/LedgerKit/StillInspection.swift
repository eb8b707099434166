// Part of gst-capture. Apache License 2.0, see LICENSE.

/// Measurements of a picture for the ledger.
public struct StillInspection: Sendable, Hashable {
    /// The mean luma of the camera's frame, 0 black to 1 white; `nil` if its format cannot be measured.
    public let brightness: Double?
    /// The amount of fine detail in the camera's frame: the variance of the Laplacian of its luma, which falls when a
    /// picture is out of focus. Compare it within a series only. `nil` as ``brightness``.
    public let sharpness: Double?
    /// The SHA-256 of the file, 64 hexadecimal digits.
    public package(set) var sha256: String
    /// The controls in force, as a JSON object; `nil` if they are unknown.
    public let controls: String?

    package init(
        brightness: Double?, sharpness: Double?, sha256: String, controls: String?
    ) {
        self.brightness = brightness
        self.sharpness = sharpness
        self.sha256 = sha256
        self.controls = controls
    }
}
