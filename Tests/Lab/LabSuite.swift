// Part of gst-capture. Apache License 2.0, see LICENSE.

import Testing

/// Tests on V4L2 cameras in a virtual machine; see `camera-lab` beside this file.
@Suite(
    "Camera lab",
    .enabled(if: LabRequirements.obstacle == nil, "\(LabRequirements.obstacle ?? "")"),
    .timeLimit(.minutes(15))
)
enum LabSuite {
    /// What came of a step, from the one run that all tests share.
    static func step(_ name: String) async throws -> LabStep {
        try await LabRun.shared.value.step(name)
    }
}
