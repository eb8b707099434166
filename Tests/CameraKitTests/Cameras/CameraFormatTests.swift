// Part of gst-capture. Apache License 2.0, see LICENSE.

import CameraKit
import Testing

@Suite("Camera formats")
struct CameraFormatTests {
    @Test(
        "V4L2 formats have GStreamer's names",
        arguments: [
            ("YUYV", "video/x-raw,format=YUY2"), ("UYVY", "video/x-raw,format=UYVY"),
            ("NV12", "video/x-raw,format=NV12"), ("NM12", "video/x-raw,format=NV12"),
            ("YU12", "video/x-raw,format=I420"), ("GREY", "video/x-raw,format=GRAY8"),
            ("RGB3", "video/x-raw,format=RGB"), ("BGR3", "video/x-raw,format=BGR"),
            ("BA24", "video/x-raw,format=ARGB"), ("AR24", "video/x-raw,format=BGRA"),
            ("XR24", "video/x-raw,format=BGRx"), ("Y16 ", "video/x-raw,format=GRAY16_LE"),
            ("Y16 -BE", "video/x-raw,format=GRAY16_BE"), ("RGGB", "video/x-bayer,format=rggb"),
            ("MJPG", "image/jpeg"), ("JPEG", "image/jpeg"), ("H264", "video/x-h264"),
        ])
    func names(fourcc: String, caps: String) {
        #expect(FourCC(fourcc).media?.description == caps)
    }

    @Test("Formats unknown to GStreamer keep V4L2's name", arguments: ["BG10", "pRAA", "VYUY", "ZZZZ"])
    func unknown(fourcc: String) {
        let format = CameraFormat(fourcc: FourCC(fourcc), sizes: [])
        #expect(format.media == nil)
        #expect(format.fourcc.description == fourcc)
    }

    @Test(
        "Any format code of a driver can be printed",
        arguments: [0, 1, 0xFFFF_FFFF, 0x8000_0000, 0x0A1B_5B00] as [UInt32])
    func hostile(number: UInt32) {
        #expect(FourCC(rawValue: number).description.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F })
    }

    @Test("Formats are found by any of their names")
    func named() {
        let jpeg = CameraFormat(fourcc: FourCC("MJPG"), sizes: [])
        let yuy2 = CameraFormat(fourcc: FourCC("YUYV"), sizes: [])
        #expect(["mjpeg", "MJPG", "jpeg", "image/jpeg"].allSatisfy(jpeg.isNamed))
        #expect(["YUY2", "yuyv", "video/x-raw,format=YUY2"].allSatisfy(yuy2.isNamed))
        #expect(!yuy2.isNamed("jpeg"))
    }

    @Test("An empty text names no format, not even one without V4L2's code")
    func unnamed() {
        let format = CameraFormat(fourcc: .none, title: "", media: .raw("YUY2"), sizes: [])
        #expect(format.isNamed("yuy2"))
        #expect(!format.isNamed(""))
    }

    @Test("A stepped range of sizes contains only the sizes on its steps")
    func stepped() {
        let size = FrameSize(SteppedRange(16, through: 1921, step: 8), SteppedRange(16, through: 1080, step: 2))
        #expect(size.description == "16-1920/8x16-1080/2")
        #expect(size.contains(width: 640, height: 480))
        #expect(!size.contains(width: 641, height: 480))
        #expect(!size.contains(width: 1921, height: 480))
        #expect(size.widths.nearest(to: 643) == 640)
        #expect(size.widths.nearest(to: 644) == 648)
        #expect(size.widths.nearest(to: Int.min) == 16)
        #expect(size.widths.nearest(to: Int.max) == 1920)
    }

    @Test("Impossible sizes of a driver cause no trap")
    func lies() {
        #expect(SteppedRange(100, through: 10, step: 0).description == "10-100")
        #expect(SteppedRange(10, through: 100, step: -5).contains(11))
        #expect(SteppedRange(Int.min, through: Int.max, step: Int.max).contains(Int.min))
        #expect(FrameSize(Int.max, Int.max).area == Int.max)
    }

    @Test("The scene lists common sizes first, and supports every other size up to 8K")
    func scene() throws {
        let scene = try #require(Camera.scene.formats.first)
        #expect(Camera.scene.isUsable)
        #expect(scene.sizes.first?.description == "1920x1080")
        #expect(scene.contains(width: 1001, height: 77))
        #expect(!scene.contains(width: 100_000, height: 77))
    }
}
