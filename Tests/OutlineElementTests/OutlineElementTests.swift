// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Foundation
import LayerKit
import OutlineElement
import OverlayCompositor
import PipelineKit
import Testing

@Suite("The element outlineoverlay", .timeLimit(.minutes(2)))
struct OutlineElementTests {
    init() throws {
        try GStreamer.initialize()
        registerOutlineElement()
    }

    private static let source = "videotestsrc num-buffers=1 pattern=smpte ! video/x-raw,width=320,height=240"

    /// Returns the bytes of the first frame behind elements.
    private func frame(_ format: String, behind elements: String) async throws -> [UInt8] {
        let pipeline = try Pipeline(
            "\(Self.source),format=\(format) ! \(elements) ! appsink name=out sync=false")
        let output = try AppSink(named: "out", in: pipeline, .waitWhenHolding(1))
        try await pipeline.play()
        let sample = try await output.nextSample()
        let bytes = try #require(sample?.buffer).bytes()
        try await pipeline.stop()
        return bytes
    }

    /// Plays a pipeline that has to fail, and returns the first error.
    private func error(of elements: String) async throws -> PipelineError {
        let pipeline = try Pipeline("\(Self.source) ! \(elements) ! fakesink")
        do throws(PipelineError) {
            try await pipeline.play()
        } catch {
            try await pipeline.stop()
            return try #require(pipeline.bus.firstError)
        }
        throw try #require(pipeline.bus.firstError)
    }

    @Test(
        "The first frame shows the drawing of gst-capture, in each kind of format",
        arguments: ["I420", "NV12", "YUY2", "RGB", "BGRA", "GRAY8"])
    func sameDrawing(format: String) async throws {
        let layers = "face;color=#7cff9b,grid:thirds,text:no. 7"
        let plain = try await frame(format, behind: "identity")
        let drawn = try await frame(format, behind: "outlineoverlay overlay=\"\(layers)\"")
        let info = try VideoInfo(format: format, width: 320, height: 240)
        let selection = try LayerSelection(
            [layers], outlines: OutlineLibrary(PresetSurroundings(workingFolder: Self.checkout)))
        let planner = OverlayPlanner(try RasterProcess.standard())
        let result = try await planner.plan(OverlayContents(selection.layers), at: 0, for: info)
        #expect(result.failures.isEmpty)
        let expected = try FramePool(info).makeFrame { frame in
            frame.copy(plain)
            result.plan.blend(into: &frame)
        }
        #expect(drawn != plain)
        #expect(try drawn == expected.bytes())
    }

    private static let checkout = "\(#filePath.split(separator: "/Tests/")[0])"

    @Test("The outline is below the layers of the overlay, and the appearance is that of both")
    func properties() async throws {
        let both = try await frame(
            "I420", behind: "outlineoverlay outline=face overlay=grid:thirds appearance=color=orange")
        let one = try await frame(
            "I420", behind: "outlineoverlay overlay=\"face;color=orange,grid:thirds;color=orange\"")
        #expect(both == one)
    }

    @Test("Without layers, frames pass unchanged")
    func empty() async throws {
        let plain = try await frame("I420", behind: "identity")
        let passed = try await frame("I420", behind: "outlineoverlay")
        #expect(passed == plain)
    }

    @Test("A buffer that another branch reads is copied, and stays as it was there")
    func sharedBuffer() async throws {
        let pipeline = try Pipeline(
            """
            \(Self.source),format=I420 ! tee name=all
            all. ! queue ! appsink name=plain sync=false
            all. ! queue ! outlineoverlay outline=face ! appsink name=drawn sync=false
            """)
        let outputs = try ["plain", "drawn"].map { try AppSink(named: $0, in: pipeline, .waitWhenHolding(1)) }
        try await pipeline.play()
        var frames: [[UInt8]] = []
        for output in outputs { frames.append(try #require(try await output.nextSample()?.buffer).bytes()) }
        try await pipeline.stop()
        let plain = try await frame("I420", behind: "identity")
        let drawn = try await frame("I420", behind: "outlineoverlay outline=face")
        #expect(frames == [plain, drawn])
    }

    @Test(
        "An invalid property ends the start with one line that says what to do",
        arguments: [
            ("outline=fce", #""fce": there is no such outline; did you mean face?"#),
            ("overlay=gird:thirds", #"overlay: "gird" is not a kind of layer; did you mean grid?"#),
            ("appearance=colour=ornage", #"color: "ornage" is not a color; did you mean orange?"#),
            ("outline=/nowhere/cat.svg", "/nowhere/cat.svg"),
        ])
    func invalid(property: String, message: String) async throws {
        let error = try await error(of: "outlineoverlay name=overlay \(property)")
        #expect(error.message.contains(message))
        #expect(error.element == "overlay")
    }

    @Test("An invalid change while frames flow is a warning, and frames keep the drawing")
    func invalidChange() async throws {
        let pipeline = try Pipeline(
            """
            videotestsrc pattern=black ! video/x-raw,format=GRAY8,width=320,height=240
            ! outlineoverlay name=overlay outline=face ! appsink name=out
            """)
        let output = try AppSink(named: "out", in: pipeline, .keepNewest(1))
        let messages = pipeline.bus.messages()
        try await pipeline.play()
        let before = try #require(try await output.nextSample()?.buffer).bytes()
        try pipeline.element(named: "overlay").set("outline", to: "fce")
        let warning = await messages.first { message in
            guard case .warning(let warning) = message.content else { return false }
            return warning.message.contains("did you mean face?")
        }
        #expect(warning != nil)
        let after = try #require(try await output.nextSample()?.buffer).bytes()
        #expect(after == before)
        #expect(Set(after).count > 1)
        try await pipeline.stop()
    }

    @Test("A change while frames flow is drawn")
    func change() async throws {
        let pipeline = try Pipeline(
            """
            videotestsrc pattern=black ! video/x-raw,format=GRAY8,width=320,height=240
            ! outlineoverlay name=overlay ! appsink name=out
            """)
        let output = try AppSink(named: "out", in: pipeline, .keepNewest(1))
        try await pipeline.play()
        let plain = try #require(try await output.nextSample()?.buffer).bytes()
        try pipeline.element(named: "overlay").set("overlay", to: "grid:thirds")
        while let bytes = try await output.nextSample()?.buffer?.bytes(), bytes == plain { await Task.yield() }
        #expect(try pipeline.element(named: "overlay").get("overlay", as: String.self) == "grid:thirds")
        try await pipeline.stop()
    }

    @Test("A pipeline can be stopped while the filter waits for a drawing, and starts again")
    func stopped() async throws {
        for _ in 0..<10 {
            let pipeline = try Pipeline(
                "videotestsrc ! outlineoverlay outline=body-front overlay=text:%H:%M ! fakesink")
            try await pipeline.play()
            try await pipeline.stop()
        }
    }

    @Test("A format whose samples are not bytes is refused when pads are linked")
    func foreignFormat() throws {
        #expect(throws: PipelineError.self) {
            try Pipeline("videotestsrc ! video/x-raw,format=GRAY16_LE ! outlineoverlay ! fakesink")
        }
    }
}

extension WritableVideoFrame {
    /// Fills the planes with the bytes of a frame of the same format, which GStreamer laid out.
    fileprivate mutating func copy(_ bytes: [UInt8]) {
        var start = 0
        for plane in 0..<planeCount {
            withPlane(plane) { span, layout in
                span.withUnsafeMutableBytes { memory in
                    let count = layout.stride * layout.rows
                    memory.copyBytes(from: bytes[start..<min(start + count, bytes.count)])
                    start += count
                }
            }
        }
    }
}
