// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit

var configuration = CaptureConfiguration(source: .camera(.scene), output: .caller)
configuration.schedule = .every(.milliseconds(200), count: 3, for: nil)

let controller = CaptureController(configuration)
async let summary = controller.run()
for await event in controller.events {
    guard case .captured(let still) = event else { continue }
    print(still.captured, still.offset, still.bytes?.count ?? 0)
}
print(await summary.captured, "pictures")
