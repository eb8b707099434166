// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import OverlayCompositor
import SessionKit

let file = try SessionLibrary().file("before-after")
let camera = CaptureConfiguration(source: .camera(.scene), output: .caller)
var configuration = SessionConfiguration(cameras: [.front: camera], output: .caller)
configuration.isAutomatic = true

let controller = SessionController(file.session, configuration, rasterizer: try RasterProcess.standard())
let phases = Task { for await event in controller.events { if case .phase(let phase) = event { print(phase.name) } } }
let outcome = await controller.run()
await phases.value
for picture in outcome.pictures { print(picture.still.stage, picture.bytes?.count ?? 0) }
print(outcome.pictures.count, "pictures")
