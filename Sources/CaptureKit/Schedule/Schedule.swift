// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// When pictures are due, counted from an anchor: slot k is due at anchor + k × interval, whatever happened before.
///
/// A late shot never moves the next. Or there are no such slots, and each picture is asked for.
public struct Schedule: Sendable, Hashable {
    /// The time from one slot to the next; `nil` for a single slot.
    public let interval: Duration?
    /// How many slots there are; `nil` for no end by number.
    public let count: Int?
    /// Slots due this long after the anchor, or later, are no more; `nil` for no end by time.
    public let length: Duration?

    /// True where nothing is due by itself; then `count` and `length` say when enough was asked for.
    public let isOnRequest: Bool

    private init(interval: Duration?, count: Int?, length: Duration?, isOnRequest: Bool = false) {
        self.interval = interval
        self.count = count
        self.length = length
        self.isOnRequest = isOnRequest
    }

    /// One picture.
    public static let single = Schedule(interval: nil, count: 1, length: nil)

    /// A picture whenever one is asked for (``CaptureController/trigger()``).
    ///
    /// - Parameters:
    ///   - count: The number of pictures after which it ends, if that ends it.
    ///   - length: The time after which it ends, if that ends it.
    public static func onRequest(count: Int? = nil, for length: Duration? = nil) -> Schedule {
        Schedule(interval: nil, count: count.map { max(1, $0) }, length: length, isOnRequest: true)
    }

    /// A picture every `interval`, which is at least a millisecond.
    ///
    /// - Parameters:
    ///   - count: The number of slots, if that ends it.
    ///   - length: The time after which no slot is due, if that ends it.
    public static func every(_ interval: Duration, count: Int? = nil, for length: Duration? = nil) -> Schedule {
        Schedule(interval: max(interval, .milliseconds(1)), count: count.map { max(1, $0) }, length: length)
    }

    /// How long after the anchor a slot is due; `nil` where there is no such slot.
    public func offset(of index: Int) -> Duration? {
        guard !isOnRequest, index >= 0, index < count ?? .max else { return nil }
        guard let interval else { return index == 0 ? .zero : nil }
        let offset = interval.multiplied(by: index)
        if let offset, let length, offset >= length { return nil }
        return offset
    }

    /// The last slot that is due at `elapsed` after the anchor; `nil` before the first.
    func lastIndex(dueBy elapsed: Duration) -> Int? {
        guard !isOnRequest, elapsed >= .zero else { return nil }
        guard let interval else { return 0 }
        let index = Int(clamping: elapsed.nanoseconds / interval.nanoseconds)
        return min(index, lastIndex ?? index)
    }

    /// True where there is one picture at most.
    var isOnePicture: Bool { isOnRequest ? count == 1 : total == 1 }

    /// How many slots there are in all; `nil` where there is no end, or they are asked for.
    public var total: Int? { isOnRequest ? nil : lastIndex.map { $0 + 1 } }

    private var lastIndex: Int? {
        guard let interval else { return 0 }
        let byLength = length.map { Int(clamping: max(0, $0.nanoseconds - 1) / interval.nanoseconds) }
        return [count.map { $0 - 1 }, byLength].compactMap { $0 }.min()
    }
}

extension Duration {
    /// `nil` where the product is beyond what nanoseconds in 64 bits hold.
    fileprivate func multiplied(by factor: Int) -> Duration? {
        let (product, overflow) = nanoseconds.multipliedReportingOverflow(by: Int64(clamping: factor))
        return overflow ? nil : .nanoseconds(product)
    }
}
