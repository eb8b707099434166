// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import SystemBase

/// Numbers and times in words.
package enum Wording {
    /// Returns a size with three significant digits and a decimal unit, such as `1.25 GB`.
    package static func bytes(_ count: Int) -> String {
        ByteSize.text(count)
    }

    /// Returns a duration in its two largest units: `850 ms`, `3.2 s`, `4 min 05 s`, `2 h 10 min`, `3 d 04 h`.
    package static func span(_ duration: Duration) -> String {
        let nanoseconds = max(0, duration.nanoseconds)
        if nanoseconds < 999_500_000 { return "\((nanoseconds + 500_000) / 1_000_000) ms" }
        if nanoseconds < 59_950_000_000 { return decimal(Double(nanoseconds) / 1e9, digits: 1) + " s" }
        let seconds = nanoseconds / 1_000_000_000 + (nanoseconds % 1_000_000_000 >= 500_000_000 ? 1 : 0)
        if seconds < 3600 { return two(seconds / 60, "min", seconds % 60, "s") }
        if seconds < 86400 { return two(seconds / 3600, "h", seconds % 3600 / 60, "min") }
        return two(seconds / 86400, "d", seconds % 86400 / 3600, "h")
    }

    /// Returns a signed offset in milliseconds, such as `+4 ms`.
    package static func offset(_ duration: Duration) -> String {
        let milliseconds = (Double(duration.nanoseconds) / 1e6).rounded()
        return (milliseconds < 0 ? "-" : "+") + "\(Int(abs(milliseconds))) ms"
    }

    /// `1 picture`, `2 pictures`.
    package static func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }

    private static func two(_ large: Int64, _ unit: String, _ small: Int64, _ smallUnit: String) -> String {
        guard small > 0 else { return "\(large) \(unit)" }
        return "\(large) \(unit) " + (small < 10 ? "0" : "") + "\(small) \(smallUnit)"
    }

    private static func decimal(_ value: Double, digits: Int) -> String {
        var scale = 1
        for _ in 0..<digits { scale *= 10 }
        let scaled = Int((value * Double(scale)).rounded())
        let fraction = String(scaled % scale)
        let zeros = String(repeating: "0", count: digits - fraction.count * (digits > 0 ? 1 : 0))
        return digits == 0 || scaled % scale == 0 ? "\(scaled / scale)" : "\(scaled / scale).\(zeros)\(fraction)"
    }
}
