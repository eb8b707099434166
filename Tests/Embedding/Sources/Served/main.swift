// Part of gst-capture. Apache License 2.0, see LICENSE.

import ServiceKit

// A file in place of `standard(camera:)` names several cameras and their series: `ServiceConfiguration(path:)`.
let service = CaptureService(.standard(camera: "scene"))
async let failure = service.run()
let still = try await service.snap("camera")
print(still.width, still.height, still.bytes?.count ?? 0)
await service.stop()
print(await service.status.cameras[0].words)
if let failure = await failure { throw failure }
