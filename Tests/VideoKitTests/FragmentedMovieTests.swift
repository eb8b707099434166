// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Foundation
import Testing
import VideoKit

@Suite("A movie that is continued", .timeLimit(.minutes(5)), Recording.isPossible)
struct FragmentedMovieTests {
    /// Access units of 30 pictures.
    private static func units() async throws -> (FragmentWriter.Video, [FragmentWriter.AccessUnit]) {
        let encoded = try await EncodedMedia.pictures(30)
        let video = try FragmentWriter.Video(#require(encoded.first).caps)
        let units = try encoded.enumerated().map { place, unit in
            FragmentWriter.AccessUnit(
                .video, try #require(unit.sample.buffer).bytes(), decodeTime: UInt64(place) * 3000, duration: 3000,
                isKey: unit.isKey)
        }
        return (video, units)
    }

    @Test(arguments: [false, true])
    func `It is the same as one that was not interrupted, also after it was finished`(isFinished: Bool) async throws {
        let folder = try TemporaryFolder()
        let (video, units) = try await Self.units()
        let (whole, path) = (folder.path + "/whole.mp4", folder.path + "/part.mp4")
        let movie = try await FragmentedMovie.create(whole, video)
        for start in [0, 10, 20] { try await movie.append(Array(units[start..<start + 10])) }
        let report = try await movie.finish()
        #expect(report.report.tracks.first?.sampleCount == 30 && report.report.duration == .seconds(1))
        let first = try await FragmentedMovie.create(path, video)
        try await first.append(Array(units[..<10]))
        let place = try await first.sync()
        #expect(place.fragmentCount == 1)
        try await first.append(Array(units[10..<20]))
        if isFinished { _ = try await first.finish() } else { _ = try await first.sync() }
        // Another process has it while it is open.
        if !isFinished {
            let error = await #expect(throws: CaptureError.self) {
                try await FragmentedMovie.continue(path, video, at: place, sampleCount: 10)
            }
            #expect(error?.code == .temporary)
            _ = try await first.finish()
        }
        let second = try await FragmentedMovie.continue(path, video, at: place, sampleCount: 10)
        for start in [10, 20] { try await second.append(Array(units[start..<start + 10])) }
        _ = try await second.finish()
        #expect(try Data(contentsOf: URL(filePath: path)) == Data(contentsOf: URL(filePath: whole)))
        let again = try await FragmentedMovie.finish(
            path, FragmentWriter(video: video).initialization, at: place)
        #expect(again.report.tracks.first?.sampleCount == 10)
    }

    @Test func `A file that is shorter than it was, or a link, stays as it is`() async throws {
        let folder = try TemporaryFolder()
        let (video, _) = try await Self.units()
        let path = try folder.write("short.mp4", "short")
        try folder.link("link.mp4", to: "short.mp4")
        let place = FragmentedMovie.Place(byteCount: 5000, fragmentCount: 2)
        for name in ["short.mp4", "link.mp4", "missing.mp4"] {
            await #expect(throws: CaptureError.self) {
                try await FragmentedMovie.continue(folder.path + "/" + name, video, at: place, sampleCount: 10)
            }
        }
        #expect(try Data(contentsOf: URL(filePath: path)) == Data("short".utf8))
    }
}
