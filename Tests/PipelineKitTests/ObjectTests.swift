// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation
import Testing

@testable import PipelineKit

@Suite("Objects and errors", .criticalsAreFatal, .timeLimit(.minutes(5)))
struct ObjectTests {
    @Test("Two handles of one object are equal, and have its type and name")
    func identity() throws {
        let pipeline = try Pipeline("fakesrc name=source ! fakesink name=sink")
        let (first, second) = try (pipeline.element(named: "source"), pipeline.element(named: "source"))
        #expect(first !== second)
        #expect(first == second)
        #expect(try Set([first, second, pipeline.element(named: "sink")]).count == 2)
        #expect(first.typeName == "GstFakeSrc")
        #expect(first.description == "GstFakeSrc source")
        #expect(PipelineClock.system.typeName == "GstSystemClock")
    }

    @Test("GStreamer reports its version, and whether an element is installed")
    func library() throws {
        try GStreamer.initialize()
        #expect(GStreamer.version.hasPrefix("1."))
        #expect(GStreamer.hasElement("fakesink"))
        #expect(!GStreamer.hasElement("nosuchthing"))
        #expect(!GStreamer.hasElement(""))
    }

    @Test("An error is one line: element, message and advice")
    func errors() {
        #expect(PipelineError(.link, "does not fit").description == "does not fit")
        let whole = PipelineError(.stream, "is busy", element: "camera", advice: "close the other program")
        #expect(whole.description == "camera: is busy; close the other program")
        #expect(PipelineError.Code.missingElement.description == "missing-element")
    }

    @Test(
        "The package of a missing element is that of Debian, or of the vendor",
        arguments: [
            ("libcamerasrc", "gstreamer1.0-libcamera"), ("x264enc", "gstreamer1.0-plugins-ugly"),
            ("textoverlay", "gstreamer1.0-x"), ("vaapih264enc", "gstreamer1.0-vaapi"),
            ("vah264enc", "gstreamer1.0-plugins-bad"), ("varenderD129h264dec", "gstreamer1.0-plugins-bad"),
            ("avdec_h264", "gstreamer1.0-libav"), ("avwait", "gstreamer1.0-plugins-bad"),
            ("av1enc", "gstreamer1.0-plugins-bad"), ("avidemux", "gstreamer1.0-plugins-good"),
            ("rtph264pay", "gstreamer1.0-plugins-good"), ("rtpsink", "gstreamer1.0-plugins-bad"),
            ("rtpasfdepay", "gstreamer1.0-plugins-ugly"), ("v4l2h264enc", "gstreamer1.0-plugins-good"),
            ("v4l2slh264dec", "gstreamer1.0-plugins-bad"), ("nvh264enc", "gstreamer1.0-plugins-bad"),
            ("nvarguscamerasrc", "NVIDIA's L4T (nvidia-l4t-gstreamer)"), ("handdetect", "gstreamer1.0-opencv"),
            ("voaacenc", "gstreamer1.0-plugins-bad"), ("avenc_aac", "gstreamer1.0-libav"),
            ("pulsesrc", "gstreamer1.0-pulseaudio"), ("level", "gstreamer1.0-plugins-good"),
        ])
    func packages(factory: String, package: String) {
        #expect(ElementPackages.package(of: factory) == package)
    }

    @Test("A misspelled element has no package", arguments: ["vakve", "avidmux", "avx", "opencvx"])
    func misspelled(factory: String) throws {
        #expect(ElementPackages.package(of: factory) == nil)
        let error = try #require(failure { try Element.make(factory) })
        #expect(error.advice == "check its spelling with gst-inspect-1.0")
    }

    @Test("GStreamer starts without a change of the process environment")
    func environment() async {
        await #expect(processExitsWith: .success) {
            for name in ["GST_V4L2_FORCE_DRAIN", "OPENCV_LOG_LEVEL"] { unsetenv(name) }
            let before = ProcessInfo.processInfo.environment
            try GStreamer.initialize()
            _ = try Element.make("videotestsrc")
            #expect(ProcessInfo.processInfo.environment == before)
        }
    }
}
