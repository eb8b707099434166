// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Foundation
import PipelineKit
import SystemBase
import Testing
import VideoKit

@Suite("A source of sound", .timeLimit(.minutes(5)), Recording.isPossible)
struct SoundSourceTests {
    /// Opens elements, and returns their first packets.
    private func packets(_ count: Int, of source: SoundSource) async throws -> [EncodedUnit] {
        let (stream, continuation) = AsyncStream<EncodedUnit>.makeStream()
        let bridge = source.bridge { continuation.yield($0) }
        defer { bridge.close() }
        return try await awaiting("\(count) packets") {
            var packets: [EncodedUnit] = []
            for await packet in stream {
                packets.append(packet)
                if packets.count == count { break }
            }
            return packets
        }
    }

    @Test("Sound in a clip has the time of its capture within 1 ms", FFmpeg.isPossible, ProbedMovie.isPossible)
    func times() async throws {
        // A live audiotestsrc would move its times by the duration of its start.
        let source = try await SoundSource.open(.elements("audiotestsrc \(Ticks.properties) ! identity sync=true"))
        let packets = try await packets(60, of: source)
        let base = try #require(source.baseTime)
        await source.close()
        let file = try ClipPath()
        let picture = try await EncodedMedia.pictures(1)[0].at(packets[0].time + .milliseconds(35))
        let clip = try await ClipWriter.create(file.path, video: try picture.caps, sound: try packets[0].caps)
        try await clip.append(picture, of: .video)
        for packet in packets { try await clip.append(packet, of: .audio) }
        let summary = try await clip.finish()
        let start = try await ProbedMovie(file.path).starts[1]
        let ticks = try await Ticks.places(of: file.path)
        try #require(ticks.count >= 4)
        let plain = try await plainTick()
        for tick in ticks {
            let moment = summary.start + .nanoseconds(Int((start + Double(tick) / 48_000) * 1e9)) - base
            // The error in samples, from the nearest tick of the source.
            let samples = Double(moment.nanoseconds) * 48_000 / 1e9 - Double(plain)
            let error = samples - (samples / Double(Ticks.distance)).rounded() * Double(Ticks.distance)
            #expect(abs(error) <= 48, "\(error) samples")
        }
    }

    /// The place of the first tick of the source, in samples.
    private func plainTick() async throws -> Int {
        let folder = try TemporaryFolder()
        let path = folder.path + "/plain.raw"
        try await Recording.run(
            "audiotestsrc \(Ticks.properties) num-buffers=20 ! audio/x-raw,format=S16LE,rate=48000,channels=1 ! "
                + "filesink location=\(path)")
        return try #require(Ticks.places(in: try Data(contentsOf: URL(filePath: path))).first)
    }

    @Test("Packets follow each other, and can begin a clip", arguments: [1, 2])
    func packets(channels: Int) async throws {
        let source = try await SoundSource.open(
            .elements("audiotestsrc is-live=true ! audio/x-raw,rate=44100,channels=\(channels)"))
        let packets = try await packets(10, of: source)
        await source.close()
        let format = try SoundFormat(try packets[0].caps)
        #expect(format.audio.sampleRate == 48_000 && format.audio.channelCount == channels)
        for (first, second) in zip(packets, packets.dropFirst()) {
            #expect(abs((second.time - first.time) / .milliseconds(1) - 1024 / 48) < 0.1)
        }
        #expect(packets.allSatisfy { $0.isKey } && source.failure == nil)
    }

    @Test(
        "Packets follow the timestamps of a microphone whose clock is fast or slow, at any rate",
        .enabled(if: GStreamer.hasElement("capssetter"), "install gstreamer1.0-plugins-bad"),
        arguments: [(44_100, 44_320), (44_100, 43_880), (16_000, 16_080), (48_000, 48_240), (48_000, 48_000)])
    func drift(rate: Int, real: Int) async throws {
        // Timestamps fit the real rate, which differs by half a percent: 1 s has as much deviation as a minute of a bad clock.
        let source = try await SoundSource.open(
            .elements(
                "audiotestsrc samplesperbuffer=\(rate / 100) ! audio/x-raw,rate=\(real),channels=1 ! "
                    + "capssetter caps=audio/x-raw,rate=\(rate) ! identity sync=true"))
        let packets = try await packets(200, of: source)
        await source.close()
        let duration = 1024 / 48_000 * Double(rate) / Double(real)
        // The first second shows the deviation.
        let first = try #require(packets.dropFirst(50).first)
        for (place, packet) in packets.enumerated().dropFirst(50) {
            let error = (packet.time - first.time) / .seconds(1) - Double(place - 50) * duration
            #expect(abs(error) < 0.001, "packet \(place) deviates by \(error) s")
        }
    }

    @Test("Levels are those of the sound, for each channel", arguments: [(1.0, -3.0), (0.1, -23.0), (0, -120)])
    func levels(volume: Double, rms: Double) async throws {
        let source = try await SoundSource.open(
            .elements("audiotestsrc is-live=true freq=1000 volume=\(volume) ! audio/x-raw,channels=2"))
        let level = try await awaiting("a level") { await source.levels.first { _ in true } }
        await source.close()
        let found = try #require(level)
        #expect(found.rms.count == 2 && found.peak.count == 2)
        let peak = volume == 0 ? -120 : rms + 3
        #expect(found.rms.allSatisfy { abs($0 - rms) < 0.3 } && found.peak.allSatisfy { abs($0 - peak) < 0.3 })
    }

    @Test("Levels end when the source is closed, and the close can be repeated")
    func close() async throws {
        let source = try await SoundSource.open(.elements("audiotestsrc is-live=true"))
        await source.close()
        await source.close()
        try await awaiting("the end of the levels") { for await _ in source.levels {} }
        #expect(source.failure == nil)
    }

    @Test("A microphone that fails ends the levels with its error")
    func failure() async throws {
        let source = try await SoundSource.open(
            .elements("audiotestsrc is-live=true ! identity error-after=5"))
        try await awaiting("the end of the levels") { for await _ in source.levels {} }
        #expect(source.failure?.code == .noMicrophone && source.failure?.subject == "sound")
        await source.close()
    }

    @Test("A missing element is an error with its package")
    func missingElement() async {
        let error = await #expect(throws: CaptureError.self) {
            try await SoundSource.open(.elements("avdec_nosuch"))
        }
        #expect(error?.code == .configuration && error?.advice == "install gstreamer1.0-libav")
    }

    @Test("A microphone that does not exist is one error")
    func missingMicrophone() async {
        let device = "nosuch, name=\"x\" ! fakesink"
        let error = await #expect(throws: CaptureError.self) { try await SoundSource.open(.device(device)) }
        #expect(error?.subject == device && error?.advice != nil)
        #expect(error?.code == (GStreamer.hasElement("alsasrc") ? .noMicrophone : .configuration))
    }

    @Test("Sources come and go without an end", arguments: 0..<10)
    func teardown(round: Int) async throws {
        let source = try await SoundSource.open(.elements("audiotestsrc is-live=true"))
        let bridge = source.bridge { _ in }
        if round % 2 == 0 { _ = try await packets(1, of: source) }
        await source.close()
        bridge.close()
    }
}

@Suite("Errors of microphones")
struct SoundErrorTests {
    private static let resource = "gst-resource-error-quark"

    @Test(
        "Each kind has a code, a problem and a remedy",
        arguments: [
            (
                // As alsasrc words them.
                PipelineError(
                    .stream, "Could not open audio device for recording. Device is being used by another application.",
                    debug: "gst_alsasrc_open (): Device 'hw:0' is busy", domain: resource, number: 4),
                CaptureError.Code.temporary, "another program"
            ),
            (
                PipelineError(
                    .stream, "Could not open audio device for recording.",
                    debug: "Recording open error on device 'hw:0': No such file or directory", domain: resource,
                    number: 5),
                .noMicrophone, "there is no such microphone"
            ),
            (
                PipelineError(
                    .stream, "Could not open audio device for recording.",
                    debug: "Recording open error on device 'hw:0': Permission denied", domain: resource, number: 5),
                .permission, "permission denied"
            ),
            (
                PipelineError(
                    .stream, "Error recording from audio device. The device has been disconnected.", domain: resource,
                    number: 9),
                .noMicrophone, "unplugged"
            ),
            (PipelineError(.deadline, "changing to playing took longer than 10 s"), .wedged, "the driver hangs"),
        ] as [(PipelineError, CaptureError.Code, String)])
    func kinds(error: PipelineError, code: CaptureError.Code, text: String) {
        let found = CaptureError(microphone: error, "hw:0")
        #expect(found.code == code && found.message.contains(text) && found.subject == "hw:0" && found.advice != nil)
    }
}
