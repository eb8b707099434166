// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Foundation
import SystemBase
import Testing

@testable import VideoKit

@Suite("Facts about movies")
struct MovieFactsTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder(isInMemory: true) }

    private func content(_ bytes: [UInt8]) throws -> MovieFacts.Content? {
        let path = folder.path + "/a.mp4"
        try Data(bytes).write(to: URL(filePath: path))
        return try MovieFacts.content(of: RegularFile(path))
    }

    private func facts(_ movie: MovieFile) throws -> MovieFacts {
        guard case .movie(let facts)? = try content(movie.bytes) else {
            throw CaptureError(.inputOutput, "is no movie")
        }
        return facts
    }

    @Test("Duration, size and moment are those of the headers")
    func headers() throws {
        var movie = MovieFile()
        let plain = try facts(movie)
        #expect(plain.duration == .milliseconds(1500) && (plain.width, plain.height) == (64, 48))
        #expect(plain.created == nil)
        (movie.isTurned, movie.created) = (true, 2_082_844_800 + 86400)
        let turned = try facts(movie)
        #expect((turned.width, turned.height) == (48, 64) && turned.created?.seconds == 86400)
    }

    @Test("A recording that is not complete is distinguished from a movie")
    func fragments() throws {
        var movie = MovieFile()
        movie.isFragmented = true
        #expect(try content(movie.bytes) == .fragments)
    }

    @Test("A file of other content is no movie")
    func other() throws {
        let withoutType = Array(MovieFile().bytes.dropFirst(20))
        for bytes in [[], Array("text".utf8), [UInt8](repeating: 0, count: 5000), withoutType] {
            #expect(try content(bytes) == nil)
        }
        // As of a download that was cut off: the header is at the end.
        let whole = MovieFile().bytes
        #expect(try content(Array(whole.prefix(whole.count - 1))) == nil)
    }

    @Test("A file of a million empty boxes is abandoned early")
    func manyBoxes() throws {
        let type = Array(MovieFile().bytes.prefix(20))
        let empty: [UInt8] = [0, 0, 0, 8] + Array("free".utf8)
        #expect(try content(type + Array(repeatElement(empty, count: 100_000).joined())) == nil)
    }

    @Test("Any change of bytes, and any length, is a movie or none", arguments: 0..<8)
    func hostile(_ seed: UInt64) throws {
        var random = SplitMix(seed)
        let whole = MovieFile().bytes
        for length in stride(from: Int(seed), to: whole.count, by: 8) { _ = try content(Array(whole.prefix(length))) }
        for _ in 0..<300 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                let place = Int.random(in: bytes.indices, using: &random)
                bytes[place] = [0, 1, 0x7F, 0x80, 0xFF].randomElement(using: &random) ?? 0
            }
            if case .movie(let facts)? = try content(bytes) {
                #expect(facts.duration >= .zero && facts.width >= 0 && facts.height >= 0)
            }
        }
    }
}
