// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc

/// Computes how much brighter or darker each picture of a film must be so that it does not flicker.
///
/// The level of a picture is the logarithm of its mean brightness. The target is a line through the levels of its
/// neighbors, whose weights fall with the distance in time and with the distance of their running median from that of the
/// picture. The median is that of the pictures before or after, whichever the picture and its next neighbors belong to. So
/// the target follows a sunrise, stays at its side of a lamp that is switched on, and ignores single pictures that are much
/// too bright or too dark.
///
/// Levels are added one by one, and gains come ``lookahead`` pictures later: a film that grows gets the same gains as one
/// of all pictures at once.
package struct Deflicker: Sendable {
    /// The number of neighbors on each side that form the line.
    static let window = 12
    /// The number of neighbors on one side that form a median.
    static let medianReach = 4
    /// The number of pictures after a picture on which its gain depends, and of those before it.
    package static let lookahead = window + medianReach
    /// The difference of levels at which a neighbor has little weight.
    private static let bandwidth = 0.12
    /// The difference from the median from which on a picture is an outlier.
    private static let outlier = 0.15
    /// The largest change of a level: a factor of 1.65.
    private static let mostChange = 0.5

    /// The levels of the last pictures; `nil` for a picture that could not be measured.
    private var levels: [Double?] = []
    /// The medians of the first of these pictures.
    private var medians: [Double?] = []
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
        if levels.count > Self.medianReach { medians.append(median(at: medians.count)) }
        guard first + levels.count > count + Self.lookahead else { return [] }
        let gains = [nextGain()]
        forget()
        return gains
    }

    /// Returns the gains of the last pictures.
    package mutating func finish() -> [Double] {
        while medians.count < levels.count { medians.append(median(at: medians.count)) }
        var gains: [Double] = []
        while count < first + levels.count { gains.append(nextGain()) }
        return gains
    }

    /// Drops the pictures on which no later gain depends.
    private mutating func forget() {
        let excess = count - Self.lookahead - first
        guard excess > 0 else { return }
        levels.removeFirst(excess)
        medians.removeFirst(excess)
        first += excess
    }

    /// Returns the median at one side of a picture: that to which the picture and its two neighbors are closer.
    private func median(at place: Int) -> Double? {
        let (first, last) = (max(0, place - Self.medianReach), min(levels.count - 1, place + Self.medianReach))
        guard let before = median(of: first...place), let after = median(of: place...last),
            let near = median(of: max(0, place - 1)...min(levels.count - 1, place + 1))
        else { return median(of: first...last) }
        return abs(before - near) < abs(after - near) ? before : after
    }

    private func median(of range: ClosedRange<Int>) -> Double? {
        let known = levels[range].compactMap { $0 }.sorted()
        guard !known.isEmpty else { return nil }
        return (known[known.count / 2] + known[(known.count - 1) / 2]) / 2
    }

    private mutating func nextGain() -> Double {
        let place = count - first
        count += 1
        guard let level = levels[place], let middle = medians[place] else { return 1 }
        let change = target(at: place, middle) - level
        return exp(min(Self.mostChange, max(-Self.mostChange, change)))
    }

    /// Returns the value of the line at a picture.
    private func target(at place: Int, _ middle: Double) -> Double {
        // The sums of weights, times and levels of a weighted least-squares fit.
        var (sum, times, squares, values, products) = (0.0, 0.0, 0.0, 0.0, 0.0)
        for other in max(0, place - Self.window)...min(medians.count - 1, place + Self.window) {
            guard let level = levels[other], let median = medians[other], abs(level - median) < Self.outlier else {
                continue
            }
            let time = Double(other - place)
            let near = 1 - pow(abs(time) / Double(Self.window + 1), 3)
            let like = (median - middle) / Self.bandwidth
            let weight = near * near * near * exp(-like * like)
            sum += weight
            times += weight * time
            squares += weight * time * time
            values += weight * level
            products += weight * time * level
        }
        guard sum > 1e-3 else { return middle }
        // A line through neighbors at one side alone would lead far away from them.
        let determinant = sum * squares - times * times
        guard determinant > 1e-3 * sum * sum else { return values / sum }
        return (squares * values - times * products) / determinant
    }
}
