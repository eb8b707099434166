// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

extension Duration {
    /// Reads a time such as `500ms`, `5s`, `1h30m` or `2d`; a bare number is seconds.
    ///
    /// - Returns: `nil` for anything else, negative times, and more than 100 years.
    public init?(text: some StringProtocol) {
        if let seconds = Self.number(Substring(text)) {
            guard let duration = Self.seconds(seconds, times: 1) else { return nil }
            self = duration
            return
        }
        var (rest, sum) = (Substring(text), Duration.zero)
        guard !rest.isEmpty else { return nil }
        while !rest.isEmpty {
            let digits = rest.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
            let unit = rest.dropFirst(digits.count).prefix { $0.isASCII && $0.isLetter }
            guard let number = Self.number(digits), let scale = Self.units[String(unit)],
                let part = Self.seconds(number, times: scale)
            else { return nil }
            sum += part
            rest = rest.dropFirst(digits.count + unit.count)
        }
        guard sum <= Self.longest else { return nil }
        self = sum
    }

    private static let longest = Duration.seconds(100 * 366 * 86400)

    private static let units: [String: Double] = [
        "us": 1e-6, "ms": 1e-3, "s": 1, "sec": 1, "m": 60, "min": 60, "h": 3600, "d": 86400,
    ]

    private static func number(_ text: Substring) -> Double? {
        guard let first = text.utf8.first, (0x30...0x39).contains(first), text.utf8.count <= 20,
            text.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2E })
        else { return nil }
        return Double(text)
    }

    private static func seconds(_ number: Double, times scale: Double) -> Duration? {
        let seconds = number * scale
        guard seconds.isFinite, seconds < 100 * 366 * 86400.0 else { return nil }
        return .nanoseconds(Int64((seconds * 1e9).rounded()))
    }
}
