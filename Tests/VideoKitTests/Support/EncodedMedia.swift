// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureTestSupport
import PipelineKit
import SystemBase
import Testing
import VideoKit

/// Encoded pictures and sound of test sources.
enum EncodedMedia {
    /// The moment of the first unit.
    static let start = ClockTime(nanoseconds: 3_600_000_000_000)

    /// Encodes pictures at 30 a second, with a key frame in each second.
    static func pictures(_ count: Int, width: Int = 64) async throws -> [EncodedUnit] {
        try await units(
            "videotestsrc num-buffers=\(count) ! video/x-raw,width=\(width),height=48,framerate=30/1 ! "
                + "openh264enc complexity=low gop-size=30 ! h264parse ! video/x-h264,stream-format=avc,alignment=au")
    }

    /// Encodes packets of 1,024 samples at 48 kHz, with two channels.
    static func packets(_ count: Int, channels: Int = 2) async throws -> [EncodedUnit] {
        try await units(
            "audiotestsrc samplesperbuffer=1024 num-buffers=\(count) ! audio/x-raw,rate=48000,channels=\(channels) ! "
                + "voaacenc ! aacparse ! audio/mpeg,mpegversion=4,stream-format=raw")
    }

    private static func units(_ elements: String) async throws -> [EncodedUnit] {
        let pipeline = try Pipeline(elements + " ! appsink name=units sync=false")
        let sink = try AppSink(named: "units", in: pipeline, .waitWhenHolding(4))
        try await pipeline.play()
        var units: [EncodedUnit] = []
        while let sample = try await sink.nextSample() {
            let time = try #require(sample.runningTime)
            let isKey = try !#require(sample.buffer).flags.contains(.deltaUnit)
            units.append(EncodedUnit(sample, time: start + .nanoseconds(Int(time.nanoseconds)), isKey: isKey))
        }
        try await pipeline.stop()
        return units
    }
}

extension EncodedUnit {
    /// The same data with another time.
    func at(_ time: ClockTime) -> EncodedUnit { EncodedUnit(sample, time: time, isKey: isKey) }

    /// The same data at a time after ``EncodedMedia/start``.
    func at(milliseconds: Double) -> EncodedUnit {
        at(EncodedMedia.start + .nanoseconds(Int(milliseconds * 1_000_000)))
    }

    /// The caps of the data.
    var caps: Caps { get throws { try #require(sample.caps) } }
}
