// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import OverlayCompositor

extension CaptureError {
    /// Creates an error from one about a layer or about the rasterizer.
    public init(_ error: OverlayError) {
        let code: Code =
            switch error.code {
            case .noInput: .noInput
            case .permission: .permission
            default: .configuration
            }
        self.init(code, error.message, subject: error.subject, advice: error.advice)
    }
}
