// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureTestSupport
import PipelineKit
import Testing

@testable import VideoKit

@Suite("A live movie of one viewer", H264Encoder.isInstalled, .timeLimit(.minutes(5)))
struct LiveMovieTests {
    /// Returns the decode time and the duration of a fragment of one picture.
    private static func times(_ fragment: [UInt8]) throws -> [Int] {
        func number(after name: String, _ offset: Int, _ count: Int) throws -> Int {
            let type = Array(name.utf8)
            let start = try #require(fragment.indices.first { fragment[$0...].starts(with: type) })
            return fragment[(start + 4 + offset)...].prefix(count).reduce(0) { $0 << 8 | Int($1) }
        }
        return [try number(after: "tfdt", 4, 8), try number(after: "trun", 12, 4)]
    }

    @Test("Times are those of the capture from the first picture on, and a gap stays a gap")
    func times() async throws {
        let units = try await EncodedMedia.pictures(5)
        var movie = try LiveMovie(try #require(units[0].sample.caps))
        var found: [[Int]] = []
        for (unit, milliseconds) in zip(units, [5000, 5040, 5040, 9000, 9020] as [Double]) {
            found.append(try Self.times(try #require(try movie.fragment(unit.at(milliseconds: milliseconds)))))
        }
        // The times of two pictures are never equal. A picture lasts as long as the one before it, at most a second.
        #expect(found == [[0, 3000], [3600, 3600], [3601, 1], [360_000, 90_000], [361_800, 1800]])
    }

    @Test("The media type names profile and level, and a picture of another format does not fit")
    func format() async throws {
        let (small, large) = (try await EncodedMedia.pictures(1), try await EncodedMedia.pictures(1, width: 128))
        var movie = try LiveMovie(try #require(small[0].sample.caps))
        #expect(movie.mediaType.wholeMatch(of: /video\/mp4; codecs="avc1\.[0-9A-F]{6}"/) != nil)
        #expect(try movie.fragment(large[0]) == nil)
        #expect(try movie.fragment(small[0]) != nil)
        let video = FragmentWriter.Video(configuration: [1, 0x42, 0xC0, 0x0D, 0xFF, 0xE1, 0], width: 64, height: 48)
        #expect(video.codec == "avc1.42C00D")
    }
}
