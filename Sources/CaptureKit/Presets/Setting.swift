// Part of gst-capture. Apache License 2.0, see LICENSE.

/// One thing that presets, the environment and the command line can say about a capture, under one name.
///
/// ``all`` is the only list of them: presets and variables are read by it, and the command's help is made of it.
public struct Setting: Sendable {
    /// What a setting is about, to group them in help.
    public enum Section: String, Sendable, Hashable, CaseIterable {
        /// Which camera, and what it is asked for.
        case camera
        /// What becomes of a frame, and where it goes.
        case picture
        /// When a picture is taken.
        case moment
        /// How a series goes on, and when it ends.
        case series
        /// How much is stored, and what happens when the disk is full.
        case storage
        /// Which commands run beside a series.
        case hooks
        /// What only sessions have.
        case session
        /// What the preview looks like.
        case preview
        /// Which command it is for.
        case command
    }

    /// Its name in a preset: `width`.
    public let key: String
    /// Its long option without dashes, mostly the same as ``key``; `nil` where the command itself says it.
    public let option: String?
    /// What it is about.
    public let section: Section
    /// What stands for a value in help: `pixels`.
    public let placeholder: String
    /// The words it takes, or the best known ones, for completion; empty where it takes any text.
    public let choices: [String]
    /// True where it can be given several times, and several at once parted by commas.
    public let isList: Bool
    /// What it does, in one line.
    public let summary: String

    /// Reads a value into settings.
    let read: @Sendable (SettingInput, inout CaptureSettings) throws(InvalidValue) -> Void
    /// `true` if settings have a value for it.
    let isGiven: @Sendable (CaptureSettings) -> Bool
    /// Fills what settings do not say from others.
    let fill: @Sendable (inout CaptureSettings, CaptureSettings) -> Void

    /// Ties a name to a property and to the syntax of its values.
    init<Value>(
        _ key: String, option: String?, _ property: any WritableKeyPath<CaptureSettings, Value?> & Sendable,
        _ syntax: SettingSyntax<Value>, _ section: Section, _ summary: String
    ) {
        self.key = key
        self.option = option
        self.section = section
        placeholder = syntax.placeholder
        choices = syntax.choices
        isList = syntax.isList
        self.summary = summary
        read = { input, settings throws(InvalidValue) in settings[keyPath: property] = try syntax.parse(input) }
        isGiven = { settings in settings[keyPath: property] != nil }
        fill = { settings, base in
            guard let lower = base[keyPath: property] else { return }
            settings[keyPath: property] = settings[keyPath: property].map { syntax.merge($0, lower) } ?? lower
        }
    }

    /// Ties a name, which is also that of the option.
    init<Value>(
        _ key: String, _ property: any WritableKeyPath<CaptureSettings, Value?> & Sendable,
        _ syntax: SettingSyntax<Value>, _ section: Section, _ summary: String
    ) {
        self.init(key, option: key, property, syntax, section, summary)
    }
}

extension Setting {
    /// Its variable: `GST_CAPTURE_WIDTH`.
    public var variable: String {
        Self.variablePrefix + String(key.map { $0 == "-" ? "_" : $0 }).uppercased()
    }

    /// The setting with this key, or else with this option.
    public static func named(_ name: String) -> Setting? {
        all.first { $0.key == name } ?? all.first { $0.option == name }
    }

    static let variablePrefix = "GST_CAPTURE_"
}
