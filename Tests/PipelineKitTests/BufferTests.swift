// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer
import Dispatch
import Glibc
import Testing

@testable import PipelineKit

@Suite("Buffers and samples", .criticalsAreFatal)
struct BufferTests {
    @Test(
        "The bytes and times of a buffer are read back as they were written",
        arguments: [[], [1], Array(0...255)] as [[UInt8]])
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

    @Test func `The decoding time and the flags of a buffer are read back as they were written`() throws {
        let time = ClockTime(nanoseconds: 30)
        let buffer = try Buffer([1], decodingTime: time, flags: [.deltaUnit, .corrupted])
        #expect(buffer.decodingTime == time)
        #expect(buffer.flags.subtracting(.tagMemory) == [.deltaUnit, .corrupted])
        #expect(buffer.isCorrupted)
        #expect(try buffer.copied().flags.isSuperset(of: buffer.flags))
        #expect(try Buffer([1]).decodingTime == nil)
        #expect(try Buffer([1]).flags.subtracting(.tagMemory) == [])
        // The lowest bits do not belong to the data.
        #expect(try Buffer([1], flags: BufferFlags(rawValue: 0xF)).flags == Buffer([1]).flags)
    }

    @Test func `A probe sees flags and times of buffers, and only the first buffer is a discontinuity`() async throws {
        let pipeline = try Pipeline("videotestsrc num-buffers=2 ! fakesink name=sink")
        let (flags, durations) = (Log<BufferFlags>(), Log<ClockTime?>())
        try pipeline.sinkPad("sink").probeBuffers { buffer in
            flags.append(buffer.flags)
            durations.append(buffer.duration)
            if buffer.decodingTime != nil { flags.append(.corrupted) }
            return .pass
        }
        try await playing(pipeline) { try await $0.end() }
        #expect(flags.items.map { $0.contains(.discontinuity) } == [true, false])
        #expect(durations.items.allSatisfy { $0 != nil })
    }

    @Test("An error of the closure that reads a buffer is rethrown, and the buffer can be read again")
    func throwingBody() throws {
        struct Stop: Error {}
        let buffer = try Buffer([1, 2])
        #expect(throws: Stop.self) { try buffer.withBytes { _ in throw Stop() } }
        #expect(try buffer.withBytes { $0.byteCount } == 2)
    }

    @Test("The offset of a buffer is the number that the source assigns")
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

    @Test("A buffer is scarce if its pool has a limit, or its memory belongs to a device")
    func scarcity() throws {
        let info = try VideoInfo(format: "I420", width: 16, height: 16)
        #expect(try !Buffer([1, 2]).isScarce)
        #expect(try !FramePool(info).makeFrame { _ in }.isScarce)

        let limited = try #require(gst_buffer_pool_new())
        let configuration = gst_buffer_pool_get_config(limited)
        gst_buffer_pool_config_set_params(configuration, nil, 16, 1, 2)
        #expect(gst_buffer_pool_set_config(limited, configuration) != 0)
        #expect(gst_buffer_pool_set_active(limited, 1) != 0)
        var pointer: UnsafeMutablePointer<GstBuffer>?
        #expect(gst_buffer_pool_acquire_buffer(limited, &pointer, nil) == GST_FLOW_OK)
        #expect(Buffer(try #require(pointer), .full).isScarce)
        gst_buffer_pool_set_active(limited, 0)
        gst_object_unref(limited)
    }

    @Test func `Discarded bytes become 0 in whole pages, also for a holder of the buffer; other bytes stay`() throws {
        let buffer = try Buffer([UInt8](repeating: 7, count: 100_000))
        let time = ClockTime(nanoseconds: 1)
        let holder = Buffer(buffer.pointer, .none)
        let copy = try buffer.stamped(at: time, duration: .zero)
        #expect(copy != buffer && copy.sharesMemory(with: buffer))
        #expect(try !buffer.sharesMemory(with: Buffer([1])) && !buffer.sharesMemory(with: Buffer([])))
        buffer.discardBytes()
        for bytes in [try holder.bytes(), try copy.bytes()] {
            let first = try #require(bytes.firstIndex(of: 0))
            let last = try #require(bytes.lastIndex(of: 0))
            #expect(first < getpagesize() && bytes.count - 1 - last < getpagesize())
            #expect(bytes[first...last].allSatisfy { $0 == 0 })
            #expect((bytes[..<first] + bytes[(last + 1)...]).allSatisfy { $0 == 7 })
        }
        // Less than a page has no bytes to discard.
        let small = try Buffer([1, 2, 3])
        small.discardBytes()
        #expect(try small.bytes() == [1, 2, 3])
        try Buffer([]).discardBytes()
    }

    @Test("A buffer of several memories can be read by many threads at once, and keeps its memories")
    func severalMemories() throws {
        let info = try VideoInfo(format: "GRAY8", width: 64, height: 64)
        let parts = (0..<8).map { [UInt8](repeating: UInt8($0), count: info.byteCount / 8) }
        for round in 0..<300 {
            let buffer = try Buffer(memories: parts)
            let results = Log<[UInt8]?>()
            DispatchQueue.concurrentPerform(iterations: 8) { reader in
                let isFrame = (reader + round).isMultiple(of: 2)
                results.append(isFrame ? buffer.firstPlane(info) : try? buffer.bytes())
            }
            #expect(results.items.allSatisfy { $0 == parts.flatMap(\.self) })
            #expect(gst_buffer_n_memory(buffer.pointer) == 8)
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
        // The segment has no times.
        #expect(sample.runningTime == nil || sample.runningTime == .zero)
    }

    @Test("A sample in a segment of bytes has no running time")
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

extension Buffer {
    /// A buffer with one memory for each part.
    fileprivate convenience init(memories parts: [[UInt8]]) throws {
        let buffer = try Buffer([])
        for part in parts {
            let memory = try Buffer(part)
            gst_buffer_append_memory(buffer.pointer, gst_buffer_get_memory(memory.pointer, 0))
        }
        gst_buffer_ref(buffer.pointer)
        self.init(buffer.pointer, .full)
    }

    fileprivate func firstPlane(_ info: VideoInfo) -> [UInt8]? {
        try? withVideoFrame(info) { frame in frame.withPlane(0) { bytes, _ in bytes.withUnsafeBytes { Array($0) } } }
    }
}
