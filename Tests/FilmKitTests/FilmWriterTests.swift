// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Foundation
import PipelineKit
import Synchronization
import Testing
import VideoKit

@testable import FilmKit

@Suite("A film in its file", .timeLimit(.minutes(10)))
struct FilmWriterTests {
    /// The encoders in software of this machine.
    static let encoders: [H264Encoder] = [.openH264, .x264].filter { GStreamer.hasElement($0.name) }

    private static func plan(_ made: MadePictures, _ settings: FilmSettings) throws -> (FilmPlan, FilmReport) {
        let source = try FilmSource(made.path)
        let plan = try FilmPlan(source.pictures, settings, isOrdered: source.isSeries)
        return (plan, FilmReport(plan, of: made.path, skipped: source.skipped))
    }

    private static func settings(_ encoder: H264Encoder = .openH264) -> FilmSettings {
        var settings = FilmSettings()
        settings.encoder = .only(encoder)
        return settings
    }

    /// Makes a film; `stop` ends it when a picture is written.
    private static func film(
        _ made: MadePictures, _ settings: FilmSettings, to path: String, stopAfter: Int? = nil,
        overwrites: Bool = false,
        _ events: @escaping @Sendable (FilmWriter.Event) -> Void = { _ in }
    ) async throws -> FilmReport {
        let (plan, report) = try plan(made, settings)
        let box = Mutex<FilmWriter?>(nil)
        let writer = FilmWriter(plan, settings, to: path) { event in
            events(event)
            if case .written(let count, _) = event, count == stopAfter { box.withLock { $0 }?.stop() }
        }
        box.withLock { $0 = writer }
        defer { box.withLock { $0 = nil } }
        return try await writer.run(report, overwrites: overwrites)
    }

    /// The sizes of the decoded frames of a film, and a hash of all their pixels.
    private static func frames(_ path: String) async throws -> (count: Int, hash: Int) {
        let pipeline = try Pipeline(
            "filesrc location=\(path) ! qtdemux ! h264parse ! openh264dec ! appsink name=out sync=false")
        let sink = try AppSink(named: "out", in: pipeline, .waitWhenHolding(4))
        try await pipeline.play()
        var (count, hasher) = (0, Hasher())
        while let sample = try await sink.nextSample() {
            hasher.combine(try #require(sample.buffer).bytes())
            count += 1
        }
        try await pipeline.stop()
        return (count, hasher.finalize())
    }

    @Test(arguments: encoders)
    func `A film has each picture once, at its time, and is an ordinary movie`(encoder: H264Encoder) async throws {
        let made = try await MadePictures(300)
        let path = made.path + "/out/film.mp4"
        var settings = Self.settings(encoder)
        settings.pace = .rate(Fraction(25, 2))
        let events = Mutex<[String]>([])
        let report = try await Self.film(made, settings, to: path) { event in
            if case .written(let count, let all) = event { events.withLock { $0.append("\(count)/\(all)") } }
        }
        #expect(events.withLock { $0 } == (1...300).map { "\($0)/300" })
        #expect(report.frameCount == 300 && report.duration == .seconds(24) && report.film?.isComplete == true)
        #expect(report.film?.encoder == encoder.name)
        let movie = try ClipFile.finalize(path)
        #expect(movie.wasOrdinary && movie.tracks.map(\.sampleCount) == [300] && movie.duration == .seconds(24))
        #expect(try FileManager.default.contentsOfDirectory(atPath: made.path + "/out") == ["film.mp4"])
        #expect(try await Self.frames(path).count == 300)
    }

    @Test(arguments: encoders, [1, 499, 500, 501, 600])
    func `A film that was stopped plays, and continued it is the same as one that was not`(
        encoder: H264Encoder, stop: Int
    ) async throws {
        let made = try await MadePictures(610, width: 32, height: 32)
        let (whole, part) = (made.path + "/out/whole.mp4", made.path + "/out/part.mp4")
        let settings = Self.settings(encoder)
        _ = try await Self.film(made, settings, to: whole)
        let stopped = try await Self.film(made, settings, to: part, stopAfter: stop)
        #expect(stopped.film?.isComplete == false && stopped.frameCount == stop)
        let movie = try ClipFile.finalize(part)
        #expect(movie.wasOrdinary && movie.tracks.map(\.sampleCount) == [stop])
        let resumed = Mutex<[Int]>([])
        let report = try await Self.film(made, settings, to: part) { event in
            if case .resumed(let count) = event { resumed.withLock { $0.append(count) } }
        }
        #expect(resumed.withLock { $0 } == (stop < 500 ? [] : [500]))
        #expect(report.film?.isComplete == true && report.frameCount == 610)
        let (first, second) = (try ClipFile.finalize(whole), try ClipFile.finalize(part))
        #expect(first == second && first.tracks.map(\.sampleCount) == [610])
        #expect(try await Self.frames(part).count == 610)
        // x264 reads memory that it has not written: two films of the same pictures can differ in single bits.
        if encoder == .openH264 {
            #expect(try Data(contentsOf: URL(filePath: part)) == Data(contentsOf: URL(filePath: whole)))
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: made.path + "/out").count == 2)
    }

    @Test func `Without flicker, a continued film is the same, too`() async throws {
        let made = try await MadePictures(600, width: 32, height: 32)
        let (whole, part) = (made.path + "/out/whole.mp4", made.path + "/out/part.mp4")
        var settings = Self.settings()
        settings.deflickers = true
        _ = try await Self.film(made, settings, to: whole)
        _ = try await Self.film(made, settings, to: part, stopAfter: 510)
        _ = try await Self.film(made, settings, to: part)
        #expect(try Data(contentsOf: URL(filePath: part)) == Data(contentsOf: URL(filePath: whole)))
    }

    @Test func `Damaged pictures are skipped and listed, also by the run that continues`() async throws {
        let made = try await MadePictures(600, width: 32, height: 32)
        let bytes = try made.bytes("frame10.jpg")
        try made.write("frame10.jpg", Array(bytes.prefix(bytes.count - 40)))
        try made.write("frame530.jpg", Array(bytes.prefix(bytes.count - 40)))
        try made.write("page.jpg", Array("<html>".utf8))
        let path = made.path + "/out/film.mp4"
        let stopped = try await Self.film(made, Self.settings(), to: path, stopAfter: 520)
        #expect(stopped.skipped.map(\.name) == ["page.jpg", "frame10.jpg"] && stopped.frameCount == 519)
        let report = try await Self.film(made, Self.settings(), to: path)
        #expect(report.skipped.map(\.name) == ["page.jpg", "frame10.jpg", "frame530.jpg"])
        #expect(report.skipped[1].reason.hasPrefix("is not a complete JPEG picture"))
        #expect(report.frameCount == 598)
        #expect(try ClipFile.finalize(path).tracks.first?.sampleCount == 598)
    }

    @Test func `A picture before a gap is held`() async throws {
        let made = try await MadePictures(10)
        for place in 4...6 { try made.folder.remove("frame\(place).jpg") }
        var settings = Self.settings()
        settings.gaps = .hold
        let report = try await Self.film(made, settings, to: made.path + "/out/film.mp4")
        #expect(report.frameCount == 7 && report.gaps.map(\.heldCount) == [3])
        let movie = try ClipFile.finalize(made.path + "/out/film.mp4")
        #expect(movie.tracks.first?.sampleCount == 10)
        #expect(abs(movie.duration / .milliseconds(1) - 1000.0 / 3) < 1)
    }

    /// The luma of the middle of each frame of a film.
    private static func luma(_ path: String) async throws -> [UInt8] {
        let pipeline = try Pipeline(
            "filesrc location=\(path) ! qtdemux ! h264parse ! openh264dec ! appsink name=out sync=false")
        let sink = try AppSink(named: "out", in: pipeline, .waitWhenHolding(4))
        try await pipeline.play()
        var luma: [UInt8] = []
        while let sample = try await sink.nextSample() {
            luma.append(try #require(sample.buffer).bytes()[320 * 120 + 160])
        }
        try await pipeline.stop()
        return luma
    }

    @Test(arguments: encoders)
    func `Each frame has the brightness of its picture, also if it is held`(encoder: H264Encoder) async throws {
        let made = try MadePictures()
        for place in 0..<40 where !(10...14).contains(place) {
            try made.add(
                MadePictures.name(place), try await MadePictures.gray(luma: 60 + place * 4), at: Int64(place) * 10)
        }
        var settings = Self.settings(encoder)
        settings.gaps = .hold
        let path = made.path + "/out/film.mp4"
        _ = try await Self.film(made, settings, to: path)
        let luma = try await Self.luma(path)
        #expect(luma.count == 40)
        for (place, luma) in luma.enumerated() {
            let shown = (10...14).contains(place) ? 9 : place
            let level = 16 + Double(60 + shown * 4) * 219 / 255
            #expect(abs(Double(luma) - level) < 4, "\(place)")
        }
    }

    @Test func `A film of other pictures begins again; one of more pictures continues`() async throws {
        let made = try await MadePictures(1020, width: 32, height: 32)
        let path = made.path + "/out/film.mp4"
        _ = try await Self.film(made, Self.settings(), to: path, stopAfter: 1010)
        for (place, frame) in try await MadePictures.frames(3, width: 32, height: 32).enumerated() {
            try made.add("frame\(1020 + place).jpg", frame, at: Int64(1020 + place) * 10)
        }
        let events = Mutex<[String]>([])
        @Sendable func record(_ event: FilmWriter.Event) {
            switch event {
            case .resumed(let count): events.withLock { $0.append("resumed \(count)") }
            case .restarted: events.withLock { $0.append("restarted") }
            default: break
            }
        }
        let longer = try await Self.film(made, Self.settings(), to: path, stopAfter: 1015, record)
        #expect(longer.frameCount == 1015 && events.withLock { $0 } == ["resumed 1000"])
        // A picture of the second part has changed.
        try made.add("frame800.jpg", try made.bytes("frame0.jpg"), at: 8000)
        let changed = try await Self.film(made, Self.settings(), to: path, stopAfter: 1019, record)
        #expect(changed.frameCount == 1019 && events.withLock { $0 }.last == "resumed 500")
        try made.folder.remove("frame0.jpg")
        _ = try await Self.film(made, Self.settings(), to: path, record)
        #expect(events.withLock { $0 }.last == "restarted")
        #expect(try ClipFile.finalize(path).tracks.first?.sampleCount == 1022)
    }

    @Test func `A file that is no film of this path stays as it is`() async throws {
        let made = try await MadePictures(3)
        let path = made.path + "/out/film.mp4"
        try made.write("out/film.mp4", [1, 2, 3])
        let error = await #expect(throws: CaptureError.self) { try await Self.film(made, Self.settings(), to: path) }
        #expect(error?.code == .cannotCreate && error?.systemError == EEXIST)
        #expect(try made.bytes("out/film.mp4") == [1, 2, 3])
        // Nor does a journal of another file take it.
        try made.folder.remove("out/film.mp4")
        _ = try await Self.film(made, Self.settings(), to: path, stopAfter: 2)
        // The file system gives it the number of the film.
        try made.write("out/film.mp4", [1, 2, 3])
        let again = await #expect(throws: CaptureError.self) { try await Self.film(made, Self.settings(), to: path) }
        #expect(again?.systemError == EEXIST)
        #expect(try made.bytes("out/film.mp4") == [1, 2, 3])
        let report = try await Self.film(made, Self.settings(), to: path, overwrites: true)
        #expect(report.film?.isComplete == true && report.frameCount == 3)
    }

    @Test func `Without a picture that can be shown, there is an error and no file`() async throws {
        let made = try await MadePictures(2)
        for name in ["frame0.jpg", "frame1.jpg"] {
            try made.write(name, Array(try made.bytes(name).prefix(700)))
        }
        let path = made.path + "/out/film.mp4"
        let error = await #expect(throws: CaptureError.self) { try await Self.film(made, Self.settings(), to: path) }
        #expect(
            error?.code == .noInput && error?.message == "none of its pictures can be shown",
            "\(String(describing: error))")
        #expect(try FileManager.default.contentsOfDirectory(atPath: made.path + "/out").isEmpty)
    }

    @Test func `A quality needs an encoder that keeps it`() async throws {
        let made = try await MadePictures(1)
        var settings = Self.settings(.openH264)
        settings.quality = 20
        let error = await #expect(throws: CaptureError.self) {
            try await Self.film(made, settings, to: made.path + "/out/film.mp4")
        }
        #expect(error?.code == .usage && error?.subject == "--quality")
    }
}
