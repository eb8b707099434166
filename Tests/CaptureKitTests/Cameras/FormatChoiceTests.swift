// Part of gst-capture. Apache License 2.0, see LICENSE.

import CameraKit
import PipelineKit
import Testing

@testable import CaptureKit

@Suite("The format to request from a camera")
struct FormatChoiceTests {
    @Test("The largest size that V4L2 can express is requested exactly")
    func largestSizes() throws {
        let sides = SteppedRange(1, through: Int(UInt32.max))
        let format = CameraFormat(fourcc: FourCC("YUYV"), sizes: [FrameSize(640, 480), FrameSize(sides, sides)])
        let camera = Camera(id: "camera", name: "Camera", kind: .v4l2, path: "/dev/video0", formats: [format])
        let caps = try FormatChoice(FormatRequest(), offeredBy: camera).caps
        #expect(caps == "video/x-raw,format=YUY2,width=4294967295,height=4294967295")
    }

    @Test("The scene has a colorimetry in YCbCr and in gray, and none in RGB")
    func sceneColorimetry() throws {
        for format in VideoFormat.all where format.isRGB || format.isYUV || format.isGray {
            var request = FormatRequest()
            request.format = format.name
            let caps = try #require(try FormatChoice(request, offeredBy: .scene).caps)
            #expect(caps.contains("colorimetry") == !format.isRGB, "\(format)")
        }
    }
}
