// Part of gst-capture. Apache License 2.0, see LICENSE.

import CameraKit
import CaptureBase

extension RampLimits {
    /// Checks the ramp options of the settings.
    ///
    /// - Throws: ``CaptureError`` that names the option at fault.
    init(_ settings: CaptureSettings) throws(CaptureError) {
        let both = RampableControl.allCases.filter {
            settings.ramp?.contains($0) == true && settings.lock?.contains($0.lockable) == true
        }
        if let control = both.first {
            throw CaptureError(
                .usage, "\(control.rawValue) cannot be both locked and ramped", subject: "--ramp",
                advice: "remove it from --lock or from --ramp")
        }
        let options = [("--ramp-rate", settings.rampRate), ("--ramp-target", settings.rampTarget)]
        if settings.ramp == nil, let (name, _) = options.first(where: { $0.1 != nil }) {
            throw CaptureError(.usage, "has no effect without --ramp", subject: name, advice: "add --ramp exposure")
        }
        self.init(
            rate: settings.rampRate ?? Self.standardRate(for: settings.interval), target: settings.rampTarget)
    }
}
