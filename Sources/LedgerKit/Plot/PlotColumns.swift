// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// The least, the greatest and the mean of numbers.
struct PlotRange: Sendable, Hashable {
    private(set) var count = 0
    private(set) var least = Double.infinity, greatest = -Double.infinity
    private var sum = 0.0

    /// The mean; `nil` without numbers.
    var mean: Double? { count == 0 ? nil : sum / Double(count) }

    mutating func add(_ value: Double) {
        guard value.isFinite else { return }
        count += 1
        (least, greatest, sum) = (min(least, value), max(greatest, value), sum + value)
    }

    mutating func add(_ other: PlotRange) {
        guard other.count > 0 else { return }
        count += other.count
        (least, greatest, sum) = (min(least, other.least), max(greatest, other.greatest), sum + other.sum)
    }
}

/// The slots of an equal part of the time that a plot shows.
struct PlotColumn: Sendable, Hashable {
    /// The numbers of slots by their outcome. A late picture is in both of the first two.
    var captured = 0, late = 0, missed = 0, failed = 0
    /// The distances of pictures from their due moments, in milliseconds.
    var error = PlotRange()
    /// The mean luma of pictures, from 0 to 1.
    var brightness = PlotRange()
    /// The exposure times, in seconds.
    var exposure = PlotRange()
    /// The bytes of the pictures that exist.
    var byteCount = 0

    /// Adds a slot.
    mutating func add(_ line: LedgerReader.Line) {
        switch line.entry.outcome {
        case .captured(let still):
            captured += 1
            late += still.isLate ? 1 : 0
            error.add(still.errorMilliseconds)
            if let value = still.brightness { brightness.add(value) }
            if let time = still.exposureTime { exposure.add(time) }
            if line.removal == nil, !line.isReplaced { byteCount += still.byteCount }
        case .missed: missed += 1
        case .failed: failed += 1
        }
    }
}

extension LedgerStill {
    /// The exposure time in ``controls``, in seconds; `nil` if the camera did not report it.
    fileprivate var exposureTime: Double? {
        guard let controls, controls.utf8.count <= 1 << 16,
            let node = try? JSONNode(controls, path: "controls", levels: 4, mostValues: 1000),
            let time = try? node.optionalNumber("exposure_time_s"), time > 0
        else { return nil }
        return time
    }
}

/// The slots of a ledger in columns of equal time. Their number bounds the memory, however many slots there are.
struct PlotColumns: Sendable {
    /// The time, in nanoseconds since 1970.
    let span: ClosedRange<Int64>
    private(set) var columns: [PlotColumn]

    /// - Parameter count: The number of columns, from 1.
    init(_ span: ClosedRange<Int64>, count: Int) {
        (self.span, columns) = (span, Array(repeating: PlotColumn(), count: count))
    }

    /// Adds a line. The slots that were missed together are spread over their time.
    mutating func add(_ line: LedgerReader.Line) {
        let (first, last) = (index(line.entry.due), index(line.entry.lastDue))
        guard case .missed = line.entry.outcome, last > first else { return columns[first].add(line) }
        let (count, width) = (line.entry.slots.count, last - first + 1)
        // Each column in between was due, even if there are fewer slots than columns: the gap is whole.
        for column in first...last { columns[column].missed += max(1, count / width) }
    }

    private func index(_ time: WallTime) -> Int {
        let length = Double(span.upperBound - span.lowerBound)
        guard length > 0 else { return 0 }
        let part = Double(time.nanosecondsSince1970 - span.lowerBound) / length
        return min(columns.count - 1, max(0, Int(part * Double(columns.count))))
    }
}
