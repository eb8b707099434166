// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Foundation
import Testing
import VideoKit

@Suite("A hostile recording", .timeLimit(.minutes(10)), Recording.isPossible)
struct HostileClipTests {
    /// Finalizes a file, and checks that it is unchanged, or that only its header and its end are changed.
    ///
    /// - Returns: `true` if the file became an ordinary movie.
    @discardableResult
    private func check(_ bytes: [UInt8], _ file: ClipPath) throws -> Bool {
        try file.write(bytes)
        let steps = (try? ClipFile.steps(for: file.path)) ?? []
        guard let report = try? ClipFile.finalize(file.path) else {
            try #require(try file.read() == bytes)
            return false
        }
        let result = try file.read()
        guard !report.wasOrdinary else {
            try #require(result == bytes)
            return false
        }
        try checkSteps(steps, bytes, result)
        let again = try ClipFile.finalize(file.path)
        try #require(again.wasOrdinary && again.tracks == report.tracks)
        return true
    }

    private func checkSteps(_ steps: [ClipFile.Step], _ bytes: [UInt8], _ result: [UInt8]) throws {
        var (expected, end) = (bytes, bytes.count)
        for step in steps.dropLast() {
            step.apply(to: &expected)
            switch step {
            case .truncate(let count): end = count
            case .append(let index, let position):
                try #require(position >= end)
                // Each sample has at least one byte in the file, and at most 28 in the index.
                try #require(index.count <= 32 * bytes.count)
            case .replace(let mark, _): try #require(mark.count == 8 && mark.suffix(4).elementsEqual("skip".utf8))
            }
        }
        guard case .replace(let head, let position)? = steps.last else {
            Issue.record("nothing was written")
            return
        }
        try #require(head.count == 16 && position + 16 <= end)
        steps.last?.apply(to: &expected)
        try #require(result == expected)
    }

    @Test("A recording with random changes becomes a movie, or is left alone", arguments: 0..<8)
    func mutations(seed: UInt64) async throws {
        var generator = SplitMix(seed)
        let bytes = try await Recording.allCases[Int(seed) % 3].bytes(frames: 30)
        let file = try ClipPath(isInMemory: true)
        var movies = 0
        for _ in 0..<1000 where try check(bytes.mutated(&generator), file) { movies += 1 }
        // Most changes are inside of samples.
        #expect((1..<1000).contains(movies))
    }

    @Test("A recording with random changes of its headers becomes a movie, or is left alone", arguments: 0..<8)
    func headers(seed: UInt64) async throws {
        var generator = SplitMix(seed + 100)
        let bytes = try await Recording.allCases[Int(seed) % 3].bytes(frames: 30)
        let boxes = try BoxList(bytes)
        let heads = boxes.ranges.indices.filter { boxes.types[$0] != "mdat" }.map { boxes.ranges[$0] }
        let file = try ClipPath(isInMemory: true)
        for _ in 0..<1000 {
            let range = heads[Int.random(in: 0..<heads.count, using: &generator)]
            let changed = Array(bytes[range]).mutated(&generator)
            try check(Array(bytes[..<range.lowerBound]) + changed + Array(bytes[range.upperBound...]), file)
        }
    }

    @Test("A recording with extreme numbers becomes a movie, or is left alone", arguments: Recording.allCases)
    func numbers(_ recording: Recording) async throws {
        let bytes = try await recording.bytes(frames: 20)
        let boxes = try BoxList(bytes)
        let heads = boxes.ranges.indices.filter { boxes.types[$0] != "mdat" }.map { boxes.ranges[$0] }
        let file = try ClipPath(isInMemory: true)
        for place in heads.prefix(5).joined() where place + 4 <= bytes.count {
            for value: [UInt8] in [[0, 0, 0, 0], [0xFF, 0xFF, 0xFF, 0xFF], [0x7F, 0xFF, 0xFF, 0xFF], [0, 0, 0, 1]] {
                var changed = bytes
                changed.replaceSubrange(place..<(place + 4), with: value)
                try check(changed, file)
            }
        }
    }

    @Test("Boxes in any order become a movie, or are left alone", arguments: 0..<4)
    func shuffled(seed: UInt64) async throws {
        var generator = SplitMix(seed + 200)
        let bytes = try await Recording.allCases[Int(seed) % 3].bytes(frames: 30)
        let boxes = try BoxList(bytes).ranges
        let file = try ClipPath(isInMemory: true)
        for _ in 0..<500 {
            let order = (0..<Int.random(in: 1...10, using: &generator)).compactMap { _ in
                boxes.randomElement(using: &generator)
            }
            try check((boxes.prefix(2) + order).flatMap { bytes[$0] }, file)
        }
    }

    @Test("A count of samples that the file does not have needs no memory")
    func counts() throws {
        // 4 billion samples of 1 byte each, by the defaults of the track.
        for (count, size) in [(UInt32.max, 1 as UInt32), (UInt32.max, 0), (1 << 24, 0), (1 << 25, 1)] {
            var index = try MP4Index(movie: CraftedMovie.header(sampleSize: size))
            let fragment = CraftedMovie.fragment(count: count)
            #expect(throws: CaptureError.self) {
                try index.add(fragment: fragment, at: 1000, data: 1100..<2000)
            }
        }
    }
}
