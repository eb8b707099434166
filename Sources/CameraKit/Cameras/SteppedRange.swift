// Part of gst-capture. Apache License 2.0, see LICENSE.

/// Whole numbers from a smallest to a largest, in steps: `16, 24, 32, …, 1920`.
public struct SteppedRange: Sendable, Hashable {
    /// The smallest.
    public let lowerBound: Int
    /// The largest, a whole number of steps above the smallest.
    public let upperBound: Int
    /// The distance from one number to the next; at least 1.
    public let step: Int

    /// Creates a range. Swaps bounds in the wrong order and raises a step below 1 to 1, because drivers report such
    /// values.
    public init(_ lowerBound: Int, through upperBound: Int, step: Int = 1) {
        self.step = max(step, 1)
        self.lowerBound = min(lowerBound, upperBound)
        let (span, overflow) = max(lowerBound, upperBound).subtractingReportingOverflow(self.lowerBound)
        self.upperBound = overflow ? Int.max : self.lowerBound + span / self.step * self.step
    }

    /// Creates a range of one number.
    public init(_ only: Int) {
        self.init(only, through: only)
    }

    /// `true` for a single number.
    public var isSingle: Bool { lowerBound == upperBound }

    /// `true` if the range contains the number.
    public func contains(_ number: Int) -> Bool {
        number >= lowerBound && number <= upperBound && (number - lowerBound).isMultiple(of: step)
    }

    /// Returns the number of the range nearest to `wanted`; the larger of two equally near.
    public func nearest(to wanted: Int) -> Int {
        guard wanted > lowerBound else { return lowerBound }
        guard wanted < upperBound else { return upperBound }
        let below = lowerBound + (wanted - lowerBound) / step * step
        return wanted - below < step - (wanted - below) ? below : below + step
    }
}

extension SteppedRange: CustomStringConvertible {
    /// The range as text: `640`, or `16-1920`, or `16-1920/8` in steps of 8.
    public var description: String {
        if isSingle { return "\(lowerBound)" }
        return "\(lowerBound)-\(upperBound)" + (step > 1 ? "/\(step)" : "")
    }
}
