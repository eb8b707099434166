// Part of gst-capture. Apache License 2.0, see LICENSE.

import CameraKit
import CaptureBase
import CaptureKit
import FrameMeasures
import ScheduleKit
import StillKit

extension SettingSyntax where Value == Duration {
    /// A duration of at least `least`, and at most ten years.
    package static func duration(from least: Duration = .zero) -> Self {
        Self("duration") { text throws(InvalidValue) in
            let duration = try Duration.parse(text)
            guard duration >= least else {
                throw InvalidValue("\(text.quoted) is too short", advice: "give \(least.shortText) or more")
            }
            guard duration <= .seconds(3650 * 86400) else {
                throw InvalidValue("\(text.quoted) is too long", advice: "give ten years or less")
            }
            return duration
        }
    }
}

extension SettingSyntax where Value == Duration {
    /// A time before a moment. The value is negative.
    static var earlier: Self {
        Self("-duration") { text throws(InvalidValue) in .zero - (try Duration.lead(text)) }
    }

    /// The time for which frames are kept.
    static var kept: Self {
        Self("duration") { text throws(InvalidValue) in
            let duration = try Duration.parse(text)
            guard Duration.leads.contains(duration) else {
                throw InvalidValue("\(text.quoted) is out of range", advice: "give 1ms to 2s")
            }
            return duration
        }
    }
}

extension Duration {
    /// How long before its trigger or request a frame of a picture can be captured.
    fileprivate static let leads = Duration.milliseconds(1)...Duration.seconds(2)

    /// Reads the time before a trigger or request, such as `-200ms`. The value is positive.
    package static func lead(_ text: String) throws(InvalidValue) -> Duration {
        guard text.hasPrefix("-") else {
            throw InvalidValue("\(text.quoted) is not before the trigger", advice: "give one such as -200ms")
        }
        let duration = try Duration.parse(String(text.dropFirst()))
        guard leads.contains(duration) else {
            throw InvalidValue("\(text.quoted) is out of range", advice: "give -1ms to -2s")
        }
        return duration
    }
}

extension SettingSyntax where Value == FrameRate {
    /// A frame rate, in frames a second: `30`, `29.97` or `30000/1001`.
    package static var frameRate: Self {
        Self("rate") { text throws(InvalidValue) in
            guard let rate = FrameRate(text) else {
                throw InvalidValue("\(text.quoted) is not a frame rate", advice: "give one such as 30, 29.97 or 15/2")
            }
            return rate
        }
    }
}

extension SettingSyntax where Value == Settle {
    /// `off`, `auto`, or a duration.
    static var settle: Self {
        let duration = SettingSyntax<Duration>.duration()
        return Self("off|auto|duration", choices: ["off", "auto", "2s"]) { text throws(InvalidValue) in
            switch text.lowercased() {
            case "off": return .off
            case "auto": return .automatic()
            case let text where text.utf8.first?.isDigit == true:
                return .fixed(try duration.parse(.text(SourcedText(text: text))))
            default: throw InvalidValue("\(text.quoted) is not known", advice: "give off, auto or a time such as 2s")
            }
        }
    }
}

extension SettingSyntax where Value == Recovery {
    /// `off`, `forever`, or a duration.
    static var recovery: Self {
        let duration = SettingSyntax<Duration>.duration(from: .seconds(1))
        return Self("off|forever|duration", choices: ["off", "forever", "10m"]) { text throws(InvalidValue) in
            switch text.lowercased() {
            case "off": return .off
            case "forever": return .always
            case let text where text.utf8.first?.isDigit == true:
                return .limited(to: try duration.parse(.text(SourcedText(text: text))))
            default:
                throw InvalidValue("\(text.quoted) is not known", advice: "give off, forever or a time such as 10m")
            }
        }
    }
}

extension SettingSyntax where Value == StillFormat {
    /// A format of pictures, by its name or by the suffix of its files.
    static var encoding: Self {
        let choice = Self.choice
        return Self(choice.form.placeholder, choices: choice.form.choices) { text throws(InvalidValue) in
            if let format = StillFormat(fileName: "." + text) { return format }
            return try choice.parse(.text(SourcedText(text: text)))
        }
    }
}

extension SettingSyntax where Value == PreviewSink {
    /// A short name, or elements in gst-launch syntax.
    static var sink: Self {
        let elements = SettingSyntax<String>.fragment("name|elements")
        return Self("name|elements", choices: PreviewSink.names) { text throws(InvalidValue) in
            PreviewSink(try elements.parse(.text(SourcedText(text: text))))
        }
    }
}

extension SettingSyntax where Value == Double {
    /// Stops of exposure, as a decimal number or a fraction.
    static var stops: Self {
        Self("stops") { text throws(InvalidValue) in
            let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
            guard let over = number(parts[0]), let under = parts.count == 1 ? 1 : number(parts[1]), under > 0 else {
                throw InvalidValue("\(text.quoted) is not a number of stops", advice: "give one such as 1/6 or 0.2")
            }
            let range = 0.01...3.0
            guard range.contains(over / under) else {
                throw InvalidValue("\(text.quoted) is out of range", advice: "give 0.01 to 3")
            }
            return over / under
        }
    }

    /// Mean luma in percent of white. The value is 0 to 1.
    static var brightness: Self {
        Self("percent") { text throws(InvalidValue) in
            guard text.hasSuffix("%"), let percent = number(text.dropLast()) else {
                throw InvalidValue("\(text.quoted) is not a brightness", advice: "give one such as 45%")
            }
            guard 5.0...95.0 ~= percent else {
                throw InvalidValue("\(text.quoted) is out of range", advice: "give 5% to 95%")
            }
            return percent / 100
        }
    }

    /// Reads a decimal number without sign or exponent; `nil` if it is anything else.
    private static func number(_ text: Substring) -> Double? {
        let isPlain = text.utf8.count <= 16 && text.utf8.allSatisfy { $0.isDigit || $0 == UInt8(ascii: ".") }
        return isPlain ? Double(text) : nil
    }
}

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
