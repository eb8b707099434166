// Part of gst-capture. Apache License 2.0, see LICENSE.

/// Sizes as people write and read them: `500MB`, `1.5 GB`, `64MiB`.
public enum ByteSize {
    /// Returns a size with three significant digits and a decimal unit, such as `1.25 GB`.
    public static func text(_ count: Int) -> String {
        let names = ["B", "kB", "MB", "GB", "TB", "PB", "EB"]
        var (value, unit) = (Double(count), 0)
        while value >= 999.5, unit < names.count - 1 {
            value /= 1000
            unit += 1
        }
        guard unit > 0 else { return "\(count) B" }
        let scale = value < 9.995 ? 100 : value < 99.95 ? 10 : 1
        let scaled = Int((value * Double(scale)).rounded())
        let (whole, fraction) = (scaled / scale, scaled % scale)
        // The added leading digit keeps the zeros of the fraction.
        let digits = String(scale + fraction).dropFirst()
        return "\(whole)" + (fraction == 0 ? "" : ".\(digits)") + " " + names[unit]
    }

    private static let units: [(name: String, bytes: Int)] = [
        ("b", 1), ("kb", 1000), ("mb", 1_000_000), ("gb", 1_000_000_000), ("tb", 1_000_000_000_000),
        ("pb", 1_000_000_000_000_000), ("kib", 1 << 10), ("mib", 1 << 20), ("gib", 1 << 30), ("tib", 1 << 40),
        ("pib", 1 << 50),
    ]

    /// Parses a size and rounds it down to whole bytes. A bare number is rejected because its unit is unclear, unless
    /// it is 0.
    package static func parse(_ text: String) throws(InvalidValue) -> Int {
        if text == "0" { return 0 }
        let digits = text.utf8.prefix { $0.isDigit || $0 == UInt8(ascii: ".") }
        let unit = text.utf8.dropFirst(digits.count).drop { $0 == UInt8(ascii: " ") }
        let name = String(decoding: unit, as: UTF8.self).lowercased()
        guard let number = Decimal(digits), let bytes = units.first(where: { $0.name == name })?.bytes else {
            throw InvalidValue("\(text.quoted) is no size", advice: "give one such as 500MB, 1.5GB or 64MiB")
        }
        guard let size = number.times(bytes) else {
            throw InvalidValue("\(text.quoted) is too large", advice: "give 9000PB or less")
        }
        return size
    }

    /// Parses `10%` as a fraction of 1, from 0 to below 1; `nil` if there is no percent sign.
    package static func parseShare(_ text: String) throws(InvalidValue) -> Double? {
        guard text.utf8.last == UInt8(ascii: "%") else { return nil }
        let digits = text.utf8.dropLast().prefix { $0.isDigit || $0 == UInt8(ascii: ".") }
        guard digits.count == text.utf8.count - 1, digits.count < 16, Decimal(digits) != nil,
            let percent = Double(String(decoding: digits, as: UTF8.self)), percent < 100
        else {
            throw InvalidValue("\(text.quoted) is no share of a disk", advice: "give 0% to 99%")
        }
        return percent / 100
    }
}

/// A decimal number such as `12` or `1.5`, without rounding.
private struct Decimal {
    private let whole: Int
    /// The digits after the point as a number, and the power of ten that divides them.
    private let fraction: (digits: UInt64, divisor: UInt64)

    /// Parses digits with at most one point between them; `nil` for any other text, and for more than 18 digits on a
    /// side.
    init?(_ text: Substring.UTF8View) {
        let whole = text.prefix { $0 != UInt8(ascii: ".") }
        let rest = text.dropFirst(whole.count)
        guard !whole.isEmpty, whole.count <= 18, rest.count != 1,
            let number = Int(String(decoding: whole, as: UTF8.self))
        else { return nil }
        let digits = rest.dropFirst()
        guard digits.count <= 18, digits.allSatisfy(\.isDigit) else { return nil }
        self.whole = number
        fraction = digits.reduce((digits: 0, divisor: 1)) {
            ($0.digits * 10 + UInt64($1 - UInt8(ascii: "0")), $0.divisor * 10)
        }
    }

    /// Returns the product, rounded down to a whole number; `nil` if it exceeds 64 bits.
    func times(_ unit: Int) -> Int? {
        let (product, overflow) = whole.multipliedReportingOverflow(by: unit)
        let part = fraction.divisor.dividingFullWidth(fraction.digits.multipliedFullWidth(by: UInt64(unit))).quotient
        let (sum, carry) = product.addingReportingOverflow(Int(part))
        return overflow || carry ? nil : sum
    }
}
