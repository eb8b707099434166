// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit

/// Puts together what a preset, the environment and the command line say.
enum SettingSources {
    /// An option wins over a variable, a variable over the preset.
    ///
    /// - Parameter preset: The preset that the command line names, if it does.
    static func resolve(options: [SettingAssignment], preset: String?) throws(CaptureError) -> CaptureSettings {
        CaptureSettings()
    }
}
