// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit
import Synchronization
import Testing

@Suite("Probes", .criticalsAreFatal, .timeLimit(.minutes(5)))
struct ProbeTests {
    private let small = "video/x-raw,format=I420,width=32,height=16"

    @Test("A probe sees every buffer, with its size and its time")
    func sees() async throws {
        let pipeline = try Pipeline("videotestsrc num-buffers=3 ! \(small),framerate=10/1 ! fakesink name=sink")
        let (sizes, times) = (Log<Int>(), Log<ClockTime?>())
        try pipeline.sinkPad("sink").probeBuffers { buffer in
            sizes.append(buffer.count)
            times.append(buffer.presentationTime)
            return .pass
        }
        try await playing(pipeline) { try await $0.end() }
        #expect(sizes.items == [768, 768, 768])
        #expect(times.items == [0, 100_000_000, 200_000_000].map { ClockTime(nanoseconds: $0) })
    }

    @Test("Buffers that a probe drops do not reach the next element")
    func drops() async throws {
        let pipeline = try Pipeline("fakesrc num-buffers=4 ! identity name=i ! fakesink name=sink")
        let count = Atomic(0)
        let arrived = Log<Void>()
        try pipeline.sinkPad("i").probeBuffers { _ in
            count.wrappingAdd(1, ordering: .relaxed).newValue.isMultiple(of: 2) ? .drop : .pass
        }
        try pipeline.sinkPad("sink").probeBuffers { _ in
            arrived.append()
            return .pass
        }
        try await playing(pipeline) { try await $0.end() }
        #expect(arrived.items.count == 2)
    }

    @Test("A probe can replace a buffer")
    func replaces() async throws {
        let pipeline = try Pipeline("fakesrc num-buffers=2 sizetype=fixed sizemax=3 ! appsink name=sink sync=false")
        let sink = try AppSink(named: "sink", in: pipeline, .waitWhenHolding(4))
        let other = try Buffer([7, 8], presentationTime: ClockTime(nanoseconds: 5))
        try pipeline.sinkPad("sink").probeBuffers { buffer in
            buffer.replace(with: other)
            buffer.replace(with: buffer.retained())
            return .pass
        }
        try await playing(pipeline) { _ in
            for _ in 0..<2 {
                let bytes = try await sink.nextSample()?.buffer?.bytes()
                #expect(bytes == [7, 8])
            }
        }
        #expect(try other.bytes() == [7, 8])
    }

    @Test("Writing in place in a probe changes the buffer downstream, and not the other branch of a tee")
    func writesShared() async throws {
        let pipeline = try Pipeline(
            """
            videotestsrc pattern=black num-buffers=3 ! \(small) ! tee name=t
            t. ! queue ! identity name=writer ! appsink name=written sync=false
            t. ! queue ! appsink name=clean sync=false
            """)
        let written = try AppSink(named: "written", in: pipeline, .waitWhenHolding(3))
        let clean = try AppSink(named: "clean", in: pipeline, .waitWhenHolding(3))
        let info = try VideoInfo(format: "I420", width: 32, height: 16)
        try pipeline.sinkPad("writer").probeBuffers { buffer in
            try? buffer.withWritableVideoFrame(info) { frame in
                frame.withPlane(0) { bytes, layout in
                    for row in 0..<layout.rows {
                        bytes.storeBytes(of: 235, toByteOffset: row * layout.stride, as: UInt8.self)
                    }
                }
            }
            return .pass
        }
        try await playing(pipeline) { _ in
            for _ in 0..<3 {
                let (left, right) = (try await written.nextSample(), try await clean.nextSample())
                let columns = try (left?.firstColumn(), right?.firstColumn())
                #expect(columns == ([235], [16]))
            }
        }
    }

    @Test("A frame behind a converter can be written in place")
    func writesAlone() async throws {
        let pipeline = try Pipeline(
            "videotestsrc num-buffers=2 ! \(small) ! videoconvert ! video/x-raw,format=BGRx ! appsink name=sink sync=false"
        )
        let sink = try AppSink(named: "sink", in: pipeline, .waitWhenHolding(2))
        try pipeline.sinkPad("sink").probeBuffers { buffer in
            guard let info = try? VideoInfo(format: "BGRx", width: 32, height: 16) else { return .drop }
            try? buffer.withWritableVideoFrame(info) { frame in
                frame.withPlane(0) { bytes, layout in
                    for offset in 0..<bytes.byteCount { bytes.storeBytes(of: 1, toByteOffset: offset, as: UInt8.self) }
                }
            }
            return .pass
        }
        try await playing(pipeline) { _ in
            let bytes = try await sink.nextSample()?.buffer?.bytes()
            #expect(bytes == Array(repeating: 1, count: 32 * 16 * 4))
        }
    }

    @Test("Reading or writing a frame that is too short for the format throws")
    func mapErrors() async throws {
        let pipeline = try Pipeline("fakesrc num-buffers=1 sizetype=fixed sizemax=9 ! fakesink name=sink")
        let (info, errors) = (try VideoInfo(format: "I420", width: 32, height: 16), Log<PipelineError?>())
        try pipeline.sinkPad("sink").probeBuffers { buffer in
            errors.append(failure { try buffer.withVideoFrame(info) { _ in } })
            do { try buffer.withWritableVideoFrame(info) { _ in } } catch { errors.append(error as? PipelineError) }
            return .pass
        }
        try await playing(pipeline) { try await $0.end() }
        #expect(errors.items.map { $0?.code } == [.map, .map])
    }

    @Test("A probe gets the buffers of a list one by one")
    func lists() async throws {
        // The payloader pushes one frame as a list of packets.
        let pipeline = try Pipeline(
            "videotestsrc num-buffers=1 ! video/x-raw,width=320,height=240 ! rtpvrawpay ! identity name=i ! fakesink name=sink"
        )
        let (seen, passed) = (Log<Int>(), Log<Int>())
        try pipeline.sinkPad("i").probeBuffers { buffer in
            seen.append(buffer.count)
            if seen.items.count == 2 { return .drop }
            if seen.items.count == 3, let short = try? Buffer([1, 2, 3]) { buffer.replace(with: short) }
            return .pass
        }
        try pipeline.sinkPad("sink").probeBuffers { buffer in
            passed.append(buffer.count)
            return .pass
        }
        try await playing(pipeline) { try await $0.end() }
        #expect(seen.items.count > 3)
        let expected = [seen.items[0], 3] + Array(seen.items.dropFirst(3))
        #expect(passed.items == expected)
    }

    @Test("A probe that returns .remove does not run again and is released, and removing it again does nothing")
    func removesItself() async throws {
        let pipeline = try Pipeline("fakesrc num-buffers=3 ! fakesink name=sink")
        let (calls, released) = (Log<Void>(), Log<Void>())
        let probe = try removing(after: calls, at: pipeline.sinkPad("sink"), Token(released: released))
        try await playing(pipeline) { try await $0.end() }
        #expect(calls.items.count == 1)
        probe.remove()
        probe.remove()
        await released.first(1)
    }

    private func removing(after calls: Log<Void>, at pad: Pad, _ token: Token) throws -> PadProbe {
        try pad.probeBuffers { _ in
            token.touch()
            calls.append()
            return .remove
        }
    }

    @Test("A probe that is removed while data flows is released, and removing it again does nothing")
    func remove() async throws {
        let (calls, released) = (Log<Void>(), Log<Void>())
        try await playing("fakesrc ! fakesink name=sink sync=true") { pipeline in
            let probe = try counting(calls, at: pipeline.sinkPad("sink"), Token(released: released))
            await calls.first(1)
            probe.remove()
            probe.remove()
            await released.first(1)
        }
    }

    private func counting(_ calls: Log<Void>, at pad: Pad, _ token: Token) throws -> PadProbe {
        try pad.probeBuffers { _ in
            token.touch()
            calls.append()
            return .pass
        }
    }

    @Test("A probe that its closure and its handle remove at once runs at most once and is released", arguments: 0..<20)
    func removeFromBothSides(round: Int) async throws {
        let released = Log<Void>()
        try await playing("fakesrc ! fakesink name=sink") { pipeline in
            let (pad, calls) = (try pipeline.sinkPad("sink"), Log<Void>())
            let probe = try removing(after: calls, at: pad, Token(released: released))
            probe.remove()
            await released.first(1)
            #expect(calls.items.count <= 1)
        }
    }

    @Test("The end of the pad releases the probe, and removing the probe afterward does nothing")
    func endOfPad() throws {
        let (calls, released) = (Log<Void>(), Log<Void>())
        var sink: Element? = try Element.make("fakesink")
        let probe = try counting(calls, at: #require(sink?.pad("sink")), Token(released: released))
        sink = nil
        #expect(released.items.count == 1)
        probe.remove()
    }

    @Test("A probe sees the events of a stream in their order, with the caps")
    func events() async throws {
        let pipeline = try Pipeline("videotestsrc num-buffers=1 ! \(small) ! fakesink name=sink")
        let names = Log<String>()
        try pipeline.sinkPad("sink").probeEvents { event in
            names.append(event.label)
            return .pass
        }
        try await playing(pipeline) { try await $0.end() }
        #expect(names.items == ["stream-start", "caps 32x16", "segment", "end"])
    }

    @Test("A probe sees the start and the stop of a flush")
    func flush() async throws {
        let pipeline = try Pipeline("appsrc name=source ! fakesink name=sink async=false")
        let names = Log<String>()
        try pipeline.sinkPad("sink").probeEvents { event in
            names.append(event.label)
            return .pass
        }
        try await playing(pipeline) { pipeline in
            try pipeline.element(named: "source").flush()
            await names.waiting { $0.contains("flush-stop") }
        }
        #expect(names.items.filter { $0.hasPrefix("flush") } == ["flush-start", "flush-stop"])
    }

    @Test("A probe sees the caps of a new format before its first frame")
    func renegotiation() async throws {
        let pipeline = try Pipeline("appsrc name=source ! identity name=i ! appsink name=sink sync=false")
        let source = try AppSource(named: "source", in: pipeline)
        let sink = try AppSink(named: "sink", in: pipeline, .waitWhenHolding(4))
        let format = Mutex<VideoInfo?>(nil)
        let sums = Log<Int>()
        let pad = try pipeline.sinkPad("i")
        try pad.probeEvents { event in
            if case .caps(let caps) = event { format.withLock { $0 = caps.videoInfo } }
            return .pass
        }
        try pad.probeBuffers { buffer in
            guard let info = format.withLock({ $0 }) else { return .drop }
            sums.append((try? buffer.withVideoFrame(info) { $0.info.width * $0.info.height }) ?? -1)
            return .pass
        }
        try await playing(pipeline) { _ in
            for (width, height) in [(16, 8), (32, 16), (7, 5)] {
                let info = try VideoInfo(format: "GRAY8", width: width, height: height)
                source.setCaps(info.caps)
                try source.push(Buffer(Array(repeating: 0, count: info.byteCount)))
                #expect(try await sink.nextSample()?.caps?.videoInfo?.width == width)
            }
        }
        #expect(sums.items == [128, 512, 35])
    }
}

extension PadEvent {
    fileprivate var label: String {
        switch self {
        case .caps(let caps): "caps \(caps.videoInfo?.width ?? 0)x\(caps.videoInfo?.height ?? 0)"
        case .segment: "segment"
        case .streamStart: "stream-start"
        case .endOfStream: "end"
        case .flushStart: "flush-start"
        case .flushStop: "flush-stop"
        case .navigation: "navigation"
        case .other(let name): name
        }
    }
}

extension Sample {
    /// The distinct values in the first column of the first plane.
    fileprivate func firstColumn() throws -> Set<UInt8> {
        guard let info = caps?.videoInfo, let buffer else { return [] }
        return try buffer.withVideoFrame(info) { frame in
            frame.withPlane(0) { bytes, layout in
                Set((0..<layout.rows).map { bytes.unsafeLoad(fromByteOffset: $0 * layout.stride, as: UInt8.self) })
            } ?? []
        }
    }
}
