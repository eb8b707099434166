// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc

/// Computes how much brighter or darker each picture of a film must be so that it does not flicker.
///
/// The level of a picture is the logarithm of its mean brightness. The target is a line through the levels of its neighbors,
/// whose weights fall with the distance in time. Lasting steps, as that of a lamp that is switched on, divide the pictures:
/// the line of each side has its own height, and all sides share one slope. A step is a place at which two such lines explain
/// the levels around it much better than one. So the target follows a sunrise, stays at its side of a step, and ignores
/// single pictures that are much too bright or too dark. A change of up to six pictures is flicker.
///
/// Levels are added one by one, and gains come ``lookahead`` pictures later: a film that grows gets the same gains as one
/// of all pictures at once.
package struct Deflicker: Sendable {
    /// The number of neighbors on each side that form the line.
    static let window = 16
    /// The number of pictures on each side of a place that decide whether there is a step.
    private static let stepReach = 12
    /// The number of places on each side of a step that cannot be steps.
    private static let stepDistance = 4
    /// The number of pictures after a picture on which its gain depends, and of those before it.
    package static let lookahead = window + stepDistance + stepReach
    /// The least number of pictures on each side of a step.
    private static let leastSide = 4
    /// The smallest step. A smaller one becomes a fade.
    private static let leastStep = 0.1
    /// The logarithm of the odds that are needed for a step.
    private static let leastEvidence = 5.0
    /// The usual slopes, in levels a picture: of the target, and beside a step. Next to a step, a line must not take its
    /// place.
    private static let usualSlope = 0.01, slopeAtStep = 0.006
    /// The largest change of a level: a factor of 1.65.
    private static let mostChange = 0.5

    /// The levels of the last pictures; `nil` for a picture that could not be measured.
    private var levels: [Double?] = []
    /// The evidence for a step before each of the first of these pictures.
    private var evidence: [Double] = []
    /// The number of pictures before `levels`.
    private var first = 0
    /// The number of gains that were returned.
    private var count = 0

    /// Creates the computation before the first picture.
    package init() {}

    /// Returns the gains of all pictures: factors of brightness.
    package static func gains(_ levels: [Double?]) -> [Double] {
        var deflicker = Deflicker()
        return levels.flatMap { deflicker.add($0) } + deflicker.finish()
    }

    /// Adds the level of the next picture.
    ///
    /// - Returns: The gains of the next pictures that are known now: one or none.
    package mutating func add(_ level: Double?) -> [Double] {
        levels.append(level.flatMap { $0.isFinite ? $0 : nil })
        if levels.count >= evidence.count + Self.stepReach { evidence.append(evidence(at: evidence.count)) }
        guard first + levels.count > count + Self.lookahead else { return [] }
        let gains = [nextGain()]
        forget()
        return gains
    }

    /// Returns the gains of the last pictures.
    package mutating func finish() -> [Double] {
        while evidence.count < levels.count { evidence.append(evidence(at: evidence.count)) }
        var gains: [Double] = []
        while count < first + levels.count { gains.append(nextGain()) }
        return gains
    }

    /// Drops the pictures on which no later gain depends.
    private mutating func forget() {
        let excess = count - Self.lookahead - first
        guard excess > 0 else { return }
        levels.removeFirst(excess)
        evidence.removeFirst(excess)
        first += excess
    }

    private mutating func nextGain() -> Double {
        let place = count - first
        count += 1
        guard let level = levels[place] else { return 1 }
        let change = target(at: place) - level
        return exp(min(Self.mostChange, max(-Self.mostChange, change)))
    }

    /// Returns the value of the line at a picture.
    private func target(at place: Int) -> Double {
        var samples: [LevelFit.Sample] = []
        var (side, ownSide) = (0, 0)
        let start = max(0, place - Self.window)
        for other in start...min(levels.count - 1, place + Self.window) {
            if other > start, isStep(other) { side += 1 }
            if other == place { ownSide = side }
            guard let level = levels[other] else { continue }
            let time = Double(other - place)
            let near = 1 - pow(abs(time) / Double(Self.window + 1), 3)
            samples.append(LevelFit.Sample(time: time, level: level, weight: near * near * near, side: side))
        }
        return LevelFit(samples, sideCount: side + 1, usualSlope: Self.usualSlope).level(side: ownSide, time: 0)
    }
}

// MARK: - Steps

extension Deflicker {
    /// `true` if there is a step before a picture: the evidence is enough, and nowhere near is there more.
    private func isStep(_ place: Int) -> Bool {
        let own = evidence[place]
        guard own > Self.leastEvidence else { return false }
        let (first, last) = (max(0, place - Self.stepDistance), min(evidence.count - 1, place + Self.stepDistance))
        return evidence[first..<place].allSatisfy { $0 < own }
            && evidence[place...last].dropFirst().allSatisfy { $0 <= own }
    }

    /// Returns the logarithm of the odds for a step before a picture.
    private func evidence(at place: Int) -> Double {
        let range = max(0, place - Self.stepReach)..<min(levels.count, place + Self.stepReach)
        var samples = range.compactMap { other in
            levels[other].map {
                LevelFit.Sample(time: Double(other - place) + 0.5, level: $0, weight: 1, side: other < place ? 0 : 1)
            }
        }
        let before = samples.count { $0.side == 0 }
        guard min(before, samples.count - before) >= Self.leastSide else { return 0 }
        let two = LevelFit(samples, sideCount: 2, usualSlope: Self.slopeAtStep)
        guard abs(two.level(side: 1, time: 0) - two.level(side: 0, time: 0)) >= Self.leastStep else { return 0 }
        for index in samples.indices { samples[index].side = 0 }
        return LevelFit(samples, sideCount: 1, usualSlope: Self.slopeAtStep).cost - two.cost
    }
}

/// A line through levels for each side of a step, with one slope. Outliers have little weight.
///
/// The fit is that of Student's t-distribution with 3 degrees of freedom, by repeated least squares. A large slope needs
/// evidence: few levels that flicker have a slope by chance.
private struct LevelFit {
    /// The level of a picture.
    struct Sample {
        let time: Double
        let level: Double
        let weight: Double
        var side: Int
    }

    /// A side of a step: the weighted means of its pictures.
    private struct Side {
        var weight = 0.0
        var time = 0.0
        var level = 0.0
    }

    /// The usual flicker.
    private static let flicker = 0.05
    private static let rounds = 6

    /// The negative logarithm of the likelihood.
    private(set) var cost = 0.0
    private var sides: [Side]
    private var slope = 0.0

    /// - Parameter usualSlope: The slope that needs no evidence.
    init(_ samples: [Sample], sideCount: Int, usualSlope: Double) {
        let usualSquare = usualSlope * usualSlope
        sides = Array(repeating: Side(), count: sideCount)
        var weights = samples.map(\.weight)
        for _ in 0..<Self.rounds {
            fit(samples, weights, usualSquare)
            cost = slope * slope / (2 * usualSquare)
            for (index, sample) in samples.enumerated() {
                let error = (sample.level - level(side: sample.side, time: sample.time)) / Self.flicker
                weights[index] = sample.weight * 4 / (3 + error * error)
                cost += sample.weight * 2 * log(1 + error * error / 3)
            }
        }
    }

    /// Returns the level of the line of a side.
    func level(side: Int, time: Double) -> Double { sides[side].level + slope * (time - sides[side].time) }

    /// Fits the lines by weighted least squares.
    private mutating func fit(_ samples: [Sample], _ weights: [Double], _ usualSquare: Double) {
        for side in sides.indices { sides[side] = Side() }
        for (sample, weight) in zip(samples, weights) {
            sides[sample.side].weight += weight
            sides[sample.side].time += weight * sample.time
            sides[sample.side].level += weight * sample.level
        }
        for side in sides.indices where sides[side].weight > 0 {
            sides[side].time /= sides[side].weight
            sides[side].level /= sides[side].weight
        }
        var (squares, products) = (Self.flicker * Self.flicker / usualSquare, 0.0)
        for (sample, weight) in zip(samples, weights) {
            let (side, time) = (sides[sample.side], sample.time - sides[sample.side].time)
            squares += weight * time * time
            products += weight * time * (sample.level - side.level)
        }
        slope = products / squares
    }
}
