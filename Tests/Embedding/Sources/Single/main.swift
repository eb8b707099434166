// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit

// `Camera.first()` finds the first camera; the scene needs none.
let still = try await Camera.scene.still()
print(still.width, still.height, still.bytes?.count ?? 0)
