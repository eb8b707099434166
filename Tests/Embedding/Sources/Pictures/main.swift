// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

let pipeline = try Pipeline("videotestsrc num-buffers=3 ! jpegenc ! appsink name=pictures sync=false")
let pictures = try AppSink(named: "pictures", in: pipeline, .waitWhenHolding(4))
try await pipeline.play()
for try await picture in pictures.samples {
    print(picture.buffer?.count ?? 0, "bytes of JPEG")
}
try await pipeline.stop()
