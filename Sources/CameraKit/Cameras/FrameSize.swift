// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A size of frames that a camera offers, or a range of sizes, with its frame rates.
public struct FrameSize: Sendable, Hashable {
    /// The width in pixels: one number, or a range if the camera scales.
    public let widths: SteppedRange
    /// The height in pixels: one number, or a range if the camera scales.
    public let heights: SteppedRange
    /// The frame rates; for a range of sizes, those at the largest size.
    public let rates: FrameRates

    /// Creates a size.
    public init(_ width: Int, _ height: Int, rates: FrameRates = .unknown) {
        self.init(SteppedRange(width), SteppedRange(height), rates: rates)
    }

    /// Creates a range of sizes.
    public init(_ widths: SteppedRange, _ heights: SteppedRange, rates: FrameRates = .unknown) {
        self.widths = widths
        self.heights = heights
        self.rates = rates
    }

    /// The largest width, in pixels.
    public var width: Int { widths.upperBound }
    /// The largest height, in pixels.
    public var height: Int { heights.upperBound }
    /// The number of pixels of the largest size; `Int.max` instead of an overflow.
    public var area: Int {
        let (product, overflow) = width.multipliedReportingOverflow(by: height)
        return overflow ? Int.max : product
    }
    /// `true` for one size, `false` for a range.
    public var isSingle: Bool { widths.isSingle && heights.isSingle }

    /// `true` if the camera offers this width and height.
    public func contains(width: Int, height: Int) -> Bool {
        widths.contains(width) && heights.contains(height)
    }
}

extension FrameSize: CustomStringConvertible {
    /// `640x480`, or `16-1920/8x16-1080/8` for a range.
    public var description: String { "\(widths)x\(heights)" }
}
