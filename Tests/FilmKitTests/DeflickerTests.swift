// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureTestSupport
import Foundation
import Testing

@testable import FilmKit

@Suite("The removal of flicker")
struct DeflickerTests {
    /// The levels of a sunrise, with a lamp that is switched on at picture 200 and stays on.
    private static func trend(_ count: Int) -> [Double] {
        (0..<count).map { place in
            let sun = 0.35 + 0.65 / (1 + exp(-(Double(place) - 110) / 18))
            return log(sun * (place >= 200 ? 1.25 : 1) * 0.5)
        }
    }

    /// Adds flicker of 5 % to levels, and a change of 25 % to 3 pictures of 100.
    private static func flickering(_ levels: [Double], _ seed: UInt64) -> [Double] {
        var generator = SplitMix(seed)
        func uniform() -> Double { Double.random(in: 0..<1, using: &generator) }
        return levels.map { level in
            let noise = sqrt(-2 * log(1 - uniform())) * cos(2 * .pi * uniform()) * 0.05
            let outlier = uniform() < 0.03 ? (uniform() < 0.5 ? -0.25 : 0.25) : 0
            return level + noise + outlier
        }
    }

    /// The mean difference of neighbors off the trend.
    private static func flicker(_ levels: [Double], _ trend: [Double]) -> Double {
        let errors = zip(levels, trend).map { $0 - $1 }
        return zip(errors, errors.dropFirst()).reduce(0) { $0 + abs($1.1 - $1.0) } / Double(errors.count - 1)
    }

    private static func corrected(_ levels: [Double]) -> [Double] {
        zip(levels, Deflicker.gains(levels)).map { $0 + log($1) }
    }

    @Test func `Flicker becomes a fifth or less, and a lasting change stays within a tenth in most films`() {
        let trend = Self.trend(300)
        var atLamp: [Double] = []
        for seed in 1...200 {
            let levels = Self.flickering(trend, UInt64(seed))
            let result = Self.corrected(levels)
            let (before, after) = (Self.flicker(levels, trend), Self.flicker(result, trend))
            #expect(after * 5 <= before, "\(seed): \(before) \(after)")
            atLamp.append((190..<210).map { abs(exp(result[$0] - trend[$0]) - 1) }.max() ?? 1)
        }
        // Flicker can hide the place of a step: a dark picture right after the lamp was switched on looks like one before. A
        // search that knows both levels and the kind of the flicker misses the place in 7 of 100 films.
        #expect(atLamp.reduce(0, +) / 200 < 0.05 && atLamp.count { $0 > 0.1 } <= 20, "\(atLamp.sorted())")
        #expect(atLamp.prefix(40).count { $0 > 0.1 } <= 2)
    }

    @Test(arguments: [1, 2, 4])
    func `Flicker that alternates is removed`(count: Int) {
        let trend = [Double](repeating: -1, count: 200)
        let levels = trend.enumerated().map { $0.element + ($0.offset / count % 2 == 0 ? 0.1 : -0.1) }
        #expect(Self.flicker(Self.corrected(levels), trend) * 5 <= Self.flicker(levels, trend))
    }

    @Test(arguments: [8, 10, 14, 30])
    func `A lamp that is on for some pictures stays`(count: Int) {
        let steps = (0..<200).map { (100..<100 + count).contains($0) ? -0.75 : -1 }
        #expect(Deflicker.gains(steps).allSatisfy { abs($0 - 1) < 0.02 })
    }

    @Test func `A sunrise stays as it is`() {
        let trend = Self.trend(300)
        #expect(Deflicker.gains(trend).allSatisfy { abs($0 - 1) < 0.01 })
    }

    @Test func `Pictures without flicker stay as they are`() {
        let steady = [Double](repeating: -1, count: 100)
        #expect(Deflicker.gains(steady).allSatisfy { abs($0 - 1) < 1e-9 })
        let step = (0..<100).map { $0 < 50 ? -1.0 : -0.5 }
        #expect(Deflicker.gains(step).allSatisfy { abs($0 - 1) < 0.01 })
        let slope = (0..<100).map { Double($0) * 0.01 - 2 }
        #expect(Deflicker.gains(slope).allSatisfy { abs($0 - 1) < 0.01 })
    }

    @Test(arguments: 1...20)
    func `A film that grows has the gains of a whole one, whatever comes later`(seed: Int) {
        var generator = SplitMix(UInt64(seed))
        let count = Int.random(in: 1...80, using: &generator)
        let levels: [Double?] = (0..<count).map { _ in
            Int.random(in: 0..<10, using: &generator) == 0 ? nil : Double.random(in: -3...0, using: &generator)
        }
        let whole = Deflicker.gains(levels)
        #expect(whole.count == count && whole.allSatisfy { $0.isFinite && $0 > 0.6 && $0 < 1.7 })
        var growing = Deflicker()
        var early: [Double] = []
        for level in levels { early += growing.add(level) }
        #expect(early == Array(whole.prefix(max(0, count - Deflicker.lookahead))))
        #expect(early + growing.finish() == whole)
        // A part from the middle, with the pictures before it that have an effect, has the same gains, too.
        let start = Int.random(in: 0..<count, using: &generator)
        let context = max(0, start - Deflicker.lookahead)
        #expect(Array(Deflicker.gains(Array(levels[context...])).dropFirst(start - context)) == Array(whole[start...]))
    }

    @Test func `Levels that are no numbers, and films of a few pictures, are harmless`() {
        #expect(Deflicker.gains([]).isEmpty)
        #expect(Deflicker.gains([nil]) == [1] && Deflicker.gains([-1]) == [1])
        #expect(Deflicker.gains([.nan, .infinity, -.infinity, nil]) == [1, 1, 1, 1])
        let odd = Deflicker.gains([-1e300, 0, 1e300, -1])
        #expect(odd.allSatisfy { $0.isFinite && $0 > 0.6 && $0 < 1.7 })
    }

    @Test func `The darkest and the brightest tenth of a picture do not count`() {
        var counts = [Int](repeating: 0, count: 256)
        (counts[0], counts[100], counts[255]) = (10, 80, 10)
        #expect(PictureLevel.trimmedMean(counts) == 100)
        #expect(PictureLevel.trimmedMean([Int](repeating: 0, count: 256)) == 0)
        (counts[0], counts[100], counts[255]) = (0, 40, 60)
        #expect(PictureLevel.trimmedMean(counts) == 196.875)
    }
}
