// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import PipelineKit
import PresetKit

extension AccelerometerRequest {
    /// The sensor's folder, whether or not it exists; `nil` if no sensor is requested, or none is found.
    var path: String? {
        get async {
            switch self {
            case .automatic: await BlockingWork.run { Accelerometer.find() }
            case .off: nil
            case .folder(let path): path
            }
        }
    }
}
