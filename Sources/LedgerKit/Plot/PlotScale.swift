// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Glibc

/// The axis of values of a panel.
struct PlotScale: Sendable, Hashable {
    let range: ClosedRange<Double>
    let isLogarithmic: Bool
    /// The values with a line and a label, from the least on.
    let ticks: [Double]

    /// Returns a scale from 0 that has round ticks.
    static func linear(to greatest: Double) -> PlotScale { linear(0...max(greatest, .leastNormalMagnitude)) }

    /// Returns a scale with round ticks at both ends.
    static func linear(_ values: ClosedRange<Double>, most: Int = 4) -> PlotScale {
        let step = roundStep(over: (values.upperBound - values.lowerBound) / Double(most))
        let first = (values.lowerBound / step).rounded(.down)
        let last = max(first + 1, (values.upperBound / step).rounded(.up))
        let ticks = stride(from: first, through: last, by: 1).map { $0 * step }
        return PlotScale(range: first * step...last * step, isLogarithmic: false, ticks: ticks)
    }

    /// Returns a scale of powers of ten.
    ///
    /// - Parameter values: Values above 0.
    static func logarithmic(_ values: ClosedRange<Double>) -> PlotScale {
        let first = Int(log10(values.lowerBound).rounded(.down))
        let last = max(first + 1, Int(log10(values.upperBound).rounded(.up)))
        let ticks = (first...last).map { pow(10, Double($0)) }
        return PlotScale(range: ticks[0]...ticks[ticks.count - 1], isLogarithmic: true, ticks: ticks)
    }

    /// Returns the place of a value: 0 at the least one, 1 at the greatest one.
    func place(_ value: Double) -> Double {
        let value = min(range.upperBound, max(range.lowerBound, value))
        guard isLogarithmic else { return (value - range.lowerBound) / (range.upperBound - range.lowerBound) }
        return log10(value / range.lowerBound) / log10(range.upperBound / range.lowerBound)
    }

    /// Returns 1, 2 or 5 times a power of ten that is at least this large.
    private static func roundStep(over least: Double) -> Double {
        guard least.isFinite, least > 1e-300 else { return 1 }
        let power = pow(10, log10(least).rounded(.down))
        return ([1, 2, 5, 10].first { $0 * power >= least * (1 - 1e-9) } ?? 10) * power
    }
}

/// The moments with a line and a label below a plot.
struct PlotTicks: Sendable {
    /// Moments in nanoseconds since 1970, with their labels.
    let moments: [(time: Int64, label: String)]

    /// Steps in seconds: 1, 2, 5, 10, 15 and 30 seconds and minutes, hours, days.
    private static let steps: [Int64] =
        [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200]
        + [1, 2, 5, 10, 20, 50, 100, 200, 365, 730, 1825, 3650, 18250, 36500].map { $0 * 86400 }

    /// Returns at most as many ticks as fit, on round times of a zone.
    ///
    /// - Parameters:
    ///   - span: Nanoseconds since 1970.
    ///   - offset: That of the zone, in seconds east of UTC.
    init(_ span: ClosedRange<Int64>, offset: Int, most: Int) {
        let (first, last) = (span.lowerBound / 1_000_000_000, span.upperBound / 1_000_000_000)
        let step = Self.steps.first { (last - first) / $0 <= Int64(most) } ?? 36500 * 86400
        let local = first + Int64(offset)
        // Rounded up, also for times before 1970.
        var time = local - ((local % step) + step) % step
        if time < local { time += step }
        var moments: [(Int64, String)] = []
        while time - Int64(offset) <= last, moments.count <= most {
            let moment = WallTime(nanosecondsSince1970: (time - Int64(offset)) * 1_000_000_000, utcOffset: offset)
            let form = step >= 86400 ? "%Y-%m-%d" : step >= 60 ? (time % 86400 == 0 ? "%b %d" : "%H:%M") : "%H:%M:%S"
            moments.append(((time - Int64(offset)) * 1_000_000_000, moment.formatted(form) ?? ""))
            time += step
        }
        self.moments = moments
    }
}
