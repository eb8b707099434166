// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// A setting of a capture that presets, the environment and the command line share.
///
/// ``all`` is the only list of settings: presets and variables are read with it, and help is made from it.
public struct Setting: Sendable {
    /// The group of a setting in help.
    public enum Section: String, Sendable, Hashable, CaseIterable {
        /// The camera, and its configuration.
        case camera
        /// The processing of a frame, and the storage of its picture.
        case picture
        /// When a picture is captured, and the length of a burst.
        case moment
        /// The schedule of a series, and when it ends.
        case series
        /// The limits of a series on disk and in memory, the action at a limit, and the required mount point.
        case storage
        /// The video and the sound of recordings, and when their files begin and end.
        case video
        /// The films that are made while a series runs.
        case film
        /// The commands that run beside a series.
        case hooks
        /// Settings of sessions alone.
        case session
        /// The preview: its size, its sink and its layers.
        case preview
        /// The command that a preset is for.
        case command
    }

    /// The name in a preset: `width`.
    public let key: String
    /// The long option without dashes, mostly the same as ``key``; `nil` if the command itself determines the value.
    public let option: String?
    /// The group in help.
    public let section: Section
    /// The help text, in one line.
    public let summary: String

    /// Returns the form of its values.
    private let form: @Sendable () -> SettingForm
    /// Reads a value into settings.
    let read: @Sendable (SettingInput, inout CaptureSettings) throws(InvalidValue) -> Void
    /// `true` if settings have a value for it.
    package let isGiven: @Sendable (CaptureSettings) -> Bool
    /// Fills in an unset value from other settings, or merges a set value with theirs.
    let fill: @Sendable (inout CaptureSettings, CaptureSettings) -> Void

    /// Binds a name to a property and to the syntax of its values. Both are created when they are used: to create those
    /// of all settings takes as long as GStreamer takes to load a plugin.
    init<Value>(
        _ key: String, option: String?,
        _ property: @autoclosure @escaping @Sendable () -> any WritableKeyPath<CaptureSettings, Value?> & Sendable,
        _ syntax: @autoclosure @escaping @Sendable () -> SettingSyntax<Value>, _ section: Section, _ summary: String
    ) {
        self.key = key
        self.option = option
        self.section = section
        self.summary = summary
        form = { syntax().form }
        read = { input, settings throws(InvalidValue) in settings[keyPath: property()] = try syntax().parse(input) }
        isGiven = { settings in settings[keyPath: property()] != nil }
        fill = { settings, base in
            let property = property()
            guard let lower = base[keyPath: property] else { return }
            settings[keyPath: property] = settings[keyPath: property].map { syntax().merge($0, lower) } ?? lower
        }
    }

    /// Binds a name that is also the name of the option.
    init<Value>(
        _ key: String,
        _ property: @autoclosure @escaping @Sendable () -> any WritableKeyPath<CaptureSettings, Value?> & Sendable,
        _ syntax: @autoclosure @escaping @Sendable () -> SettingSyntax<Value>, _ section: Section, _ summary: String
    ) {
        self.init(key, option: key, property(), syntax(), section, summary)
    }
}

extension Setting {
    /// The placeholder of a value in help: `pixels`.
    public var placeholder: String { form().placeholder }

    /// The accepted words, or the best known ones, for completion; empty if the setting accepts any text.
    public var choices: [String] { form().choices }

    /// `true` if the setting can be repeated, and accepts several values separated by commas.
    public var isList: Bool { form().isList }
}

extension Setting {
    /// The environment variable: `GST_CAPTURE_WIDTH`.
    public var variable: String {
        Self.variablePrefix + String(key.map { $0 == "-" ? "_" : $0 }).uppercased()
    }

    /// Returns the setting with this key, or else with this option; `nil` if there is none.
    public static func named(_ name: String) -> Setting? {
        all.first { $0.key == name } ?? all.first { $0.option == name }
    }

    /// The keys of settings that all jobs of a camera share.
    package static let ofCamera: Set = [
        "camera", "source", "width", "height", "framerate", "format", "decode", "controls", "lock", "ramp", "flash",
        "flash-control", "history",
    ]

    static let variablePrefix = "GST_CAPTURE_"
}
