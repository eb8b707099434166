// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Foundation
import PipelineKit
import Testing
import VideoKit

@Suite("Encoders of sound", .timeLimit(.minutes(5)), Recording.isPossible)
struct SoundEncoderTests {
    /// The encoders of this machine.
    private static let present = SoundEncoder.all.filter { GStreamer.hasElement($0.element) }

    @Test("The times of an encoder are late by its priming", FFmpeg.isPossible, arguments: present)
    func priming(encoder: SoundEncoder) async throws {
        let folder = try TemporaryFolder()
        let (plain, encoded) = (folder.path + "/plain.raw", folder.path + "/encoded.aac")
        let source =
            "audiotestsrc \(Ticks.properties) num-buffers=60 samplesperbuffer=1024 ! "
            + "audio/x-raw,format=S16LE,rate=48000,channels=1 ! "
        try await Recording.run(source + "filesink location=\(plain)")
        try await Recording.run(
            source + "audioconvert ! \(encoder.element) bitrate=128000 ! aacparse ! "
                + "audio/mpeg,stream-format=adts ! filesink location=\(encoded)")
        let expected = Ticks.places(in: try Data(contentsOf: URL(filePath: plain)))
        let found = try await Ticks.places(of: encoded)
        try #require(expected.count > 3 && found.count == expected.count)
        for (place, tick) in zip(found, expected) {
            #expect(abs(place - tick - encoder.priming) <= 4, "\(place - tick)")
        }
    }

    @Test("Each encoder of this machine works, and the others name a reason")
    func candidates() async {
        let all = await SoundEncoders().candidates()
        #expect(all.map(\.encoder) == SoundEncoder.all)
        for candidate in all {
            #expect((candidate.failure == nil) == GStreamer.hasElement(candidate.encoder.element))
            #expect(candidate.failure.map { $0.subject == candidate.encoder.element } ?? true)
        }
    }

    @Test("Callers at the same time get the result of one trial, even if the first is canceled")
    func simultaneous() async throws {
        let encoders = SoundEncoders()
        let canceled = Task { try await encoders.encoder() }
        canceled.cancel()
        let found = try await withThrowingTaskGroup(of: SoundEncoder.self) { group in
            for _ in 0..<20 { group.addTask { try await encoders.encoder() } }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(found == [try await canceled.value])
    }

    @Test("The first encoder that works is used, and one can be chosen by name")
    func choice() async throws {
        let encoders = SoundEncoders([
            SoundEncoder(element: "nosuchenc", priming: 0), SoundEncoder(element: "identity name=x", priming: 0),
            SoundEncoder(element: "voaacenc", priming: 1600),
        ])
        #expect(try await encoders.encoder().element == "voaacenc")
        let missing = await #expect(throws: CaptureError.self) { try await encoders.encoder(named: "nosuchenc") }
        #expect(missing?.code == .configuration && missing?.subject == "nosuchenc")
        let unknown = await #expect(throws: CaptureError.self) { try await encoders.encoder(named: "mp3") }
        #expect(unknown?.subject == "mp3" && unknown?.advice?.contains("voaacenc") == true)
    }

    @Test("A machine without an encoder is an error with the package to install")
    func none() async throws {
        let encoders = SoundEncoders([
            SoundEncoder(element: "avenc_nosuch", priming: 0), SoundEncoder(element: "nosuchenc", priming: 0),
        ])
        let error = await #expect(throws: CaptureError.self) { try await encoders.encoder() }
        #expect(error?.code == .configuration && error?.advice?.contains("gstreamer1.0-libav") == true)
        let source = await #expect(throws: CaptureError.self) {
            try await SoundSource.open(.elements("audiotestsrc"), encoders: encoders)
        }
        #expect(source == error)
        let one = await #expect(throws: CaptureError.self) { try await encoders.encoder(named: "avenc_nosuch") }
        #expect(one?.advice == "install gstreamer1.0-libav")
    }
}

/// Sound of a short tick five times a second.
enum Ticks {
    static let properties = "wave=ticks tick-interval=200000000 freq=2000 volume=0.9"
    /// Samples between two ticks at 48 kHz.
    static let distance = 9600

    /// The first loud sample of each tick in 16-bit samples of one channel.
    static func places(in data: Data) -> [Int] {
        let samples = data.withUnsafeBytes { bytes in
            (0..<(bytes.count / 2)).map {
                Int(Int16(littleEndian: bytes.loadUnaligned(fromByteOffset: 2 * $0, as: Int16.self)))
            }
        }
        let limit = (samples.map(abs).max() ?? 0) * 3 / 10
        var (places, index): ([Int], Int) = ([], 0)
        while index < samples.count {
            guard abs(samples[index]) > limit else {
                index += 1
                continue
            }
            places.append(index)
            index += distance / 2
        }
        return places
    }

    /// The places in the sound of a file, as ffmpeg decodes it.
    static func places(of path: String) async throws -> [Int] {
        let folder = try TemporaryFolder()
        let output = folder.path + "/decoded.raw"
        let outcome = try await StillTool.run(
            "ffmpeg", ["-v", "error", "-i", path, "-vn", "-f", "s16le", "-ac", "1", output])
        try #require(outcome.status == 0, "\(outcome.text)")
        return places(in: try Data(contentsOf: URL(filePath: output)))
    }
}
