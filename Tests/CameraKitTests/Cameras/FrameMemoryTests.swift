// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Testing

@testable import CameraKit

@Suite("Memory for libcamera's frames")
struct FrameMemoryTests {
    @Test("One usable device is enough")
    func usable() {
        #expect(FrameMemory.problem(of: ["/nowhere/dma_heap/system", "/dev/null"]) == nil)
    }

    @Test("A kernel without these devices is named as the reason")
    func missing() {
        let problem = FrameMemory.problem(of: ["/nowhere/dma_heap/system", "/nowhere/udmabuf"])
        #expect(
            problem?.description
                == "the kernel has neither /dev/dma_heap nor /dev/udmabuf; use a kernel with one of them, such as Debian "
                + "13's")
    }

    @Test("The first device that cannot be used is named with its remedy")
    func refused() {
        // A path below a file is no missing device.
        let problem = FrameMemory.problem(of: ["/nowhere/dma_heap/system", "/dev/null/first", "/dev/null/second"])
        #expect(problem?.subject == "/dev/null/first" && problem?.advice != nil)
    }
}
