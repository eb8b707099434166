// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Foundation
import Testing
import VideoKit

@Suite("The index of a movie")
struct MP4IndexTests {
    /// Returns the numbers of a box of the first track, after its version and flags.
    private func table(_ type: String, _ movie: [UInt8]) throws -> [UInt32] {
        var range = try BoxList(movie).first("moov")
        for container in ["trak", "mdia", "minf", "stbl"] {
            range = try BoxList(movie, (range.lowerBound + 8)..<range.upperBound).first(container)
        }
        range = try BoxList(movie, (range.lowerBound + 8)..<range.upperBound).first(type)
        return numbers(movie[(range.lowerBound + 12)..<range.upperBound])
    }

    private func numbers(_ bytes: ArraySlice<UInt8>) -> [UInt32] {
        stride(from: bytes.startIndex, to: bytes.endIndex, by: 4).map { place in
            bytes[place..<(place + 4)].reduce(0) { $0 << 8 | UInt32($1) }
        }
    }

    @Test("Tables list times, sizes and offsets")
    func tables() throws {
        var index = try MP4Index(movie: CraftedMovie.header())
        try index.add(fragment: CraftedMovie.fragment(time: 0, [(10, 5), (10, 6)]), at: 1000, data: 1100..<1111)
        try index.add(fragment: CraftedMovie.fragment(time: 20, [(10, 7), (20, 8)]), at: 2000, data: 2100..<2115)
        let movie = index.encoded()
        #expect(try table("stts", movie.movie) == [2, 3, 10, 1, 20])
        #expect(try table("stsz", movie.movie) == [0, 4, 5, 6, 7, 8])
        #expect(try table("stsc", movie.movie) == [1, 1, 2, 1])
        #expect(try table("stco", movie.movie) == [2, 1100, 2100])
        #expect(movie.duration == .milliseconds(50))
        #expect(index.tracks == [.init(id: 1, codec: "avc1", sampleCount: 4, duration: .milliseconds(50))])
    }

    @Test("A gap between fragments lengthens the sample before it")
    func gap() throws {
        var index = try MP4Index(movie: CraftedMovie.header())
        try index.add(fragment: CraftedMovie.fragment(time: 50, [(10, 5), (10, 5)]), at: 1000, data: 1100..<1110)
        try index.add(fragment: CraftedMovie.fragment(time: 500, [(10, 5)]), at: 2000, data: 2100..<2105)
        let movie = index.encoded()
        #expect(try table("stts", movie.movie) == [3, 1, 10, 1, 440, 1, 10])
        #expect(movie.duration == .milliseconds(460))
    }

    @Test("Fragments that overlap shorten the sample before them, to 0 at least")
    func overlap() throws {
        var index = try MP4Index(movie: CraftedMovie.header())
        try index.add(fragment: CraftedMovie.fragment(time: 0, [(10, 5), (10, 5)]), at: 1000, data: 1100..<1110)
        try index.add(fragment: CraftedMovie.fragment(time: 14, [(10, 5)]), at: 2000, data: 2100..<2105)
        try index.add(fragment: CraftedMovie.fragment(time: 2, [(10, 5)]), at: 3000, data: 3100..<3105)
        #expect(try table("stts", index.encoded().movie) == [4, 1, 10, 1, 4, 1, 0, 1, 10])
    }

    @Test("Media before the first edit stays trimmed")
    func trimmed() throws {
        var index = try MP4Index(movie: CraftedMovie.header(editTime: 15))
        try index.add(fragment: CraftedMovie.fragment(time: 0, [(10, 5), (10, 5)]), at: 1000, data: 1100..<1110)
        let movie = index.encoded()
        #expect(movie.duration == .milliseconds(5))
        let edits = try #require(movie.movie.firstRange(of: Array("elst".utf8)))
        // One edit: 5 ms of 90,000 units a second, from the media time 15 on.
        #expect(
            movie.movie[edits.upperBound...].prefix(20).elementsEqual(CraftedMovie.words(0, 1, 450, 15, 0x1_0000)))
    }

    @Test("Offsets beyond 4 GiB have 64 bits")
    func largeOffsets() throws {
        var index = try MP4Index(movie: CraftedMovie.header())
        let place = 1 << 32
        try index.add(
            fragment: CraftedMovie.fragment(time: 0, [(10, 5)]), at: place, data: (place + 100)..<(place + 105))
        #expect(try table("co64", index.encoded().movie) == [1, 1, 100])
    }

    @Test("Samples outside of the data of their fragment are refused")
    func outside() throws {
        for data in [1101..<1111, 1100..<1109, 1100..<1100, 0..<1109] {
            var index = try MP4Index(movie: CraftedMovie.header())
            #expect(throws: CaptureError.self) {
                try index.add(fragment: CraftedMovie.fragment(time: 0, [(10, 5), (10, 5)]), at: 1000, data: data)
            }
        }
    }

    @Test("A million samples have an index of a few bytes each", arguments: [1_000, 1_000_000])
    func growth(count: Int) throws {
        var index = try MP4Index(movie: CraftedMovie.header())
        let start = ContinuousClock.now
        var (added, position) = (0, 1000)
        while added < count {
            // Each frame has another size; each fifth another duration.
            let samples = (0..<min(15, count - added)).map { (number: Int) -> (duration: UInt32, size: UInt32) in
                (number % 5 == 0 ? 34 : 33, UInt32(100 + (added + number) % 900))
            }
            let size = samples.reduce(0) { $0 + Int($1.size) }
            let time = UInt32(added / 15 * 498)
            try index.add(
                fragment: CraftedMovie.fragment(time: time, samples), at: position,
                data: (position + 100)..<(position + 100 + size))
            (added, position) = (added + samples.count, position + 100 + size)
        }
        let read = ContinuousClock.now
        let movie = index.encoded().movie
        print("\(count) samples: read \(read - start), written \(ContinuousClock.now - read), \(movie.count) bytes")
        #expect(index.tracks.first?.sampleCount == count)
        // 4 bytes for the size; durations and offsets are shared by several samples.
        #expect(movie.count < 10 * count + 2000)
    }
}
