// Part of gst-capture. Apache License 2.0, see LICENSE.

import OverlayCompositor
import PipelineKit

let pipeline = try Pipeline(
    "videotestsrc is-live=true ! video/x-raw,format=I420 ! videoconvert ! identity name=overlay ! fakesink")
let overlay = Overlay(try RasterProcess.standard())
guard let pad = try pipeline.element(named: "overlay").pad("src") else { fatalError("identity has a pad \"src\"") }
try overlay.attach(to: pad)
overlay.show([Layer("clock", .text(TextTemplate("%H:%M:%S {stage}")))])
overlay.set(["stage": "front"])
try await pipeline.play()
for await event in overlay.events {
    print(event)
    break
}
try await pipeline.stop()
