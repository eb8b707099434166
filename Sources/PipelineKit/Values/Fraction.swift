// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A ratio of two integers, such as a frame rate or a pixel aspect ratio (`GST_TYPE_FRACTION`).
public struct Fraction: Sendable, Hashable {
    /// The number above the line.
    public var numerator: Int32
    /// The number below the line; never 0 in a fraction from GStreamer.
    public var denominator: Int32

    /// Creates a fraction, without reducing it.
    public init(_ numerator: Int32, _ denominator: Int32) {
        self.numerator = numerator
        self.denominator = denominator
    }

    /// The quotient; 0 if the denominator is 0.
    public var doubleValue: Double { denominator == 0 ? 0 : Double(numerator) / Double(denominator) }
}

extension Fraction: CustomStringConvertible {
    /// The notation `30/1`.
    public var description: String { "\(numerator)/\(denominator)" }
}
