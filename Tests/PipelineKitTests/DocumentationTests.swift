// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation
import PipelineKit
import Synchronization
import Testing

/// The examples of the documentation, verbatim.
@Suite("The examples of the documentation", .criticalsAreFatal, .timeLimit(.minutes(5)))
struct DocumentationTests {
    // MARK: PipelineKit

    @Test("The example of the landing page reads the pictures of a pipeline")
    func landingPage() async throws {
        let pipeline = try Pipeline("videotestsrc num-buffers=30 ! jpegenc ! appsink name=pictures sync=false")
        let pictures = try AppSink(named: "pictures", in: pipeline, .waitWhenHolding(4))
        try await pipeline.play()
        for try await picture in pictures.samples {
            print(picture.buffer?.count ?? 0, "bytes of JPEG")
        }
        try await pipeline.stop()
    }

    // MARK: Ownership

    @Test("The example of a weak capture stops the pipeline in a probe")
    func weakCapture() async throws {
        let pipeline = try Pipeline("videotestsrc ! fakesink name=sink")
        try pipeline.element(named: "sink").pad("sink")?.probeBuffers { [weak pipeline] _ in
            pipeline?.stopSoon()
            return .remove
        }
        let messages = pipeline.bus.messages()
        try await pipeline.play()
        for await _ in messages {}
        try await pipeline.stop()
    }

    @Test("The example of writing in place draws a line on a frame")
    func writing() async throws {
        let pipeline = try Pipeline(
            "videotestsrc num-buffers=2 pattern=black ! video/x-raw,format=I420,width=320,height=240 ! appsink name=sink"
        )
        let sink = try AppSink(named: "sink", in: pipeline, .waitWhenHolding(2))
        let format = try VideoInfo(format: "I420", width: 320, height: 240)
        try pipeline.element(named: "sink").pad("sink")?.probeBuffers { buffer in
            try? buffer.withWritableVideoFrame(format) { frame in
                frame.withPlane(0) { luma, layout in
                    // A white line down the left edge. Rows are `stride` bytes apart, not `width`.
                    for row in 0..<layout.rows {
                        luma.storeBytes(of: 235, toByteOffset: row * layout.stride, as: UInt8.self)
                    }
                }
            }
            return .pass
        }
        try await playing(pipeline) { _ in
            let bytes = try await sink.nextSample()?.buffer?.bytes()
            #expect(bytes?[320] == 235)
            #expect(bytes?[321] == 16)
        }
    }

    // MARK: Threading

    @Test("The example of deadlines plays and stops a pipeline")
    func deadlines() async throws {
        let pipeline = try Pipeline("videotestsrc ! fakesink")
        do {
            try await pipeline.play(deadline: .seconds(5))
        } catch {
            guard error.code == .deadline else { throw error }
            print("the driver hangs:", error)
        }
        try await pipeline.stop()
    }

    @Test("The example of messages reads them until the end of the stream")
    func messages() async throws {
        let pipeline = try Pipeline("videotestsrc num-buffers=2 ! fakesink sync=false")
        let watching = Task { [bus = pipeline.bus] in
            for await message in bus.messages() {
                if case .error(let error) = message.content { return error as PipelineError? }
                if case .endOfStream = message.content { break }
            }
            return nil
        }
        try await pipeline.play()
        #expect(await watching.value == nil)
        try await pipeline.stop()
    }

    @Test("The example of sharing state with a callback measures the brightest pixel")
    func sharing() async throws {
        let pipeline = try Pipeline(
            "videotestsrc pattern=white num-buffers=2 ! video/x-raw,format=GRAY8 ! fakesink name=sink")
        final class Current: Sendable {
            let format = Mutex<VideoInfo?>(nil)
            let brightest = Atomic<Int>(0)
        }

        let current = Current()
        let pad = try pipeline.element(named: "sink").pad("sink")
        try pad?.probeEvents { event in
            if case .caps(let caps) = event { current.format.withLock { $0 = caps.videoInfo } }
            return .pass
        }
        try pad?.probeBuffers { buffer in
            guard let format = current.format.withLock({ $0 }) else { return .pass }
            try? buffer.withVideoFrame(format) { frame in
                frame.withPlane(0) { luma, _ in
                    let brightest = luma.withUnsafeBytes { Int($0.max() ?? 0) }
                    current.brightest.max(brightest, ordering: .relaxed)
                }
            }
            return .pass
        }
        try await playing(pipeline) { try await $0.end() }
        #expect(current.brightest.load(ordering: .relaxed) == 235)
    }

    // MARK: From gst-launch to Swift

    @Test("The example of a run waits for the end of the stream")
    func run() async throws {
        let pipeline = try Pipeline("videotestsrc num-buffers=30 ! jpegenc ! fakesink")
        try await pipeline.play()
        for await message in pipeline.bus.messages() {
            if case .error(let error) = message.content { throw error }
            if case .endOfStream = message.content { break }
        }
        try await pipeline.stop()
    }

    @Test("The example of errors catches the error of a description")
    func errors() throws {
        do {
            _ = try Pipeline("libcamerasrc ! nosuchfilter ! fakesink")
        } catch {
            // libcamerasrc: no elements "libcamerasrc", "nosuchfilter"; install gstreamer1.0-libcamera
            print(error)
        }
    }

    @Test("The example of properties sets and reads a property")
    func properties() throws {
        let source = try Element.make("videotestsrc")
        try source.set("pattern", to: "smpte")
        try source.set("num-buffers", to: 100)
        let pattern: String = try source.get("pattern")
        #expect(pattern == "smpte")
    }

    @Test("The example of elements builds and plays a pipeline")
    func building() async throws {
        let pipeline = try Pipeline.make()
        let source = try Element.make("videotestsrc")
        let sink = try Element.make("fakesink")
        try pipeline.add(source)
        try pipeline.add(sink)
        try source.link(to: sink, caps: Caps("video/x-raw,width=640,height=480"))
        try await playing(pipeline) { _ in }
    }

    @Test("The example of output reads a live picture")
    func pictures() async throws {
        let pipeline = try Pipeline("videotestsrc is-live=true ! jpegenc ! appsink name=pictures")
        let pictures = try AppSink(named: "pictures", in: pipeline, .keepNewest())
        try await pipeline.play()
        if let picture = try await pictures.nextSample(), let jpeg = try picture.buffer?.bytes() {
            if let running = picture.runningTime, let base = pipeline.baseTime {
                let age = PipelineClock.system.now - (base + (running - .zero))
                print(jpeg.count, "bytes, taken", age, "ago")
            }
        }
        try await pipeline.stop()
    }

    @Test("The example of input encodes a pushed frame")
    func dataIn() async throws {
        let pipeline = try Pipeline("appsrc name=input ! jpegenc ! appsink name=output sync=false")
        let format = try VideoInfo(format: "GRAY8", width: 16, height: 16)
        let input = try AppSource(named: "input", in: pipeline, caps: format.caps)
        let output = try AppSink(named: "output", in: pipeline, .waitWhenHolding(1))
        try await pipeline.play()
        try input.push(Buffer(Array(repeating: 128, count: format.byteCount), presentationTime: .zero))
        try input.endStream()
        let jpeg = try await output.nextSample()?.buffer?.bytes()
        try await pipeline.stop()
        #expect(jpeg?.starts(with: [0xFF, 0xD8]) == true)
    }

    @Test("The example of replacing an element does so while the pipeline plays")
    func replacing() async throws {
        let pipeline = try Pipeline(
            "videotestsrc ! video/x-raw,format=I420 ! queue name=source ! identity name=old ! fakesink name=sink"
        )
        let (source, sink) = try (pipeline.element(named: "source"), pipeline.element(named: "sink"))
        try await pipeline.play()
        if let block = try source.pad("src")?.block(), await block.waitUntilHolding() {
            let (old, new) = try (pipeline.element(named: "old"), Element.make("videoflip"))
            source.unlink(from: old)
            old.unlink(from: sink)
            pipeline.remove(old)
            try pipeline.add(new)
            try new.link(to: sink)
            _ = new.followPipeline()
            try source.link(to: new)
            block.end()
        }
        try await pipeline.stop()
    }

    @Test("The example of signals connects and disconnects a handler")
    func signals() async throws {
        let pipeline = try Pipeline("fakesrc num-buffers=3 ! identity name=watch ! fakesink")
        let connection = try pipeline.element(named: "watch").connect("handoff") { arguments in
            if case .buffer(let buffer) = arguments.first { print(buffer.count, "bytes") }
            return nil
        }
        try await playing(pipeline) { try await $0.end() }
        connection.disconnect()
    }

    @Test("The example of devices lists the video sources")
    func devices() async throws {
        let monitor = try DeviceMonitor(deviceClass: "Video/Source")
        for device in try await monitor.devices() {
            print(device.displayName, device.details?["device.path", as: String.self] ?? "")
        }
    }

    // MARK: All articles

    @Test(
        "The examples of the articles are those of these tests",
        arguments: [
            "PipelineKit", "MemoryAndOwnership", "Threading", "FromGstLaunchToSwift",
        ])
    func sameText(article: String) throws {
        let tests = URL(filePath: #filePath)
        let articles = tests.deletingLastPathComponent().appending(path: "../../Sources/PipelineKit/PipelineKit.docc")
        let article = try lines(articles.appending(path: "\(article).md"))
        let code = try lines(tests).joined(separator: "\n")
        let examples = article.split(separator: "```swift").dropFirst().compactMap { $0.split(separator: "```").first }
        #expect(!examples.isEmpty)
        for example in examples { #expect(code.contains(example.joined(separator: "\n"))) }
    }

    /// The lines of a file, without their indentation.
    private func lines(_ file: URL) throws -> [String] {
        try String(contentsOf: file, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.trimmingCharacters(in: .whitespaces) }
    }
}
