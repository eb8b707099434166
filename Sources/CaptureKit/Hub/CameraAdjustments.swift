// Part of gst-capture. Apache License 2.0, see LICENSE.

import CameraKit
import Synchronization

/// The values of controls that are set while cameras are in use. A camera gets them again when it is opened again, after
/// the controls of its configuration. Any thread may use it.
final class CameraAdjustments: Sendable {
    /// The values by the ID of the camera, in the order in which they were set.
    private let values = Mutex<[String: [ControlAssignment]]>([:])

    /// Adds values; each replaces an earlier one of the same control.
    func add(_ assignments: [ControlAssignment], to camera: String) {
        values.withLock { values in
            let names = Set(assignments.map(\.name))
            values[camera, default: []].removeAll { names.contains($0.name) }
            values[camera, default: []] += assignments
        }
    }

    /// Removes the values of a camera: all, or those of these controls.
    func remove(_ names: Set<String>? = nil, from camera: String) {
        values.withLock { values in
            if let names { values[camera]?.removeAll { names.contains($0.name) } } else { values[camera] = nil }
        }
    }

    /// Returns a configuration with the values of its camera.
    func applied(to configuration: CaptureConfiguration) -> CaptureConfiguration {
        guard case .camera(let camera) = configuration.source,
            let own = values.withLock({ $0[camera.id] }), !own.isEmpty
        else { return configuration }
        var configuration = configuration
        let names = Set(own.map(\.name))
        configuration.controls = configuration.controls.filter { !names.contains($0.name) } + own
        return configuration
    }
}
