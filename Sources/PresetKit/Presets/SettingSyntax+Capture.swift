// Part of gst-capture. Apache License 2.0, see LICENSE.

import CameraKit
import CaptureBase
import CaptureKit
import FrameMeasures
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

extension SettingSyntax where Value == FrameRate {
    /// A frame rate, in frames a second: `30`, `29.97` or `30000/1001`.
    static var frameRate: Self {
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
