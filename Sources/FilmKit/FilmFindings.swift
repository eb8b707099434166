// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// A place of a film at which pictures are missing.
package struct FilmGap: Sendable, Hashable {
    /// The place of the picture after the gap among the frames of the plan, from 0.
    package let place: Int
    /// The names of the pictures around the gap.
    package let after: String, before: String
    /// The times of these pictures.
    package let start: WallTime, end: WallTime
    /// An estimate of the number of pictures that are missing; exact for slots of a series.
    package let missingCount: Int
    /// The number of frames for which the picture before the gap is held.
    package var heldCount = 0
}

/// A picture whose time is before that of the picture before it.
package struct FilmClockStep: Sendable, Hashable {
    /// The name of the picture.
    package let name: String
    package let back: Duration
}

/// A value that pictures share, and their number.
package struct FilmCount: Sendable, Hashable {
    /// The name of a camera that the tags of a picture do not state.
    package static let unknown = "unknown"

    package let name: String
    package let count: Int

    /// Counts texts, the most frequent one first.
    static func counts(_ texts: [String]) -> [FilmCount] {
        var counts: [String: Int] = [:]
        for text in texts { counts[text, default: 0] += 1 }
        return counts.map { FilmCount(name: $0.key, count: $0.value) }.sorted {
            ($0.count, $1.name) > ($1.count, $0.name)
        }
    }

    /// Counts values, the most frequent one first, and of equally frequent ones the largest.
    static func counts<Value: Hashable>(
        _ values: [Value], by size: KeyPath<Value, Int>
    ) -> [(value: Value, count: Int)] {
        var counts: [Value: (count: Int, place: Int)] = [:]
        for (place, value) in values.enumerated() { counts[value, default: (0, place)].count += 1 }
        return counts.map { (value: $0.key, count: $0.value.count, place: $0.value.place) }.sorted {
            ($0.count, $0.value[keyPath: size], $1.place) > ($1.count, $1.value[keyPath: size], $0.place)
        }.map { ($0.value, $0.count) }
    }
}
