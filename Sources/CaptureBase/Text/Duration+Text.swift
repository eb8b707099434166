// Part of gst-capture. Apache License 2.0, see LICENSE.

import SystemBase

extension Duration {
    /// Reads `500ms`, `5s`, `1.5h`, `1h30m` or `250us`; a bare number is seconds.
    ///
    /// Units go from large to small, each at most once: `d`, `h`, `m`, `s`, `ms`, `us`.
    ///
    /// - Throws: ``CaptureError`` `.usage` if the text is not a duration, is negative, is finer than a nanosecond or is
    ///   longer than 292 years.
    public init(parsing text: String) throws(CaptureError) {
        do throws(InvalidValue) {
            self = try Self.parse(text)
        } catch {
            throw CaptureError(.usage, error.message, advice: error.advice)
        }
    }

    /// The duration in whole nanoseconds as text that ``init(parsing:)`` reads: `1h30m`, `1.5s`, `500ms`.
    ///
    /// A negative duration gets a minus sign, which ``init(parsing:)`` rejects.
    public var shortText: String {
        let nanoseconds = self.nanoseconds
        guard nanoseconds != 0 else { return "0s" }
        var rest = nanoseconds.magnitude
        var text = nanoseconds < 0 ? "-" : ""
        for unit in DurationUnit.all {
            if unit.nanoseconds > DurationUnit.second {
                if rest >= unit.nanoseconds { text += "\(rest / unit.nanoseconds)\(unit.name)" }
                rest %= unit.nanoseconds
            } else if rest >= unit.nanoseconds || (rest > 0 && unit.nanoseconds == DurationUnit.finest) {
                return text + Self.decimal(rest, over: unit.nanoseconds) + unit.name
            }
        }
        return text
    }

    /// The duration as a clock shows it, rounded to whole seconds: `0:05`, `12:34`, `1:02:03`. A negative one counts as zero.
    package var clockText: String {
        let seconds = Int((max(0, nanoseconds) / 500_000_000 + 1) / 2)
        let (hours, minutes) = (seconds / 3600, seconds / 60 % 60)
        let head = hours > 0 ? "\(hours):\(minutes.padded(to: 2))" : "\(minutes)"
        return "\(head):\((seconds % 60).padded(to: 2))"
    }

    /// Returns `nanoseconds / unit`. It ends within nine digits, since units of a second and less are powers of ten.
    private static func decimal(_ nanoseconds: UInt64, over unit: UInt64) -> String {
        var text = String(nanoseconds / unit)
        var rest = nanoseconds % unit
        if rest > 0 { text += "." }
        var digit = unit / 10
        while rest > 0, digit > 0 {
            text += String(rest / digit)
            rest %= digit
            digit /= 10
        }
        return text
    }
}

extension Duration {
    package static func parse(_ text: String) throws(InvalidValue) -> Duration {
        let bytes = Array(text.utf8)
        guard bytes.first != UInt8(ascii: "-") else { throw InvalidValue("a time cannot be negative") }
        var scanner = DurationScanner(bytes[...], text: text)
        return try scanner.duration()
    }
}

/// A unit of durations.
private struct DurationUnit {
    let name: String
    let nanoseconds: UInt64

    static let second: UInt64 = 1_000_000_000
    static let finest: UInt64 = 1000

    /// All units, from large to small.
    static let all = [
        DurationUnit(name: "d", nanoseconds: 86400 * second), DurationUnit(name: "h", nanoseconds: 3600 * second),
        DurationUnit(name: "m", nanoseconds: 60 * second), DurationUnit(name: "s", nanoseconds: second),
        DurationUnit(name: "ms", nanoseconds: 1_000_000), DurationUnit(name: "us", nanoseconds: finest),
    ]
}

/// Reads numbers with units from left to right.
private struct DurationScanner {
    private var rest: ArraySlice<UInt8>
    private let text: String

    init(_ bytes: ArraySlice<UInt8>, text: String) {
        rest = bytes
        self.text = text
    }

    mutating func duration() throws(InvalidValue) -> Duration {
        var total: UInt64 = 0
        var last = UInt64.max
        repeat {
            let number = try number()
            let name = String(decoding: scan { !$0.isDigit && $0 != UInt8(ascii: ".") }, as: UTF8.self)
            let isBare = name.isEmpty && last == .max && rest.isEmpty
            guard let unit = DurationUnit.all.first(where: { $0.name == (isBare ? "s" : name) }),
                unit.nanoseconds < last
            else { throw malformed }
            last = unit.nanoseconds
            let (sum, overflow) = total.addingReportingOverflow(try number.nanoseconds(unit, in: text))
            total = sum
            guard !overflow, total <= UInt64(Int64.max) else { throw DurationNumber.tooLong(text) }
        } while !rest.isEmpty
        return .nanoseconds(Int64(total))
    }

    private mutating func number() throws(InvalidValue) -> DurationNumber {
        let whole = scan { $0.isDigit }
        guard rest.first == UInt8(ascii: ".") else {
            if whole.isEmpty { throw malformed }
            return DurationNumber(whole: whole, fraction: [])
        }
        rest.removeFirst()
        let fraction = scan { $0.isDigit }
        if fraction.isEmpty || whole.isEmpty { throw malformed }
        return DurationNumber(whole: whole, fraction: fraction)
    }

    private mutating func scan(_ isPart: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        let part = rest.prefix(while: isPart)
        rest = rest.dropFirst(part.count)
        return part
    }

    private var malformed: InvalidValue {
        InvalidValue("\(text.quoted) is not a time", advice: "give one such as 500ms, 5s, 2m, 1h30m or 1d")
    }
}

/// A decimal number, as its digits.
private struct DurationNumber {
    let whole: ArraySlice<UInt8>
    let fraction: ArraySlice<UInt8>

    /// Returns the nanoseconds in this many units. The result is exact; otherwise the call throws.
    func nanoseconds(_ unit: DurationUnit, in text: String) throws(InvalidValue) -> UInt64 {
        var total: UInt64 = 0
        for digit in whole {
            let (tens, overflow) = total.multipliedReportingOverflow(by: 10)
            let (sum, carry) = tens.addingReportingOverflow(UInt64(digit - UInt8(ascii: "0")))
            guard !overflow, !carry else { throw Self.tooLong(text) }
            total = sum
        }
        let (product, overflow) = total.multipliedReportingOverflow(by: unit.nanoseconds)
        let (sum, carry) = product.addingReportingOverflow(try part(of: unit, in: text))
        guard !overflow, !carry else { throw Self.tooLong(text) }
        return sum
    }

    private func part(of unit: DurationUnit, in text: String) throws(InvalidValue) -> UInt64 {
        var (total, scale) = (UInt64(0), unit.nanoseconds)
        for digit in fraction where digit != UInt8(ascii: "0") || scale % 10 == 0 {
            guard scale % 10 == 0 else { throw InvalidValue("\(text.quoted) is finer than a nanosecond") }
            scale /= 10
            total += scale * UInt64(digit - UInt8(ascii: "0"))
        }
        return total
    }

    static func tooLong(_ text: String) -> InvalidValue {
        InvalidValue("\(text.quoted) is too long", advice: "give 292 years or less")
    }
}
