// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit
import Synchronization
import Testing

@Suite("FrameBridge", .criticalsAreFatal, .timeLimit(.minutes(5)))
struct FrameBridgeTests {
    /// The receiving pipeline, which keeps all frames.
    private struct FarEnd {
        let pipeline: Pipeline
        let source: AppSource
        let sink: AppSink

        init(_ elements: String = "") throws {
            pipeline = try Pipeline("appsrc name=source is-live=true ! \(elements) appsink name=sink sync=false")
            source = try AppSource(named: "source", in: pipeline)
            sink = try AppSink(named: "sink", in: pipeline, .waitWhenHolding(100))
        }
    }

    private func camera(_ caps: String, count: Int = 3) throws -> Pipeline {
        try Pipeline(
            "videotestsrc num-buffers=\(count) ! video/x-raw,\(caps) ! appsink name=tap sync=false")
    }

    @Test("Frames cross a bridge with their caps, and get times of the receiving pipeline")
    func crosses() async throws {
        let far = try FarEnd()
        try await playing(far.pipeline) { _ in
            let before = PipelineClock.system.now
            let camera = try camera("format=GRAY8,width=16,height=16,framerate=1/1000")
            let bridge = try FrameBridge(from: "tap", in: camera, to: far.source)
            try await playing(camera) { try await $0.end() }
            for _ in 0..<3 {
                let sample = try #require(try await far.sink.nextSample())
                #expect(sample.caps?.videoInfo?.width == 16)
                #expect(sample.buffer?.count == 256)
                let base = try #require(far.pipeline.baseTime)
                let time = base + .nanoseconds(Int64(try #require(sample.runningTime).nanoseconds))
                #expect(time >= before && time <= PipelineClock.system.now)
            }
            bridge.close()
        }
    }

    @Test("A relayed sample keeps the moment of its capture, and is refused if the pipeline did not play then")
    func relaysMoments() async throws {
        let far = try FarEnd()
        let sample = Sample(try Buffer([1, 2, 3]), caps: try Caps("application/x-test"))
        #expect(sample.byteCount == 3)
        #expect(!far.source.relay(sample, at: .now))
        try await playing(far.pipeline) { _ in
            let base = try #require(far.pipeline.baseTime)
            #expect(!far.source.relay(sample, at: base - .milliseconds(1)))
            #expect(far.source.relay(sample, at: base + .milliseconds(5)))
            #expect(far.source.relay(sample, caps: try Caps("application/x-other"), at: base + .seconds(60)))
            let first = try #require(try await far.sink.nextSample())
            #expect(first.runningTime == .zero + .milliseconds(5))
            #expect(first.caps == sample.caps)
            let second = try #require(try await far.sink.nextSample())
            #expect(second.runningTime == .zero + .seconds(60))
            #expect(second.caps?.structures.first?.name == "application/x-other")
            #expect(far.source.pendingCount == 0)
        }
    }

    @Test("A request for a key frame travels upstream")
    func requestsKeyFrame() async throws {
        let far = try FarEnd("identity name=encoder !")
        let (seen, events) = AsyncStream<String>.makeStream()
        let pad = try #require(try far.pipeline.element(named: "encoder").pad("src"))
        try pad.probeEvents(.upstream) { event in
            if case .other(let name) = event { events.yield(name) }
            return .pass
        }
        try await playing(far.pipeline) { _ in
            try #require(try far.pipeline.element(named: "sink").pad("sink")).requestKeyFrame()
            var iterator = seen.makeAsyncIterator()
            while let name = await iterator.next(), name != "custom-upstream" {}
            events.finish()
        }
    }

    @Test("The receiving pipeline outlives the sending one, and accepts frames of the next sender in any format")
    func outlives() async throws {
        let far = try FarEnd("videoconvert !")
        try await playing(far.pipeline) { _ in
            for (format, width) in [("GRAY8", 16), ("I420", 64), ("BGRx", 31)] {
                let camera = try camera("format=\(format),width=\(width),height=16", count: 1)
                let bridge = try FrameBridge(from: "tap", in: camera, to: far.source)
                // The end of stream does not cross.
                try await playing(camera) { try await $0.end() }
                bridge.close()
                let info = try #require(try await far.sink.nextSample()?.caps?.videoInfo)
                #expect(info.width == width && info.format == format)
            }
        }
    }

    @Test("A bridge does not copy the data of a frame")
    func sharesMemory() async throws {
        let far = try FarEnd()
        let crossed = Mutex<[UInt]>([])
        try await playing(far.pipeline) { _ in
            let camera = try camera("format=GRAY8,width=16,height=16", count: 1)
            let bridge = try FrameBridge(from: "tap", in: camera) { [source = far.source] sample in
                if let place = try? sample.buffer?.address { crossed.withLock { $0.append(place) } }
                source.relay(sample)
            }
            try await playing(camera) { pipeline in
                try await pipeline.end()
                let sample = try #require(try await far.sink.nextSample())
                #expect(try crossed.withLock { $0 } == [sample.buffer?.address])
            }
            bridge.close()
        }
    }

    @Test("A receiving pipeline that accepts nothing does not block the sender, and keeps only the newest frame")
    func neverWaits() async throws {
        let far = try FarEnd()
        for (name, value) in [("max-buffers", "1"), ("max-bytes", "0"), ("leaky-type", "downstream")] {
            try far.source.element.set(name, to: value)
        }
        // The receiving pipeline does not play yet.
        try await far.pipeline.pause()
        let camera = try camera("format=GRAY8,width=16,height=16", count: 500)
        let bridge = try FrameBridge(from: "tap", in: camera, to: far.source)
        try await playing(camera) { try await $0.end() }
        #expect(try far.source.element.get("current-level-buffers") == UInt64(1))
        bridge.close()
        try await far.pipeline.stop()
        // A bridge to a stopped pipeline can be opened and closed.
        let late = try FrameBridge(from: "tap", in: self.camera("width=16,height=16"), to: far.source)
        late.close()
    }

    @Test("No frame crosses a closed bridge, and the sending pipeline continues")
    func closes() async throws {
        let crossed = Mutex(0)
        let (first, continuation) = AsyncStream.makeStream(of: Void.self)
        let camera = try Pipeline(
            "videotestsrc ! tee name=t  t. ! queue ! appsink name=tap sync=false  t. ! queue ! appsink name=other sync=false"
        )
        let other = try AppSink(named: "other", in: camera, .waitWhenHolding(1))
        let bridge = try FrameBridge(from: "tap", in: camera) { _ in
            crossed.withLock { $0 += 1 }
            continuation.finish()
        }
        try await playing(camera) { _ in
            for await _ in first {}
            bridge.close()
            let count = crossed.withLock { $0 }
            for _ in 0..<50 { _ = try #require(try await other.nextSample()) }
            #expect(crossed.withLock { $0 } == count)
        }
    }

    @Test("The release of a bridge closes it, even on the thread that passes frames")
    func closesWithHandle() async throws {
        let pipeline = try camera("format=GRAY8,width=16,height=16", count: -1)
        let outlet = try FrameOutlet(named: "tap", in: pipeline)
        let (unused, own, released) = (Holder(), Holder(), Log<Void>())
        open(on: outlet, unused, Token(released: released))
        open(on: outlet, own, Token(released: released))
        unused.release()
        await released.first(1)
        try await playing(pipeline) { _ in _ = await released.first(2) }
        outlet.close()
    }

    /// Opens a bridge whose body releases it.
    private func open(on outlet: FrameOutlet, _ holder: Holder, _ token: Token) {
        let bridge = outlet.bridge { _ in
            token.touch()
            holder.release()
        }
        holder.hold(bridge)
    }

    /// The only handle of a bridge.
    private final class Holder: Sendable {
        private let bridge = Mutex<FrameBridge?>(nil)

        func hold(_ bridge: FrameBridge) { self.bridge.withLock { $0 = bridge } }

        func release() { bridge.withLock { $0 = nil } }
    }

    @Test("A bridge from an element that is not an appsink of the pipeline throws")
    func errors() throws {
        let pipeline = try Pipeline("fakesrc ! fakesink name=sink")
        #expect(failure { try FrameBridge(from: "nowhere", in: pipeline) { _ in } }?.code == .notFound)
        #expect(failure { try FrameBridge(from: "sink", in: pipeline) { _ in } }?.code == .notFound)
    }
}

extension Buffer {
    /// The address of the bytes.
    fileprivate var address: UInt {
        get throws { try withBytes { $0.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) } } }
    }
}
