// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A color of sRGB with its opacity, not premultiplied. Each channel is in 0...1: a value outside becomes the nearest one
/// inside, and NaN becomes 0.
public struct Color: Sendable, Hashable {
    /// The share of red.
    public var red: Double { didSet { red = red.clampedToUnit } }
    /// The share of green.
    public var green: Double { didSet { green = green.clampedToUnit } }
    /// The share of blue.
    public var blue: Double { didSet { blue = blue.clampedToUnit } }
    /// 0 is clear, 1 opaque.
    public var alpha: Double { didSet { alpha = alpha.clampedToUnit } }

    /// Mixes a color.
    public init(red: Double, green: Double, blue: Double, alpha: Double = 1) {
        self.red = red.clampedToUnit
        self.green = green.clampedToUnit
        self.blue = blue.clampedToUnit
        self.alpha = alpha.clampedToUnit
    }

    /// All light.
    public static let white = Color(red: 1, green: 1, blue: 1)
    /// No light.
    public static let black = Color(red: 0, green: 0, blue: 0)
}

extension Double {
    /// The nearest number in 0...1; 0 for NaN.
    var clampedToUnit: Double { isNaN ? 0 : Swift.min(1, Swift.max(0, self)) }

    /// The nearest integer above, in 0...`limit`; 0 for NaN.
    func roundedUp(limit: Int) -> Int { self > 0 ? Int(Swift.min(rounded(.up), Double(limit))) : 0 }
}
