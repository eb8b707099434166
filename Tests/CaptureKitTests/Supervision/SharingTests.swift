// Part of gst-capture. Apache License 2.0, see LICENSE.

import CameraKit
import CaptureBase
import Testing

@testable import CaptureKit

@Suite("Jobs that share a camera")
struct SharingTests {
    private static let earlier = CaptureConfiguration(source: .camera(.scene), output: .caller)

    private static func job(_ change: (inout CaptureConfiguration) -> Void) -> CaptureConfiguration {
        var configuration = earlier
        change(&configuration)
        return configuration
    }

    @Test("A job that requests no format or controls shares any camera")
    func anyCamera() {
        let earlier = Self.job {
            ($0.request.width, $0.request.format, $0.decode) = (640, "NV12", "jpegdec")
            $0.controls = [ControlAssignment(name: "gain", value: "1")]
            ($0.locks, $0.ramps, $0.flash) = ([.focus], [.exposure], .on)
        }
        #expect(Self.earlier.conflict(with: earlier, of: "the series") == nil)
        #expect(earlier.conflict(with: earlier, of: "the series") == nil)
    }

    @Test(
        "A job that contradicts an earlier one is refused, and the error names the option and the earlier job",
        arguments: [
            ("width", job { $0.request.width = 640 }), ("height", job { $0.request.height = 480 }),
            ("format", job { $0.request.format = "YUY2" }), ("decode", job { $0.decode = "jpegdec" }),
            ("set", job { $0.controls = [ControlAssignment(name: "gain", value: "1")] }),
            ("lock", job { $0.locks = [.focus] }), ("ramp", job { $0.ramps = [.exposure] }),
            ("flash", job { $0.flash = .on }),
        ])
    func conflict(option: String, later: CaptureConfiguration) throws {
        let error = try #require(later.conflict(with: Self.earlier, of: "the series"))
        #expect(error.code == .temporary)
        #expect(error.message.hasPrefix("is used by the series with another "))
        #expect(error.advice == "end the series, or leave out --\(option)")
    }
}
