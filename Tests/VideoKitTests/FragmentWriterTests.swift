// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Foundation
import PipelineKit
import Testing

@testable import VideoKit

@Suite("A live movie", .timeLimit(.minutes(5)))
struct FragmentWriterTests {
    private static let video = FragmentWriter.Video(
        configuration: [1, 0x42, 0xC0, 0x0D, 0xFF, 0xE1, 0], width: 640, height: 480)
    private static let audio = FragmentWriter.Audio(
        configuration: [0x11, 0x88], sampleRate: 48_000, channelCount: 1)

    /// Returns the bytes of a text of hexadecimal digits, and of characters between apostrophes.
    private static func bytes(_ text: String) -> [UInt8] {
        text.split(whereSeparator: \.isWhitespace).flatMap { word -> [UInt8] in
            if word.hasPrefix("'") { return Array(word.dropFirst().dropLast().utf8) }
            return stride(from: 0, to: word.count, by: 2).compactMap { UInt8(word.dropFirst($0).prefix(2), radix: 16) }
        }
    }

    @Test("A key frame is one fragment of these bytes")
    func keyFrame() throws {
        var writer = try FragmentWriter(video: Self.video)
        let unit = FragmentWriter.AccessUnit(
            .video, [0, 0, 0, 1, 0x65], decodeTime: 0x1_0000_0002, duration: 3000, isKey: true, compositionOffset: -2)
        #expect(
            try writer.fragment(unit)
                == Self.bytes(
                    """
                    00000068 'moof'
                      00000010 'mfhd' 00000000 00000001
                      00000050 'traf'
                        00000010 'tfhd' 00020000 00000001
                        00000014 'tfdt' 01000000 0000000100000002
                        00000024 'trun' 01000f01 00000001 00000070 00000bb8 00000005 02000000 fffffffe
                    0000000d 'mdat' 0000000165
                    """))
    }

    @Test func `A fragment of two pictures has these bytes`() throws {
        var writer = try FragmentWriter(video: Self.video, sequenceNumber: 6)
        let units: [FragmentWriter.AccessUnit] = [
            .init(.video, [0x65], decodeTime: 9, duration: 3000, isKey: true),
            .init(.video, [0x41, 0x42], decodeTime: 3009, duration: 2999, isKey: false, compositionOffset: 3000),
        ]
        #expect(
            try writer.fragment(units)
                == Self.bytes(
                    """
                    00000078 'moof'
                      00000010 'mfhd' 00000000 00000007
                      00000060 'traf'
                        00000010 'tfhd' 00020000 00000001
                        00000014 'tfdt' 01000000 0000000000000009
                        00000034 'trun' 01000f01 00000002 00000080
                            00000bb8 00000001 02000000 00000000
                            00000bb7 00000002 01010000 00000bb8
                    0000000b 'mdat' 65 4142
                    """))
        #expect(throws: CaptureError.self) { try writer.fragment([]) }
    }

    @Test("Fragments are numbered, and name their track and kind")
    func numbers() throws {
        var writer = try FragmentWriter(video: Self.video, audio: Self.audio)
        _ = try writer.fragment(.init(.video, [1], decodeTime: 0, duration: 1, isKey: true))
        let frame = try writer.fragment(.init(.video, [1], decodeTime: 1, duration: 1, isKey: false))
        let sound = try writer.fragment(.init(.audio, [1], decodeTime: 0, duration: 1024, isKey: true))
        #expect(frame[20..<24].elementsEqual([0, 0, 0, 2]) && frame[44..<48].elementsEqual([0, 0, 0, 1]))
        #expect(frame[96..<100].elementsEqual([1, 1, 0, 0]))
        #expect(sound[20..<24].elementsEqual([0, 0, 0, 3]) && sound[44..<48].elementsEqual([0, 0, 0, 2]))
    }

    @Test("The sample entry of video has its colors")
    func color() throws {
        let color = try #require(VideoColor(colorimetry: "bt709"))
        let video = FragmentWriter.Video(
            configuration: Self.video.configuration, width: 640, height: 480, color: color)
        let bytes = try FragmentWriter(video: video).initialization
        let box = Self.bytes("00000013 'colr' 'nclx' 0001 0001 0001 00")
        #expect(bytes.indices.contains { bytes[$0...].starts(with: box) })
    }

    @Test("The initialization segment has these bytes")
    func initialization() throws {
        let writer = try FragmentWriter(video: Self.video)
        let matrix = "00010000 00000000 00000000 00000000 00010000 00000000 00000000 00000000 40000000"
        func zeros(_ count: Int) -> String { String(repeating: "00", count: count) }
        #expect(
            writer.initialization
                == Self.bytes(
                    """
                    0000001c 'ftyp' 'iso6' 00000000 'iso6' 'avc1' 'mp41'
                    0000024a 'moov'
                      0000006c 'mvhd' 00000000 \(zeros(8)) 00015f90 00000000 00010000 0100 \(zeros(10))
                        \(matrix) \(zeros(24)) 00000002
                      000001ae 'trak'
                        0000005c 'tkhd' 00000003 \(zeros(8)) 00000001 \(zeros(20)) 0000 0000
                          \(matrix) 02800000 01e00000
                        0000014a 'mdia'
                          00000020 'mdhd' 00000000 \(zeros(8)) 00015f90 00000000 55c4 0000
                          00000021 'hdlr' 00000000 00000000 'vide' \(zeros(12)) 00
                          00000101 'minf'
                            00000014 'vmhd' 00000001 \(zeros(8))
                            00000024 'dinf' 0000001c 'dref' 00000000 00000001 0000000c 75726c20 00000001
                            000000c1 'stbl'
                              00000075 'stsd' 00000000 00000001
                                00000065 'avc1' \(zeros(6)) 0001 \(zeros(16)) 0280 01e0 00480000 00480000
                                  00000000 0001 \(zeros(32)) 0018 ffff
                                  0000000f 'avcC' 0142c00dffe100
                              00000010 'stts' 00000000 00000000
                              00000010 'stsc' 00000000 00000000
                              00000010 'stco' 00000000 00000000
                              00000014 'stsz' 00000000 00000000 00000000
                      00000028 'mvex'
                        00000020 'trex' 00000000 00000001 00000001 00000000 00000000 00000000
                    """))
    }

    @Test("A movie with sound describes AAC")
    func sound() throws {
        let bytes = try FragmentWriter(video: Self.video, audio: Self.audio).initialization
        let entry = Self.bytes(
            """
            0000004b 'mp4a' 000000000000 0001 0000000000000000 0001 0010 00000000 bb800000
              00000027 'esds' 00000000 03 19 0000 00 04 11 40 15 00000000000000000000 00 05 02 1188 06 01 02
            """)
        #expect(bytes.firstRange(of: entry) != nil)
        let defaults = Self.bytes(
            """
            00000020 'trex' 00000000 00000001 00000001 00000000 00000000 00000000
            00000020 'trex' 00000000 00000002 00000001 00000000 00000000 00000000
            """)
        #expect(bytes.suffix(64).elementsEqual(defaults))
    }

    @Test("Formats that do not fit into a movie are refused")
    func formats() {
        let configuration = Self.video.configuration
        for video in [
            FragmentWriter.Video(configuration: [], width: 64, height: 48),
            .init(configuration: Array(configuration.dropLast()), width: 64, height: 48),
            .init(configuration: [0] + configuration.dropFirst(), width: 64, height: 48),
            .init(configuration: configuration, width: 0, height: 48),
            .init(configuration: configuration, width: 64, height: 65_536),
        ] {
            #expect(throws: CaptureError.self) { try FragmentWriter(video: video) }
        }
        for audio in [
            FragmentWriter.Audio(configuration: [0x11], sampleRate: 48_000, channelCount: 1),
            .init(configuration: [UInt8](repeating: 0, count: 65), sampleRate: 48_000, channelCount: 1),
            .init(configuration: [0x11, 0x88], sampleRate: 96_000, channelCount: 1),
            .init(configuration: [0x11, 0x88], sampleRate: 48_000, channelCount: 0),
        ] {
            #expect(throws: CaptureError.self) { try FragmentWriter(video: Self.video, audio: audio) }
        }
    }

    @Test("Sound of a movie without sound is refused")
    func noSound() throws {
        var writer = try FragmentWriter(video: Self.video)
        #expect(throws: CaptureError.self) {
            try writer.fragment(.init(.audio, [1], decodeTime: 0, duration: 1024, isKey: true))
        }
    }

    // MARK: Players

    @Test("A viewer plays each access unit at its time", ProbedMovie.isPossible, Recording.isPossible)
    func plays() async throws {
        let (video, sound) = (try await Stream.video(frames: 40), try await Stream.sound(packets: 60))
        var writer = try FragmentWriter(
            video: .init(configuration: video.configuration, width: 64, height: 48),
            audio: .init(configuration: sound.configuration, sampleRate: 48_000, channelCount: 1))
        var movie = writer.initialization
        for (index, unit) in video.units.enumerated() {
            movie += try writer.fragment(
                .init(
                    .video, unit.bytes, decodeTime: UInt64(3000 * index), duration: 3000, isKey: unit.isKey))
        }
        for (index, unit) in sound.units.enumerated() {
            movie += try writer.fragment(
                .init(.audio, unit.bytes, decodeTime: UInt64(1024 * index), duration: 1024, isKey: true))
        }
        let file = try ClipPath(movie)
        let probed = try await ProbedMovie(file.path)
        #expect(probed.count(0) == video.units.count && probed.count(1) == sound.units.count && probed.errors.isEmpty)
        let frames = try #require(probed.byStream[0])
        #expect(frames.map(\.isKey) == video.units.map(\.isKey) && frames.contains { !$0.isKey })
        #expect(frames.enumerated().allSatisfy { abs((Double($1.time) ?? -1) - Double($0) / 30) < 0.001 })
        // A finalized copy of the live movie has the same samples.
        _ = try ClipFile.finalize(file.path)
        #expect(try await ProbedMovie(file.path).byStream == probed.byStream)
    }

    @Test("A viewer that joins at a later key frame decodes all frames", FFmpeg.isPossible, Recording.isPossible)
    func joining() async throws {
        let video = try await Stream.video(frames: 40)
        var writer = try FragmentWriter(
            video: .init(configuration: video.configuration, width: 64, height: 48))
        var movie = writer.initialization
        let first = try #require(video.units.indices.dropFirst().first { video.units[$0].isKey })
        for index in first..<video.units.count {
            let unit = video.units[index]
            movie += try writer.fragment(
                .init(.video, unit.bytes, decodeTime: UInt64(3000 * index), duration: 3000, isKey: unit.isKey))
        }
        let file = try ClipPath(movie)
        let outcome = try await StillTool.run("ffmpeg", ["-v", "error", "-i", file.path, "-f", "null", "-"])
        #expect(outcome.status == 0 && outcome.text.isEmpty, "\(outcome.text)")
    }
}

/// Access units of an encoder.
private struct Stream {
    /// The decoder configuration.
    let configuration: [UInt8]
    let units: [(bytes: [UInt8], isKey: Bool)]

    static func video(frames: Int) async throws -> Stream {
        try await Stream(
            "videotestsrc num-buffers=\(frames) ! video/x-raw,width=64,height=48,framerate=30/1 ! "
                + "openh264enc complexity=low gop-size=15 ! h264parse ! video/x-h264,stream-format=avc,alignment=au")
    }

    static func sound(packets: Int) async throws -> Stream {
        try await Stream(
            "audiotestsrc num-buffers=\(packets) ! audio/x-raw,rate=48000,channels=1 ! voaacenc ! aacparse ! "
                + "audio/mpeg,stream-format=raw")
    }

    private init(_ elements: String) async throws {
        let pipeline = try Pipeline("\(elements) ! appsink name=units sync=false")
        let sink = try AppSink(named: "units", in: pipeline, .waitWhenHolding(4))
        try await pipeline.play()
        var (units, caps): ([(bytes: [UInt8], isKey: Bool)], String) = ([], "")
        while let sample = try await sink.nextSample() {
            let buffer = try #require(sample.buffer)
            units.append((try buffer.bytes(), !buffer.flags.contains(.deltaUnit)))
            caps = sample.caps?.description ?? caps
        }
        try await pipeline.stop()
        let hex = try #require(caps.firstMatch(of: /codec_data=\(buffer\)([0-9a-f]+)/)?.1)
        configuration = stride(from: 0, to: hex.count, by: 2).compactMap {
            UInt8(hex.dropFirst($0).prefix(2), radix: 16)
        }
        self.units = units
    }
}
