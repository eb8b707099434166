// Part of gst-capture. Apache License 2.0, see LICENSE.

/// Frames a second as a fraction, as in GStreamer and V4L2: 29.97 is 30000/1001.
public struct FrameRate: Sendable, Hashable {
    /// The number of frames.
    public let numerator: Int
    /// The number of seconds; at least 1.
    public let denominator: Int

    /// Creates a frame rate, reduced to lowest terms.
    ///
    /// - Returns: `nil` if the rate is not positive, or if a part does not fit GStreamer's 32-bit fractions.
    public init?(_ numerator: Int, _ denominator: Int = 1) {
        guard numerator > 0, denominator > 0 else { return nil }
        let divisor = Self.greatestCommonDivisor(numerator, denominator)
        self.numerator = numerator / divisor
        self.denominator = denominator / divisor
        guard self.numerator <= Int(Int32.max), self.denominator <= Int(Int32.max) else { return nil }
    }

    /// Reads `30`, `30/1`, `29.97` or `0.5`.
    ///
    /// The decimal names of the NTSC rates (23.976, 29.97, 59.94, …) mean the exact fraction, such as 30000/1001.
    ///
    /// - Returns: `nil` if the text is not a frame rate.
    public init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        switch parts.count {
        case 1: self.init(decimal: parts[0])
        case 2:
            guard let frames = Self.digits(parts[0]), let seconds = Self.digits(parts[1]) else { return nil }
            self.init(frames, seconds)
        default: return nil
        }
    }

    /// Frames a second.
    public var doubleValue: Double { Double(numerator) / Double(denominator) }

    private init?(decimal text: some StringProtocol) {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let whole = Self.digits(parts[0]) else { return nil }
        guard parts.count == 2 else {
            self.init(whole)
            return
        }
        guard let fraction = Self.digits(parts[1]), parts[1].utf8.count <= 6 else { return nil }
        let scale = (0..<parts[1].utf8.count).reduce(1) { scale, _ in scale * 10 }
        let (scaled, overflow) = whole.multipliedReportingOverflow(by: scale)
        guard !overflow, scaled <= Int.max - fraction else { return nil }
        self.init(decimal: scaled + fraction, scale: scale)
    }

    /// Reads rates near 24, 30, 60 and 120 divided by 1.001 as these fractions if they have two decimals or more.
    private init?(decimal value: Int, scale: Int) {
        let rate = Double(value) / Double(scale)
        let nominal = (rate * 1.001).rounded()
        if scale >= 100, [24, 30, 60, 120].contains(nominal), abs(nominal / 1.001 - rate) < 0.006 {
            self.init(Int(nominal) * 1000, 1001)
        } else {
            self.init(value, scale)
        }
    }

    private static func digits(_ text: some StringProtocol) -> Int? {
        text.utf8.allSatisfy { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") } ? Int(text) : nil
    }

    private static func greatestCommonDivisor(_ first: Int, _ second: Int) -> Int {
        var (larger, smaller) = (first, second)
        while smaller != 0 { (larger, smaller) = (smaller, larger % smaller) }
        return larger
    }
}

extension FrameRate: Comparable {
    /// Orders rates from slow to fast.
    public static func < (first: FrameRate, second: FrameRate) -> Bool {
        first.numerator * second.denominator < second.numerator * first.denominator
    }
}

extension FrameRate: CustomStringConvertible {
    /// The rate as GStreamer writes it in caps: `30/1`.
    public var description: String { "\(numerator)/\(denominator)" }
}
