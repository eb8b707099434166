// Part of gst-capture. Apache License 2.0, see LICENSE.

/// An sRGB color with opacity, not premultiplied. Each channel is clamped to 0...1; NaN becomes 0.
public struct Color: Sendable, Hashable {
    /// The red channel.
    public var red: Double { didSet { red = red.clampedToUnit } }
    /// The green channel.
    public var green: Double { didSet { green = green.clampedToUnit } }
    /// The blue channel.
    public var blue: Double { didSet { blue = blue.clampedToUnit } }
    /// The opacity: 0 is transparent, 1 opaque.
    public var alpha: Double { didSet { alpha = alpha.clampedToUnit } }

    /// Creates a color and clamps its channels to 0...1.
    public init(red: Double, green: Double, blue: Double, alpha: Double = 1) {
        self.red = red.clampedToUnit
        self.green = green.clampedToUnit
        self.blue = blue.clampedToUnit
        self.alpha = alpha.clampedToUnit
    }

    /// Opaque white.
    public static let white = Color(red: 1, green: 1, blue: 1)
    /// Opaque black.
    public static let black = Color(red: 0, green: 0, blue: 0)
}

extension Double {
    /// The number clamped to 0...1; 0 for NaN.
    var clampedToUnit: Double { isNaN ? 0 : Swift.min(1, Swift.max(0, self)) }

    /// Returns the number rounded up, at most `limit`; 0 for negative numbers and NaN.
    func roundedUp(limit: Int) -> Int { self > 0 ? Int(Swift.min(rounded(.up), Double(limit))) : 0 }
}
