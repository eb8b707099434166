// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit

/// Where settings come from.
enum SettingSources {
    /// An option wins over a variable, a variable over the preset.
    ///
    /// - Parameter preset: The preset that the command line names, if it does.
    static func resolve(options: [SettingAssignment], preset: String?) throws(CaptureError) -> CaptureSettings {
        try CaptureSettings(options: options.map { ($0.key, $0.text) }, preset: preset)
    }
}
