// Part of gst-capture. Apache License 2.0, see LICENSE.

/// Chooses pictures of a contact sheet by their times.
enum SheetChoice {
    /// Returns the places of some of many pictures: the first, the last, and pictures evenly by time between them. A span
    /// without pictures, such as a night, counts as one step, so that its neighbors are not shown all.
    ///
    /// - Parameters:
    ///   - times: In nanoseconds, in the order of the pictures. If the clock was set back, no time passes. If no time
    ///     passes at all, the pictures are chosen evenly by number.
    ///   - most: The number of pictures, at least 1. All are chosen if there are no more.
    static func even(_ times: [Int64], most: Int) -> [Int] {
        guard times.count > most, most > 0 else { return Array(times.indices) }
        let spans = zip(times, times.dropFirst()).map { max(0, Double($1) - Double($0)) }
        let step = step(spans, most - 1)
        var positions = [0.0]
        for (place, span) in spans.enumerated() {
            positions.append(positions[place] + (step > 0 ? min(span, step) : 1))
        }
        let end = positions[spans.count]
        var places = [0]
        for number in 1..<max(1, most - 1) {
            let target = end * Double(number) / Double(most - 1)
            var place = places[number - 1] + 1
            // The following ones need a place each.
            let last = times.count - (most - number)
            while place < last, abs(positions[place + 1] - target) <= abs(positions[place] - target) { place += 1 }
            places.append(place)
        }
        return most > 1 ? places + [times.count - 1] : places
    }

    /// Returns the length of a step, so that spans that count as one step at most are `count` steps together; 0 if there is
    /// no such length.
    private static func step(_ spans: [Double], _ count: Int) -> Double {
        var (sum, rest) = (spans.reduce(0, +), count)
        for span in spans.sorted(by: >) where rest > 0 {
            let step = sum / Double(rest)
            if span <= step { return step }
            (sum, rest) = (sum - span, rest - 1)
        }
        return 0
    }

    /// Returns the places of one picture for each interval since the earliest one: the picture that is nearest to its
    /// beginning.
    ///
    /// - Parameters:
    ///   - times: In nanoseconds, in any order.
    ///   - interval: In nanoseconds, at least 1.
    static func every(_ interval: Int64, _ times: [Int64]) -> [Int] {
        guard let first = times.min() else { return [] }
        let interval = UInt64(max(1, interval))
        var nearest: [UInt64: (place: Int, distance: UInt64)] = [:]
        for (place, time) in times.enumerated() {
            let offset = UInt64(bitPattern: time &- first)
            let (number, rest) = offset.quotientAndRemainder(dividingBy: interval)
            let isLater = rest > interval / 2
            let (key, distance) = isLater ? (number + 1, interval - rest) : (number, rest)
            if let known = nearest[key], known.distance <= distance { continue }
            nearest[key] = (place, distance)
        }
        return nearest.values.map(\.place).sorted()
    }
}
