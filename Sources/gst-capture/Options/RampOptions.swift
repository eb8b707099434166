// Part of gst-capture. Apache License 2.0, see LICENSE.

import ArgumentParser

/// Options that adjust exposure and white balance to the light from picture to picture.
struct RampOptions: SettingOptions {
    @Option(name: .customLong("ramp"), help: .setting("ramp"), completion: .setting("ramp"))
    var ramps: [String] = []

    @Option(help: .setting("ramp-rate"))
    var rampRate: String?

    @Option(help: .setting("ramp-target"))
    var rampTarget: String?

    var assignments: [SettingAssignment] {
        [SettingAssignment("ramp-rate", rampRate), SettingAssignment("ramp-target", rampTarget)].compactMap { $0 }
            + .repeated("ramp", ramps)
    }
}
