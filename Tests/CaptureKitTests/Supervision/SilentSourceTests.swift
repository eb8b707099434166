// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Testing

@testable import CaptureKit

@Suite("The error of a silent source")
struct SilentSourceTests {
    @Test("A silent source of libcamera that gets no memory for frames names the reason", arguments: [true, false])
    func memory(isLibcamera: Bool) {
        let source = isLibcamera ? "libcamerasrc ! video/x-raw,format=NV12" : "videotestsrc"
        let problem = CaptureError(.permission, "permission denied", subject: "/dev/dma_heap/system")
        let error = CaptureError.silentSource(.fragment(source), .seconds(9), memory: problem)
        #expect(error.message == "has delivered no frame for 9 s")
        #expect((error.advice?.hasSuffix("/dev/dma_heap/system: permission denied") == true) == isLibcamera)
        let other = CaptureError.silentSource(.fragment(source), .seconds(9), memory: nil)
        #expect(other.advice?.hasPrefix("check its cable") == true)
    }
}
