// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import PresetKit

/// Merges settings from options, environment variables and a preset.
enum SettingSources {
    /// Returns the settings: an option overrides a variable, a variable overrides the preset.
    ///
    /// - Parameter preset: The preset that the command line names; `nil` if it names none.
    static func resolve(options: [SettingAssignment], preset: String?) throws(CaptureError) -> CaptureSettings {
        try CaptureSettings(options: options.map { ($0.key, $0.text) }, preset: preset)
    }
}
