// Part of gst-capture. Apache License 2.0, see LICENSE.

import ArgumentParser
import CaptureKit

/// A setting as it was written on the command line; it is read by the same parser as a preset's.
struct SettingAssignment: Sendable, Hashable {
    /// The key of the setting, which is the long option without its dashes.
    let key: String
    /// What was written.
    let text: String

    /// `nil` where the option was not given.
    init?(_ key: String, _ text: String?) {
        guard let text else { return nil }
        (self.key, self.text) = (key, text)
    }
}

/// A group of options that are settings.
protocol SettingOptions: ParsableArguments {
    /// The options that were given.
    var assignments: [SettingAssignment] { get }
}

extension ArgumentHelp {
    /// The help of a setting, from the table that presets are read by.
    static func setting(_ key: String) -> ArgumentHelp {
        guard let setting = Setting.named(key) else { return ArgumentHelp("") }
        return ArgumentHelp(stringLiteral: setting.summary).named(setting.placeholder)
    }

    private func named(_ placeholder: String) -> ArgumentHelp {
        var help = self
        help.valueName = placeholder
        return help
    }
}

extension CompletionKind {
    /// The words that a setting takes, from the same table; file names where it takes any.
    static func setting(_ key: String) -> CompletionKind {
        let words = Setting.named(key)?.choices ?? []
        return words.isEmpty ? .default : .list(words)
    }
}
