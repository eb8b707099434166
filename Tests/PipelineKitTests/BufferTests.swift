// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit
import Testing

@Suite("Buffers and samples", .criticalsAreFatal)
struct BufferTests {
    @Test("Bytes and times go in and come out", arguments: [[], [1], Array(0...255)] as [[UInt8]])
    func roundTrip(bytes: [UInt8]) throws {
        let time = ClockTime(nanoseconds: 40)
        let buffer = try Buffer(bytes, presentationTime: time, duration: .zero)
        #expect(buffer.count == bytes.count)
        #expect(try buffer.bytes() == bytes)
        #expect(buffer.presentationTime == time)
        #expect(buffer.duration == .zero)
        #expect(try Buffer(bytes).presentationTime == nil)
        #expect(try Buffer(bytes).duration == nil)
        #expect(buffer.offset == nil)
        #expect(!buffer.isCorrupted)
    }

    @Test("What the closure throws comes out, and the buffer can be read again")
    func throwingBody() throws {
        struct Stop: Error {}
        let buffer = try Buffer([1, 2])
        #expect(throws: Stop.self) { try buffer.withBytes { _ in throw Stop() } }
        #expect(try buffer.withBytes { $0.byteCount } == 2)
    }

    @Test("The number that the source counts is the offset")
    func offsets() async throws {
        let pipeline = try Pipeline("videotestsrc num-buffers=2 ! appsink name=sink sync=false")
        let sink = try AppSink(named: "sink", in: pipeline, .waitWhenHolding(2))
        try await playing(pipeline) { _ in
            for number in 0..<2 {
                let sample = try await sink.nextSample()
                #expect(sample?.buffer?.offset == UInt64(number))
            }
        }
    }

    @Test("A sample joins a buffer and its caps")
    func sample() throws {
        let (buffer, caps) = (try Buffer([1, 2, 3], presentationTime: .zero), try Caps("image/jpeg"))
        let sample = Sample(buffer, caps: caps)
        #expect(sample.buffer == buffer)
        #expect(sample.caps == caps)
        #expect(sample == sample)
        #expect(sample != Sample(buffer, caps: caps))
        // Its segment has no times.
        #expect(sample.runningTime == nil || sample.runningTime == .zero)
    }

    @Test("A sample of bytes, not of time, has no running time")
    func untimed() async throws {
        let pipeline = try Pipeline(
            "fakesrc num-buffers=1 format=bytes sizetype=fixed sizemax=4 ! appsink name=sink sync=false")
        let sink = try AppSink(named: "sink", in: pipeline, .waitWhenHolding(1))
        try await playing(pipeline) { _ in
            let sample = try await sink.nextSample()
            #expect(sample != nil)
            #expect(sample?.runningTime == nil)
        }
    }
}
