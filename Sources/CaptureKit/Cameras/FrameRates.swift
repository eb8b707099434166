// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The frame rates a camera offers at one size.
public enum FrameRates: Sendable, Hashable {
    /// Just these, fastest first. None where the driver does not say.
    case discrete([FrameRate])
    /// Any between two, both included.
    case range(ClosedRange<FrameRate>)

    /// The driver does not say.
    public static let unknown = FrameRates.discrete([])

    /// The fastest, if any is known.
    public var fastest: FrameRate? {
        switch self {
        case .discrete(let rates): rates.max()
        case .range(let range): range.upperBound
        }
    }

    /// True where the rate is offered. A driver that names none is taken to refuse none.
    public func contains(_ rate: FrameRate) -> Bool {
        switch self {
        case .discrete(let rates): rates.isEmpty || rates.contains(rate)
        case .range(let range): range.contains(rate)
        }
    }

    /// The offered rate that is nearest to a wanted one; of two equally near, the faster.
    public func nearest(to wanted: FrameRate) -> FrameRate? {
        switch self {
        case .discrete(let rates):
            func distance(_ rate: FrameRate) -> Double { abs(rate.doubleValue - wanted.doubleValue) }
            return rates.min { (distance($0), $1) < (distance($1), $0) }
        case .range(let range):
            return min(max(wanted, range.lowerBound), range.upperBound)
        }
    }
}
