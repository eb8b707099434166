// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit
import Testing

@testable import VideoKit

@Suite("The encoder of films", .timeLimit(.minutes(10)))
struct OfflineEncoderTests {
    @Test(.enabled(if: GStreamer.hasElement(H264Encoder.x264.name)))
    func `A frame that x264 has copied takes no memory, although x264enc still holds it`() async throws {
        let info = try #require(
            VideoInfo(try Caps("video/x-raw,format=I420,width=320,height=240,framerate=30/1,colorimetry=2:4:7:1")))
        let encoder = try OfflineEncoder(.x264, OfflineSettings(.quality(23)), info.caps)
        try await encoder.start()
        let frames = try (0..<4).map { _ in try Buffer([UInt8](repeating: 120, count: info.byteCount)) }
        // The second frame repeats: its bytes are needed until the third one comes.
        for frame in [frames[0], frames[1], frames[1], frames[2], frames[3]] { _ = try await encoder.push(frame) }
        try encoder.finish()
        var places: [Int] = []
        while let unit = try await encoder.next() { places.append(unit.place) }
        await encoder.stop()
        #expect(places.sorted() == [0, 1, 2, 3, 4])
        let middles = try frames.map { try $0.bytes()[info.byteCount / 2] }
        #expect(middles == [0, 0, 0, 120])
    }
}
