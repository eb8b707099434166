// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A colour of sRGB with its opacity, each 0 to 1, not premultiplied.
public struct Color: Sendable, Hashable {
    /// The share of red.
    public var red: Double
    /// The share of green.
    public var green: Double
    /// The share of blue.
    public var blue: Double
    /// 0 is clear, 1 opaque.
    public var alpha: Double

    /// Mixes a colour; what lies outside of 0...1 is brought there.
    public init(red: Double, green: Double, blue: Double, alpha: Double = 1) {
        self.red = Self.clamp(red)
        self.green = Self.clamp(green)
        self.blue = Self.clamp(blue)
        self.alpha = Self.clamp(alpha)
    }

    /// All light.
    public static let white = Color(red: 1, green: 1, blue: 1)
    /// No light.
    public static let black = Color(red: 0, green: 0, blue: 0)

    // No number is no colour either.
    private static func clamp(_ value: Double) -> Double { value.isNaN ? 0 : min(1, max(0, value)) }
}
