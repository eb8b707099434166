// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// The names of controls in text.
enum ControlName {
    /// Returns the driver's name in v4l2-ctl's spelling: `White Balance, Automatic` becomes `white_balance_automatic`.
    static func spelled(_ title: String) -> String {
        var name = ""
        var needsUnderscore = false
        for scalar in title.unicodeScalars {
            guard scalar.isASCII, scalar.properties.isAlphabetic || scalar.properties.numericType != nil else {
                needsUnderscore = !name.isEmpty
                continue
            }
            if needsUnderscore { name.append("_") }
            needsUnderscore = false
            name.append(scalar.properties.lowercaseMapping)
        }
        return name
    }

    /// Returns the control with this name, with the name that an older or newer kernel gives it, or with this number.
    ///
    /// - Throws: ``CaptureError`` `.usage` that suggests the nearest name.
    static func find(
        _ text: String, in controls: [CameraControl], of subject: String
    ) throws(CaptureError)
        -> CameraControl
    {
        let wanted = spelled(text)
        if let control = controls.first(where: { $0.name == wanted }) { return control }
        if let other = renamed[wanted], let control = controls.first(where: { $0.name == other }) { return control }
        if text.lowercased().hasPrefix("0x"), let number = UInt32(text.dropFirst(2), radix: 16),
            let control = controls.first(where: { $0.id.rawValue == number })
        {
            return control
        }
        let near = Spelling.nearest(to: wanted, among: controls.map(\.name)).map { "did you mean \($0)?" }
        let advice = controls.isEmpty ? "it has no controls at all" : "list them with gst-capture controls"
        throw CaptureError(.usage, "has no control \(text)", subject: subject, advice: near ?? advice)
    }

    /// The controls that Linux 5.13 and 5.14 renamed: maps the old name to the new one, and the new one to the old.
    private static let renamed: [String: String] = {
        let pairs = [
            ("white_balance_temperature_auto", "white_balance_automatic"), ("exposure_auto", "auto_exposure"),
            ("exposure_absolute", "exposure_time_absolute"), ("focus_auto", "focus_automatic_continuous"),
            ("exposure_auto_priority", "exposure_dynamic_framerate"), ("gain_auto", "gain_automatic"),
        ]
        return Dictionary(uniqueKeysWithValues: pairs + pairs.map { ($0.1, $0.0) })
    }()
}
