// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The frame rates that a camera offers at one size.
public enum FrameRates: Sendable, Hashable {
    /// These rates only, fastest first; empty if the driver reports none.
    case discrete([FrameRate])
    /// Any rate between two, both included.
    case range(ClosedRange<FrameRate>)

    /// The driver reports no rates.
    public static let unknown = FrameRates.discrete([])

    /// The fastest rate; `nil` if none is known.
    public var fastest: FrameRate? {
        switch self {
        case .discrete(let rates): rates.max()
        case .range(let range): range.upperBound
        }
    }

    /// `true` if the camera offers the rate. A driver that reports no rates is assumed to accept every rate.
    public func contains(_ rate: FrameRate) -> Bool {
        switch self {
        case .discrete(let rates): rates.isEmpty || rates.contains(rate)
        case .range(let range): range.contains(rate)
        }
    }

    /// Returns the offered rate nearest to `wanted`, the faster of two equally near; `nil` if none is known.
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
