// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureTestSupport
import Testing

@testable import UploadKit

@Suite("Lines as ranges")
struct LineRangesTests {
    @Test func `Ranges that touch become one`() {
        #expect(LineRanges([1...3, 7...9, 4...6]).ranges == [1...9])
        #expect(LineRanges([5...6, 1...2]).ranges == [1...2, 5...6])
        #expect(LineRanges([1...2, 5...6, 9...9, 2...8]).ranges == [1...9])
    }

    @Test func `Gaps are found from both ends`() {
        let lines = LineRanges([3...4, 8...9])
        #expect(lines.lowestGap(upTo: 20) == 1...2)
        #expect(lines.highestGap(upTo: 20) == 10...20)
        #expect(lines.highestGap(upTo: 9) == 5...7)
        #expect(lines.highestGap(upTo: 3) == 1...2)
        #expect(LineRanges([1...9]).lowestGap(upTo: 9) == nil)
        #expect(LineRanges([1...9]).highestGap(upTo: 5) == nil)
        #expect(LineRanges([1...4, 7...9]).lowestGap(upTo: 20) == 5...6)
        #expect(LineRanges().lowestGap(upTo: 0) == nil)
    }

    @Test func `Random ranges agree with a set of numbers`() {
        var generator = SplitMix(7)
        for _ in 0..<300 {
            var (ranges, numbers) = (LineRanges(), Set<Int>())
            for _ in 0..<20 {
                let first = Int.random(in: 1...60, using: &generator)
                let range = first...min(60, first + Int.random(in: 0...5, using: &generator))
                ranges.insert(range)
                numbers.formUnion(range)
                let last = Int.random(in: 1...60, using: &generator)
                let missing = (1...last).filter { !numbers.contains($0) }
                #expect(ranges.lowestGap(upTo: last)?.lowerBound == missing.first)
                #expect(ranges.highestGap(upTo: last)?.upperBound == missing.last)
                #expect((1...60).allSatisfy { ranges.contains($0) == numbers.contains($0) })
            }
            #expect(ranges.ranges.flatMap(Array.init) == numbers.sorted())
            #expect(zip(ranges.ranges, ranges.ranges.dropFirst()).allSatisfy { $0.upperBound + 1 < $1.lowerBound })
        }
    }

    @Test(arguments: 0..<20) func `Differences and intersections agree with sets of lines`(seed: Int) {
        var random = SplitMix(UInt64(seed))
        func lines() -> LineRanges {
            LineRanges(
                (0..<Int.random(in: 0...12, using: &random)).map { _ in
                    let first = Int.random(in: 1...90, using: &random)
                    return first...first + Int.random(in: 0...9, using: &random)
                })
        }
        func set(_ lines: LineRanges) -> Set<Int> { Set(lines.ranges.flatMap { Array($0) }) }
        for _ in 0..<50 {
            let (first, second) = (lines(), lines())
            #expect(set(first.subtracting(second)) == set(first).subtracting(set(second)))
            let common = first.intersection(second)
            #expect(set(common) == set(first).intersection(set(second)))
            #expect(LineRanges(common.ranges) == common)
            let line = Int.random(in: 1...110, using: &random)
            #expect(first.range(from: line) == first.ranges.first { $0.upperBound >= line })
        }
    }
}
