// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import PipelineKit
import Testing

@testable import StillKit

@Suite("GStreamer's errors of a camera, in the user's terms")
struct PipelineErrorTests {
    private static func resource(_ number: Int, _ text: String, _ debug: String, from element: String) -> PipelineError
    {
        PipelineError(
            .stream, text, element: element, debug: debug, domain: "gst-resource-error-quark", number: number)
    }

    @Test(
        "A camera that fails while it streams is reported as unplugged or as a failed driver",
        arguments: ["poll error 1", "poll error 1: No such device (19)"])
    func read(debug: String) {
        let error = Self.resource(9, "Could not read from resource.", debug, from: "v4l2src0")
        let converted = CaptureError(error, subject: "/dev/video0")
        #expect(converted.code == .noCamera)
        #expect(converted.summary == "/dev/video0: was unplugged, or its driver failed")
    }

    @Test("A camera that disappears before its frame is dequeued is not reported as a lack of memory")
    func takenOut() {
        let error = Self.resource(14, "Failed to allocate a buffer", "", from: "v4l2src0")
        let converted = CaptureError(error, subject: "/dev/video0")
        #expect(converted.summary == "/dev/video0: was unplugged, or its driver failed")
    }

    @Test("A driver that does not start to stream is not reported as a lack of memory")
    func start() {
        let error = Self.resource(
            13, "Failed to allocate required memory.", "Buffer pool activation failed", from: "v4l2src1")
        #expect(CaptureError(error, subject: "/dev/video0").message == "its driver does not start streaming")
    }

    @Test(
        "A camera that hangs when its format is set is reported as not answering, with a remedy",
        arguments: ["Input/output error", "Connection timed out", "Protocol error"])
    func silent(reason: String) {
        for call in ["TRY_FMT", "S_FMT"] {
            let error = Self.resource(
                1, "Device '/dev/video2' failed during initialization",
                "Call to \(call) failed for MJPG @ 640x480: \(reason)", from: "v4l2src0")
            let converted = CaptureError(error, subject: "/dev/video2")
            #expect(converted.code == .noCamera)
            #expect(converted.summary == "/dev/video2: does not answer: its driver cannot set the format")
            #expect(converted.advice == "reconnect it; if that does not help, see what dmesg says")
        }
    }

    @Test("A format that the driver refuses is not reported as a camera that does not answer")
    func refused() {
        let error = Self.resource(
            13, "Device '/dev/video2' has no supported format",
            "Call to S_FMT failed for YUYV @ 640x480: Invalid argument", from: "v4l2src0")
        #expect(CaptureError(error, subject: "/dev/video2").message == "Device '/dev/video2' has no supported format")
    }

    @Test("Errors of other sources keep GStreamer's own message")
    func others() {
        let error = Self.resource(9, "Could not read from resource.", "", from: "filesrc0")
        #expect(CaptureError(error).description == "filesrc0: Could not read from resource.")
    }

    @Test("A call that does not return is reported as a driver that hangs")
    func hanging() {
        let converted = CaptureError(PipelineError(.deadline, "stopping has not returned within 10.0 seconds"))
        #expect(converted.code == .wedged)
        #expect(converted.message.contains("the driver hangs: stopping"))
        #expect(converted.advice?.contains("restart gst-capture") == true)
    }
}

@Suite("GStreamer's errors of an encoder, in the user's terms", .timeLimit(.minutes(5)))
struct EncoderErrorTests {
    @Test("Each error of an encoder has the code of its cause, and none advises about a camera")
    func codes() {
        let errors: [(PipelineError, CaptureError.Code)] = [
            (PipelineError(.missingElement, "there is no element webpenc"), .configuration),
            (
                PipelineError(.stream, "Internal data stream error.", debug: "reason not-negotiated (-4)"),
                .configuration
            ),
            (PipelineError(.deadline, "changing to playing has not returned within 10.0 seconds"), .temporary),
            (PipelineError(.flow, "produced no picture"), .inputOutput),
            (PipelineError(.stream, "Failed to decode JPEG image"), .inputOutput),
            (PipelineError(.map, "no memory for a frame"), .inputOutput),
        ]
        for (error, code) in errors {
            let converted = CaptureError(encoding: error)
            #expect(converted.code == code, "\(error)")
            #expect(converted.subject == "encoder")
            #expect(!converted.description.contains("camera") && !converted.description.contains("driver"))
        }
    }

    @Test("A frame that the elements drop is an error of input, not a missing camera")
    func dropped() async throws {
        let caps = try Caps("image/jpeg")
        let line = try await EncoderLine(elements: ["jpegdec"], caps) { _ in }
        defer { line.close() }
        let broken = Sample(try Buffer(Array("no picture".utf8), presentationTime: .zero), caps: caps)
        let error = await #expect(throws: CaptureError.self) { try await line.encode(broken) }
        #expect(error?.code == .inputOutput)
    }
}
