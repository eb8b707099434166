// Part of gst-capture. Apache License 2.0, see LICENSE.

import ArgumentParser
import CaptureKit

/// A setting as it was written on the command line; it is read by the same parser as a preset's.
struct SettingAssignment: Sendable, Hashable {
    /// The long option without its dashes, which is the key in a preset.
    let key: String
    /// What was written.
    let text: String

    /// `nil` where the option was not given.
    init?(_ key: String, _ text: String?) {
        guard let text else { return nil }
        (self.key, self.text) = (key, text)
    }
}

extension SettingAssignment {
    /// A switch; `nil` where it was not given.
    init?(_ key: String, _ isOn: Bool?) { self.init(key, isOn.map { $0 ? "yes" : "no" }) }
}

extension [SettingAssignment] {
    /// What was written for an option that may be given several times.
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
    /// The help of a setting, from the table that presets are read by.
    static func setting(_ key: String, _ visibility: ArgumentVisibility = .default) -> ArgumentHelp {
        guard let setting = Setting.named(key) else { return .private }
        return ArgumentHelp(setting.summary, valueName: setting.placeholder.lowercased(), visibility: visibility)
    }
}

extension CompletionKind {
    /// The words that a setting takes, from the same table; file names where it takes any.
    static func setting(_ key: String) -> CompletionKind {
        let words = Setting.named(key)?.choices ?? []
        return words.isEmpty ? .default : .list(words)
    }
}
