// Part of gst-capture. Apache License 2.0, see LICENSE.

import CameraKit
import CaptureBase
import Synchronization

/// Controls whose list fails after some calls, although they can still be set.
package final class FailingControls: ControlDriver {
    private let controlsOfCamera: FakeControls
    private let error: CaptureError
    private let left: Mutex<Int>

    /// - Parameter count: How many lists are returned before the error.
    package init(_ controls: FakeControls, afterLists count: Int, _ error: CaptureError) {
        (controlsOfCamera, self.error) = (controls, error)
        left = Mutex(count)
    }

    package var path: String { controlsOfCamera.path }

    package func controls() throws(CaptureError) -> [CameraControl] {
        let hasList = left.withLock { left in
            left -= 1
            return left >= 0
        }
        guard hasList else { throw error }
        return controlsOfCamera.controls()
    }

    package func control(_ id: ControlID) -> CameraControl? { controlsOfCamera.control(id) }

    package func set(_ setting: ControlSetting, kind: CameraControl.Kind) throws(CaptureError) {
        try controlsOfCamera.set(setting, kind: kind)
    }
}
