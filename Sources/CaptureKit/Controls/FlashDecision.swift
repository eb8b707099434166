// Part of gst-capture. Apache License 2.0, see LICENSE.

/// Decides from picture to picture if the automatic flash fires, by the mean luma of the frame before the picture.
///
/// It fires below ``dark``. A series whose light hovers there does not alternate: once the flash fires, it does so until the
/// frame is brighter than ``bright``. The frame is one without the flash, so the flash has no influence on the next
/// decision. Pure.
struct FlashDecision: Sendable {
    /// Below this mean luma, 0 black to 1 white, the flash fires.
    static let dark = 0.20
    /// At this mean luma, a flash that fired for the picture before does not fire any more.
    static let bright = 0.30

    private var isDark = false

    /// True if the flash fires for the next picture.
    ///
    /// - Parameter brightness: The mean luma; `nil` if it cannot be measured: the decision stays as it was.
    mutating func fires(at brightness: Double?) -> Bool {
        guard let brightness else { return isDark }
        isDark = brightness < (isDark ? Self.bright : Self.dark)
        return isDark
    }
}
