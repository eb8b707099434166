// Part of gst-capture. Apache License 2.0, see LICENSE.

import CameraKit
import CaptureBase
import Synchronization

/// A device whose controls are values in memory, with a log of all settings.
package final class FakeControls: ControlDriver {
    private struct State {
        var controls: [CameraControl]
        var log: [String] = []
    }

    package let path: String
    private let state: Mutex<State>
    private let refused: [ControlID: CaptureError]

    package init(
        _ controls: [CameraControl], path: String = "/dev/video0", refusing refused: [ControlID: CaptureError] = [:]
    ) {
        self.path = path
        self.refused = refused
        state = Mutex(State(controls: controls))
    }

    /// All settings, in order, as `name=value`.
    package var log: [String] { state.withLock { $0.log } }

    package func controls() -> [CameraControl] { state.withLock { $0.controls } }

    package func control(_ id: ControlID) -> CameraControl? { controls().first { $0.id == id } }

    package func set(_ setting: ControlSetting, kind: CameraControl.Kind) throws(CaptureError) {
        if let error = refused[setting.id] { throw error }
        state.withLock { state in
            state.log.append(setting.description)
            if let index = state.controls.firstIndex(where: { $0.id == setting.id }) {
                state.controls[index].value = setting.value
            }
        }
    }
}

extension CameraControl {
    package static func number(
        _ id: ControlID, _ name: String, _ value: Int64?, _ range: ClosedRange<Int64> = 0...255, step: UInt64 = 1,
        flags: Flags = []
    ) -> CameraControl {
        CameraControl(
            id: id, name: name, kind: .integer, minimum: range.lowerBound, maximum: range.upperBound, step: step,
            flags: flags, value: value.map { .integer($0) })
    }

    package static func toggle(_ id: ControlID, _ name: String, _ value: Int64, flags: Flags = []) -> CameraControl {
        CameraControl(id: id, name: name, kind: .boolean, flags: flags, value: .integer(value))
    }

    package static func menu(
        _ id: ControlID, _ name: String, _ items: [(Int64, String)], value: Int64?
    ) -> CameraControl {
        CameraControl(
            id: id, name: name, kind: .menu, maximum: items.map(\.0).max() ?? 0,
            menu: items.map { MenuItem(index: $0.0, name: $0.1) }, value: value.map { .integer($0) })
    }

    package static func button(_ id: ControlID, _ name: String) -> CameraControl {
        CameraControl(id: id, name: name, kind: .button, maximum: 0, flags: .writeOnly)
    }

    /// The exposure mode of a USB camera: 1 is manual, 3 is automatic.
    package static func exposureMode(_ value: Int64) -> CameraControl {
        .menu(.autoExposure, "auto_exposure", [(1, "Manual Mode"), (3, "Aperture Priority Mode")], value: value)
    }
}
