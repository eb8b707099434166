// Part of gst-capture. Apache License 2.0, see LICENSE.

import OverlayCompositor
import OverlayRaster

let text = RasterRequest.Content.text("gst-capture", TextStyle(font: "Sans", lineHeight: 40, color: .white))
let drawing = try CairoRasterizer.draw(
    RasterRequest(text, width: 640, height: 480, point: (320, 240), anchor: .center, extent: (640, 480)))
print(drawing.width, "x", drawing.height, "pixels")
