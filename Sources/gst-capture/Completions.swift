// Part of gst-capture. Apache License 2.0, see LICENSE.

import ArgumentParser
import CaptureKit

extension CompletionKind {
    /// The ids of the cameras that are there.
    static var cameras: CompletionKind {
        .custom { _, _, _ in ["scene", "auto"] }
    }

    /// The names of the presets that are found.
    static var presets: CompletionKind {
        .custom { _, _, _ in [] }
    }

    /// The names of the controls of the camera that the line names, each ready for its value.
    static var controls: CompletionKind {
        .custom { _, _, _ in [] }
    }
}
