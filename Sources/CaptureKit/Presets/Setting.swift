// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// One thing that can be set: the single source for presets, environment variables and the help of the command line.
public struct Setting: Sendable {
    /// The key of a preset, and the long option.
    public let key: String
    /// What stands for the value in help texts.
    public let placeholder: String
    /// What it is for, in one sentence.
    public let summary: String
    /// The words that it takes, where it takes no others.
    public let choices: [String]
    /// Reads a value into settings; false where it makes no sense.
    private let read: @Sendable (String, inout CaptureSettings) -> Bool

    /// The environment variable.
    public var variable: String {
        "GST_CAPTURE_" + key.uppercased().map { $0 == "-" ? "_" : String($0) }.joined()
    }

    /// The setting of a key.
    public static func named(_ key: String) -> Setting? { byKey[key] }

    private static let byKey = Dictionary(uniqueKeysWithValues: all.map { ($0.key, $0) })

    /// Reads a value into settings.
    ///
    /// - Parameter subject: Where the value stands, for the error.
    /// - Throws: ``CaptureError`` that says what is allowed.
    public func apply(
        _ text: String, to settings: inout CaptureSettings, subject: String, code: CaptureError.Code = .usage
    ) throws(CaptureError) {
        guard !text.utf8.contains(0), text.utf8.count <= 65536, read(text, &settings) else {
            let shown = text.utf8.count > 60 ? text.prefix(57) + "..." : text[...]
            let allowed = choices.isEmpty ? placeholder : choices.joined(separator: ", ")
            throw CaptureError(code, "\"\(shown)\" makes no sense here", subject: subject, advice: "give \(allowed)")
        }
    }

    private init(
        _ key: String, _ placeholder: String, _ summary: String, choices: [String] = [],
        _ read: @escaping @Sendable (String, inout CaptureSettings) -> Bool
    ) {
        (self.key, self.placeholder, self.summary) = (key, placeholder, summary)
        (self.choices, self.read) = (choices, read)
    }

    private init<Value: Sendable>(
        _ key: String, _ placeholder: String, _ summary: String, choices: [String] = [],
        _ path: any WritableKeyPath<CaptureSettings, Value?> & Sendable, _ parse: @escaping @Sendable (String) -> Value?
    ) {
        self.init(key, placeholder, summary, choices: choices) { text, settings in
            guard let value = parse(text) else { return false }
            settings[keyPath: path] = value
            return true
        }
    }

    /// All settings, in the order in which help shows them.
    public static let all: [Setting] = [
        Setting(
            "camera", "id|path|scene|auto", "The camera; auto takes the first, or the built-in scene.", \.camera,
            nonEmpty),
        Setting("source", "elements", "A source in gst-launch syntax, in place of a camera.", \.source, nonEmpty),
        Setting("width", "pixels", "The width of the camera's frames.", \.width, number(1...32768)),
        Setting("height", "pixels", "The height of the camera's frames.", \.height, number(1...32768)),
        Setting("framerate", "rate", "Frames a second, such as 30, 29.97 or 30000/1001.", \.framerate) {
            FrameRate($0)
        },
        Setting("format", "format", "The camera's pixel format, such as YUYV or NV12, or mjpeg.", \.format, word),
        Setting(
            "decode", "elements|auto", "What makes raw video of the source, in gst-launch syntax.", \.decode, nonEmpty),
        Setting(
            "settle", "off|auto|duration", "How to wait for exposure: until it is steady, or a fixed time.", \.settle,
            settle),
        Setting("set", "name=value", "A control of the camera, such as brightness=128; may be repeated.", control),
        Setting(
            "lock", "list", "Automatic controls to freeze once the picture is steady: exposure, white-balance, focus.",
            \.lock, locks),
        Setting(
            "flash", "mode", "The flash LED, where the driver has one.", choices: FlashMode.allCases.map(\.rawValue),
            \.flash
        ) { FlashMode(rawValue: $0) },
        Setting(
            "encoding", "format", "How pictures are encoded; else the file's ending says so.",
            choices: StillFormat.allCases.map(\.rawValue), \.encoding
        ) { StillFormat(rawValue: $0) },
        Setting("quality", "1-100", "JPEG and WebP quality.", \.quality, number(1...100)),
        Setting(
            "rotate", "degrees", "Turn pictures clockwise.", choices: Rotation.allCases.map { "\($0.rawValue)" },
            \.rotate
        ) { Int($0).flatMap(Rotation.init) },
        Setting("flip", "axis", "Mirror pictures, after turning.", choices: Flip.allCases.map(\.rawValue), \.flip) {
            Flip(rawValue: $0)
        },
        Setting(
            "output", "name|-", "The file's name, with strftime fields and %n or %05n; - is standard output.", \.output,
            nonEmpty),
        Setting("overwrite", "yes|no", "Replace files that exist.", choices: ["yes", "no"], \.overwrite, flag),
        Setting("latest", "link", "A symbolic link that always points to the newest picture.", \.latest, nonEmpty),
        Setting("overlay", "outlines", "Outlines for the preview; the picture stays clean.", \.overlay) { text in
            let names = text.split(separator: ",").map(String.init)
            return names.isEmpty ? nil : names
        },
        Setting("delay", "duration", "The self-timer: wait this long before the first picture.", \.delay) {
            Duration(text: $0)
        },
        Setting("countdown", "duration", "Count the seconds before each picture.", \.countdown) { Duration(text: $0) },
        Setting("burst", "frames", "Take this many frames in a row.", \.burst, number(1...1000)),
        Setting("interval", "duration", "The time from one picture to the next, such as 10s, 500ms or 1m.", \.interval)
        { text in
            Duration(text: text).flatMap { $0 >= .milliseconds(1) ? $0 : nil }
        },
        Setting("count", "number", "Stop after this many pictures.", \.count, number(1...1_000_000_000)),
        Setting("for", "duration", "Stop after this long.", \.length) { text in
            Duration(text: text).flatMap { $0 > .zero ? $0 : nil }
        },
        Setting("until", "time", "Stop at this time: 18:00, or 2026-12-24 18:00.", \.until) {
            WallClockTarget(text: $0)
        },
    ]
}

// MARK: Readers of values

extension Setting {
    @Sendable private static func nonEmpty(_ text: String) -> String? { text.isEmpty ? nil : text }

    // Formats go into caps: nothing but letters, digits and what formats have.
    @Sendable private static func word(_ text: String) -> String? {
        let isWord = text.utf8.allSatisfy { byte in
            switch UnicodeScalar(byte) {
            case "a"..."z", "A"..."Z", "0"..."9", "_", "-": true
            default: false
            }
        }
        return isWord && !text.isEmpty && text.utf8.count <= 32 ? text : nil
    }

    private static func number(_ range: ClosedRange<Int>) -> @Sendable (String) -> Int? {
        { text in Int(text).flatMap { range.contains($0) ? $0 : nil } }
    }

    @Sendable private static func flag(_ text: String) -> Bool? {
        switch text.lowercased() {
        case "yes", "true", "on", "1": true
        case "no", "false", "off", "0": false
        default: nil
        }
    }

    @Sendable private static func settle(_ text: String) -> Settle? {
        switch text {
        case "off", "no", "false": .off
        case "auto": .automatic()
        default: Duration(text: text).map { .fixed($0) }
        }
    }

    @Sendable private static func locks(_ text: String) -> Set<LockableControl>? {
        let names = text.split(separator: ",").map(String.init)
        let locks = names.compactMap(LockableControl.init(rawValue:))
        return names.count == locks.count ? Set(locks) : nil
    }

    @Sendable private static func control(_ text: String, _ settings: inout CaptureSettings) -> Bool {
        for assignment in text.split(separator: ",") {
            let parts = assignment.split(separator: "=", maxSplits: 1)
            guard parts.count == 2 else { return false }
            settings.controls.append((String(parts[0]), String(parts[1])))
        }
        return !text.isEmpty
    }
}
