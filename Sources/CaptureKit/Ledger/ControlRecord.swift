// Part of gst-capture. Apache License 2.0, see LICENSE.

import CameraKit
import CaptureBase

/// The controls in force at the time of a picture, as a JSON object: the controls that were set, and the exposure.
struct ControlRecord {
    private let assignments: [ControlAssignment]
    private let exposure: ExposureReading?

    init(_ assignments: [ControlAssignment], _ exposure: ExposureReading?) {
        (self.assignments, self.exposure) = (assignments, exposure)
    }

    /// The JSON text; `nil` if nothing is known.
    var text: String? {
        let flash = exposure?.flash.map { JSONValue.Member(name: "flash", value: .string($0.text)) }
        let members =
            readings + [flash].compactMap { $0 }
            + assignments.map { .init(name: $0.name, value: .string($0.value.withoutControls)) }
        return members.isEmpty ? nil : JSONValue.object(members).text
    }

    /// The exposure, with all digits: an exposure time may be a fraction of a millisecond.
    private var readings: [JSONValue.Member] {
        [
            ("exposure_time_s", exposure?.time), ("gain", exposure?.gain), ("sensitivity", exposure?.sensitivity),
            ("colour_temperature_k", exposure?.colorTemperature),
        ].compactMap { name, value in value.map { .init(name: name, value: .written("\($0)")) } }
    }
}
