// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A ratio of two integers, as frame rates and pixel aspect ratios are given (`GST_TYPE_FRACTION`).
public struct Fraction: Sendable, Hashable {
    /// Above the line.
    public var numerator: Int32
    /// Below the line; never 0 where GStreamer gives it.
    public var denominator: Int32

    /// Creates a fraction as it is given; it is not reduced.
    public init(_ numerator: Int32, _ denominator: Int32) {
        self.numerator = numerator
        self.denominator = denominator
    }

    /// The quotient; 0 where the denominator is 0.
    public var doubleValue: Double { denominator == 0 ? 0 : Double(numerator) / Double(denominator) }
}

extension Fraction: CustomStringConvertible {
    /// `30/1`.
    public var description: String { "\(numerator)/\(denominator)" }
}
