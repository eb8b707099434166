// Part of gst-capture. Apache License 2.0, see LICENSE.

/// Decides for each picture whether the automatic flash fires, by the mean luma of the frame before it.
///
/// The flash fires below ``dark``, and then until the frame is brighter than ``bright``: in a series whose light hovers
/// there, it does not alternate. The frame is one without the flash, so the flash has no influence on the next
/// decision. Pure.
package struct FlashDecision: Sendable {
    /// The flash fires below this mean luma, 0 black to 1 white.
    static let dark = 0.20
    /// A flash that fired for the picture before stops firing at this mean luma.
    static let bright = 0.30

    private var isDark = false

    package init() {}

    /// Returns `true` if the flash fires for the next picture.
    ///
    /// - Parameter brightness: The mean luma; `nil` if it cannot be measured, which leaves the decision unchanged.
    package mutating func fires(at brightness: Double?) -> Bool {
        guard let brightness else { return isDark }
        isDark = brightness < (isDark ? Self.bright : Self.dark)
        return isDark
    }
}
