// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import PipelineKit
import Testing
import VideoKit

@Suite("The format of a clip", .timeLimit(.minutes(5)))
struct ClipFormatTests {
    private static let record: [UInt8] = [
        1, 0x42, 0xC0, 0x0D, 0xFF, 0xE1, 0, 4, 0x67, 0x42, 0xC0, 0x0D, 1, 0, 2, 0x68, 0xCE,
    ]

    private static func caps(_ text: String, _ configuration: [UInt8]) throws -> Caps {
        try Caps("\(text), codec_data=(buffer)\(configuration.map { $0.padded(to: 2, radix: 16) }.joined())")
    }

    private static func video(_ configuration: [UInt8]) throws -> FragmentWriter.Video {
        try FragmentWriter.Video(
            try caps("video/x-h264,stream-format=avc,alignment=au,width=640,height=480", configuration))
    }

    private static func sound(_ configuration: [UInt8]) throws -> SoundFormat {
        try SoundFormat(try caps("audio/mpeg,mpegversion=4,stream-format=raw", configuration))
    }

    @Test("Video has the size and the configuration of its caps")
    func video() throws {
        let video = try Self.video(Self.record)
        #expect(video == FragmentWriter.Video(configuration: Self.record, width: 640, height: 480))
    }

    @Test(
        "The colors of caps become the code points of H.273, and unknown ones none",
        arguments: [
            ("bt601", [6, 6, 6], false), ("bt709", [1, 1, 1], false), ("1:4:0:0", [2, 2, 6], true),
            ("2:4:0:0", [2, 2, 6], false), ("sRGB", nil, false), ("0:0:0:0", nil, false), ("9:9", nil, false),
        ] as [(String, [UInt16]?, Bool)])
    func color(_ text: String, _ points: [UInt16]?, _ isFullRange: Bool) throws {
        let head = "video/x-h264,stream-format=avc,alignment=au,width=640,height=480,colorimetry=(string)\(text)"
        let color = try FragmentWriter.Video(try Self.caps(head, Self.record)).color
        #expect(color.map { [$0.primaries, $0.transfer, $0.matrix] } == points)
        #expect((color?.isFullRange ?? false) == isFullRange)
    }

    @Test(
        "Caps of another kind are refused",
        arguments: [
            "video/x-h264,stream-format=byte-stream,width=640,height=480", "video/x-h264,stream-format=avc,width=640",
            "video/x-raw,width=640,height=480", "video/x-h264,stream-format=avc,width=640,height=480",
            "video/x-h264,stream-format=avc,width=[1,9],height=480",
        ])
    func otherVideo(text: String) throws {
        let error = #expect(throws: CaptureError.self) { try FragmentWriter.Video(try Caps(text)) }
        #expect(error?.code == .inputOutput && error?.advice != nil)
    }

    @Test("A configuration of H.264 that is cut off is refused, and any bytes after it are not")
    func cutVideo() throws {
        for count in 1..<Self.record.count {
            #expect(throws: CaptureError.self) { try Self.video(Array(Self.record.prefix(count))) }
        }
        _ = try Self.video(Self.record + [0xFD, 0xF8, 0xF8, 0])
        // No parameter sets, and lengths of two bytes.
        for (place, value) in [(5, 0xE0), (12, 0), (4, 0xFD)] as [(Int, UInt8)] {
            var record = Self.record
            record[place] = value
            #expect(throws: CaptureError.self) { try Self.video(record) }
        }
    }

    @Test(
        "Sound has the rate, the channels and the packets of its configuration",
        arguments: [
            ([0x11, 0x90], 48_000, 2, 1024), ([0x11, 0x88], 48_000, 1, 1024), ([0x12, 0x10], 44_100, 2, 1024),
            ([0x11, 0x94], 48_000, 2, 960), ([0x11, 0xB8], 48_000, 8, 1024),
            ([0x17, 0x80, 0x5D, 0xC0, 0x10], 48_000, 2, 1024),
        ] as [([UInt8], Int, Int, Int)])
    func sound(configuration: [UInt8], rate: Int, channels: Int, samples: Int) throws {
        let sound = try Self.sound(configuration)
        #expect(sound.audio.sampleRate == rate && sound.audio.channelCount == channels)
        #expect(sound.samplesPerPacket == samples && sound.audio.configuration == configuration)
    }

    @Test(
        "A configuration of other sound than AAC LC is refused",
        arguments: [
            [0x11], [0x09, 0x90], [0x2B, 0x92], [0xF9, 0x46], [0x11, 0x80], [0x11, 0xC0], [0x16, 0x90],
            [0x17, 0x80, 0, 0, 0x10],
            [0x17, 0x80],
        ] as [[UInt8]])
    func otherSound(configuration: [UInt8]) {
        #expect(throws: CaptureError.self) { try Self.sound(configuration) }
    }

    @Test("Mutated configurations are read or refused", arguments: 0..<20 as Range<UInt64>)
    func mutations(seed: UInt64) {
        var generator = SplitMix(seed)
        for _ in 0..<500 {
            _ = try? Self.video(Self.record.mutated(&generator))
            _ = SoundFormat(configuration: [0x17, 0x80, 0x5D, 0xC0, 0x10].mutated(&generator))
        }
    }
}
