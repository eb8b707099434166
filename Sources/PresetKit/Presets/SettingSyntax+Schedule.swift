// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import ScheduleKit

extension SettingSyntax where Value == WallClockTarget {
    /// A time of day, or a date with a time of day.
    static var wallClock: Self {
        Self("time") { text throws(InvalidValue) in try WallClockTarget.parse(text) }
    }
}

extension SettingSyntax where Value == [DailyHours] {
    /// Parts of the day, separated by commas.
    static var hours: Self {
        list(of: SettingSyntax<DailyHours>("hours") { text throws(InvalidValue) in try DailyHours.parse(text) })
    }
}

extension SettingSyntax where Value == Set<Weekday> {
    /// Days of the week, and ranges of them.
    static var days: Self {
        let range = SettingSyntax<Set<Weekday>>("days") { text throws(InvalidValue) in try Weekday.parse(text) }
        let list = SettingSyntax<[Set<Weekday>]>.list(of: range)
        return Self(list: list.form.placeholder) { input throws(InvalidValue) in
            Set(try list.parse(input).joined())
        }
    }
}

extension SettingSyntax where Value == Double {
    /// Degrees north of the equator.
    static var latitude: Self { degrees(90, positive: "N", negative: "S") }

    /// Degrees east of Greenwich.
    static var longitude: Self { degrees(180, positive: "E", negative: "W") }

    /// Decimal degrees with a sign, or with the letter of a direction.
    private static func degrees(_ most: Double, positive: Character, negative: Character) -> Self {
        Self("degrees") { text throws(InvalidValue) in
            let letter = text.last.flatMap { [positive, negative].contains($0) ? $0 : nil }
            let number = letter == nil ? text[...] : text.dropLast()
            let unsigned = letter == nil && "+-".contains(number.first ?? " ") ? number.dropFirst() : number
            let parts = unsigned.split(separator: ".", omittingEmptySubsequences: false)
            let isDecimal = parts.count <= 2 && parts.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy(\.isDigit) }
            guard isDecimal, text.utf8.count <= 32, let value = Double(number) else {
                throw InvalidValue(
                    "\(text.quoted) is not a number of degrees", advice: "give one such as 52.52\(positive) or -33.87")
            }
            guard abs(value) <= most else {
                throw InvalidValue("\(text.quoted) is out of range", advice: "give -\(Int(most)) to \(Int(most))")
            }
            return letter == negative ? -value : value
        }
    }
}
