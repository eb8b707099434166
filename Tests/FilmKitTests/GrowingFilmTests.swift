// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Foundation
import LedgerKit
import PipelineKit
import StillKit
import Synchronization
import Testing
import VideoKit

@testable import FilmKit

@Suite("A film that grows with a series", .timeLimit(.minutes(10)))
struct GrowingFilmTests {
    /// A feed of pictures that are there already, up to an end.
    private actor Feed: PictureFeed {
        private let pictures: [FilmPicture]
        private let end: FeedStep
        let start: Int
        private var place = 0

        init(_ pictures: [FilmPicture], from first: Int = 0, _ end: FeedStep) {
            (self.pictures, start, self.end) = (pictures, first, end)
        }

        func begin(after line: Int?) { place = line ?? start }

        func next() -> FeedStep {
            guard place < pictures.count else { return end }
            place += 1
            return .picture(NumberedPicture(line: place, pictures[place - 1]))
        }

        func brightness(upTo line: Int, most: Int) -> [Double?] { pictures[..<line].suffix(most).map(\.brightness) }
    }

    private static func settings(_ gaps: FilmSettings.Gaps = .jump, deflickers: Bool = true) -> FilmSettings {
        var settings = FilmSettings()
        (settings.encoder, settings.deflickers, settings.gaps) = (.only(.openH264), deflickers, gaps)
        return settings
    }

    /// The pictures of a folder, as a series that lacks some.
    private static func pictures(_ made: MadePictures) throws -> [FilmPicture] {
        let source = try FilmSource(made.path)
        let plan = try FilmPlan(source.pictures, FilmSettings())
        return plan.frames.enumerated().map { place, frame in
            var picture = frame.picture
            picture.slot = FilmPicture.Slot(series: 1, index: place + place / 50)
            picture.brightness = 0.4 + Double(place % 7) * 0.01
            return picture
        }
    }

    private static func whole(
        _ pictures: [FilmPicture], _ settings: FilmSettings, to path: String
    ) async throws -> FilmReport {
        let plan = try FilmPlan(pictures, settings, isOrdered: true)
        let report = FilmReport(plan, of: path, skipped: [])
        return try await FilmWriter(plan, settings, to: path).run(report)
    }

    private static func unfinished(_ path: String) -> GrowingFilm.Unfinished? {
        GrowingFilm.unfinished(in: StillFolder.path(of: path)).first { path.hasSuffix("/" + $0.name) }
    }

    private static func data(_ path: String) throws -> Data { try Data(contentsOf: URL(filePath: path)) }

    @Test(arguments: [settings(), settings(.hold), settings(deflickers: false)])
    func `It is the film that is made afterwards, byte by byte, also if it was continued`(
        settings: FilmSettings
    ) async throws {
        let made = try await MadePictures(1100, width: 32, height: 32)
        let pictures = try Self.pictures(made)
        let (whole, grown) = (made.path + "/out/whole.mp4", made.path + "/out/grown.mp4")
        let report = try await Self.whole(pictures, settings, to: whole)
        let resumed = Mutex<[Int]>([])
        for end in [1, 7, 540, 541, 1050] {
            let film = GrowingFilm(settings, to: grown) { event in
                if case .resumed(let count) = event { resumed.withLock { $0.append(count) } }
            }
            let ending = try await film.run(Feed(Array(pictures[..<end]), .interrupted))
            // A film without a picture whose window is full has no movie.
            let hasFrames = end > (settings.deflickers ? Deflicker.lookahead : 0)
            #expect(ending == .interrupted && FileManager.default.fileExists(atPath: grown) == hasFrames)
            if hasFrames { #expect(try ClipFile.finalize(grown).wasOrdinary) }
        }
        let ending = try await GrowingFilm(settings, to: grown).run(Feed(pictures, .complete))
        guard case .complete(let film) = ending else {
            Issue.record("\(ending)")
            return
        }
        #expect(film.frameCount == 1100 && film.line == 1100 && film.lackCount == 21)
        #expect(film.duration == report.duration && film.byteCount == report.film?.byteCount)
        // Missing pictures are frames, too, if the ones before them are held.
        let part = settings.gaps == .hold ? 491 : 500
        #expect(resumed.withLock { $0 } == [part, part])
        #expect(try Self.data(grown) == Self.data(whole))
        let names = try FileManager.default.contentsOfDirectory(atPath: made.path + "/out")
        #expect(names.sorted() == ["grown.mp4", "whole.mp4"])
    }

    @Test func `Pictures that are in the film may be removed before it continues`() async throws {
        let made = try await MadePictures(1020, width: 32, height: 32)
        let pictures = try Self.pictures(made)
        let (whole, grown) = (made.path + "/out/whole.mp4", made.path + "/out/grown.mp4")
        _ = try await Self.whole(pictures, Self.settings(), to: whole)
        let ending = try await GrowingFilm(Self.settings(), to: grown).run(Feed(Array(pictures[..<700]), .interrupted))
        #expect(ending == .interrupted && Self.unfinished(grown)?.lastLine == 500)
        for place in 0..<400 { try made.folder.remove("frame\(place).jpg") }
        _ = try await GrowingFilm(Self.settings(), to: grown).run(Feed(pictures, .complete))
        #expect(try Self.data(grown) == Self.data(whole))
    }

    @Test func `A crash before the record of a film leaves it unfinished`() async throws {
        let made = try await MadePictures(30, width: 32, height: 32)
        let pictures = try Self.pictures(made)
        let path = made.path + "/out/film.mp4"
        let error = await #expect(throws: CaptureError.self) {
            try await GrowingFilm(Self.settings(), to: path).run(Feed(pictures, .complete)) {
                film throws(CaptureError) in
                #expect(film.frameCount == 30)
                throw CaptureError(.inputOutput, "crash")
            }
        }
        #expect(error?.message == "crash" && Self.unfinished(path)?.lastLine == 30)
        let ending = try await GrowingFilm(Self.settings(), to: path).run(Feed(pictures, .complete))
        guard case .complete(let film) = ending else {
            Issue.record("\(ending)")
            return
        }
        #expect(film.frameCount == 30 && film.line == 30 && Self.unfinished(path) == nil)
        #expect(try ClipFile.finalize(path).tracks.map(\.sampleCount) == [30])
    }

    @Test func `With other settings it begins again with the pictures that are left`() async throws {
        let made = try await MadePictures(610, width: 32, height: 32)
        let pictures = try Self.pictures(made)
        let path = made.path + "/out/film.mp4"
        _ = try await GrowingFilm(Self.settings(), to: path).run(Feed(pictures, .interrupted))
        var settings = Self.settings()
        settings.pace = .rate(Fraction(25, 1))
        let restarts = Mutex(0)
        let film = GrowingFilm(settings, to: path) { event in
            if case .restarted = event { restarts.withLock { $0 += 1 } }
        }
        let ending = try await film.run(Feed(pictures, from: 100, .complete))
        guard case .complete(let film) = ending else {
            Issue.record("\(ending)")
            return
        }
        #expect(film.frameCount == 510 && restarts.withLock { $0 } == 1)
    }

    @Test func `A damaged picture is skipped, and counts among those that the film lacks`() async throws {
        let made = try await MadePictures(60, width: 32, height: 32)
        let pictures = try Self.pictures(made)
        let bytes = try made.bytes("frame10.jpg")
        try made.write("frame10.jpg", Array(bytes.prefix(bytes.count - 40)))
        try made.folder.remove("frame20.jpg")
        let skipped = Mutex<[String]>([])
        let film = GrowingFilm(Self.settings(), to: made.path + "/out/film.mp4") { event in
            if case .skipped(let picture) = event { skipped.withLock { $0.append(picture.name) } }
        }
        guard case .complete(let result) = try await film.run(Feed(pictures, .complete)) else {
            Issue.record("is not complete")
            return
        }
        #expect(skipped.withLock { $0 } == ["frame10.jpg", "frame20.jpg"])
        #expect(result.frameCount == 58 && result.lackCount == 3)
    }

    @Test func `Without a picture there is no film and no file`() async throws {
        let made = try MadePictures()
        let path = made.path + "/out/film.mp4"
        #expect(try await GrowingFilm(Self.settings(), to: path).run(Feed([], .complete)) == .empty)
        #expect(try await GrowingFilm(Self.settings(), to: path).run(Feed([], .interrupted)) == .interrupted)
        #expect(!FileManager.default.fileExists(atPath: made.path + "/out"))
    }
}
