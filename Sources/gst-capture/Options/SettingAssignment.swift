// Part of gst-capture. Apache License 2.0, see LICENSE.

import ArgumentParser
import CaptureKit
import PresetKit
import TerminalKit

/// A setting from the command line, as text. The parser that reads presets reads it.
struct SettingAssignment: Sendable, Hashable {
    /// The long option without its dashes, which is the key in a preset.
    let key: String
    /// The text of the option.
    let text: String

    /// Returns `nil` if the option was not given.
    init?(_ key: String, _ text: String?) {
        guard let text else { return nil }
        (self.key, self.text) = (key, text)
    }
}

extension SettingAssignment {
    /// Creates the setting of a flag; returns `nil` if it was not given.
    init?(_ key: String, _ isOn: Bool?) { self.init(key, isOn.map { $0 ? "yes" : "no" }) }
}

extension [SettingAssignment] {
    /// Returns the settings of an option that can be repeated.
    static func repeated(_ key: String, _ texts: [String]) -> [SettingAssignment] {
        texts.compactMap { SettingAssignment(key, $0) }
    }
}

/// A group of options that are settings.
protocol SettingOptions: ParsableArguments {
    /// The options that were given.
    var assignments: [SettingAssignment] { get }
}

extension ArgumentHelp {
    /// Returns the help of a setting, from the table that the preset parser uses.
    static func setting(_ key: String, _ visibility: ArgumentVisibility = .default) -> ArgumentHelp {
        guard let setting = Setting.named(key) else { return .private }
        return ArgumentHelp(setting.summary, valueName: setting.placeholder.lowercased(), visibility: visibility)
    }
}

extension CompletionKind {
    /// Returns the words that a setting accepts, from the same table; no completion if it accepts any text.
    static func setting(_ key: String) -> CompletionKind {
        let words = Setting.named(key)?.choices ?? []
        return words.isEmpty ? .default : .list(words)
    }
}

/// Merges settings from options, environment variables and a preset.
enum SettingSources {
    /// Returns the settings: an option overrides a variable, a variable overrides the preset.
    ///
    /// - Parameter preset: The preset that the command line names; `nil` if it names none.
    static func resolve(options: [SettingAssignment], preset: String?) throws(CaptureError) -> CaptureSettings {
        try CaptureSettings(options: options.map { ($0.key, $0.text) }, preset: preset)
    }

    /// Returns `true` if pictures go to standard output, even if other settings have mistakes: their errors must not be
    /// printed among pictures.
    static func isStreaming(options: [SettingAssignment], preset: String?) -> Bool {
        let option = options.last { $0.key == "output" }?.text
        return (option ?? variable("GST_CAPTURE_OUTPUT") ?? output(ofPreset: preset)) == "-"
    }

    private static func output(ofPreset preset: String?) -> String? {
        guard let name = preset ?? variable("GST_CAPTURE_PRESET"), let path = try? PresetLibrary().path(name) else {
            return nil
        }
        return Preset.output(inFile: path)
    }

    /// Returns a variable of the environment; `nil` if it is empty, which counts as unset.
    private static func variable(_ name: String) -> String? {
        Terminal.variable(name).flatMap { $0.isEmpty ? nil : $0 }
    }
}
