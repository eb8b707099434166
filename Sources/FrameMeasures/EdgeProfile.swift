// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The change of luma across one side of an outline, by the distance from the line.
///
/// A profile is reused for every frame and then allocates nothing.
package struct EdgeProfile: Sendable {
    /// The place of the strongest change, relative to the line.
    package enum Place: Sendable, Hashable {
        case inside, on, outside
    }

    /// The largest distance from the line at which an edge counts as on it, in pixels of the small picture.
    private static let tolerance = 2
    /// A weaker change than this, in levels, is no edge.
    private static let faintest = 8.0
    /// The change that noise causes; it keeps the ratio finite on a plain background.
    private static let floor = 2.0

    /// How far the profile extends to each side, in pixels of the small picture.
    private let reach: Int
    private var sums: [Int]
    private var counts: [Int]
    private var means: [Double]
    private var sorted: [Double]

    package init(reach: Int) {
        self.reach = max(reach, Self.tolerance)
        sums = [Int](repeating: 0, count: 2 * self.reach + 1)
        counts = sums
        means = [Double](repeating: 0, count: sums.count)
        sorted = means
    }

    /// Discards the last frame's sums.
    package mutating func clear() {
        for index in sums.indices { (sums[index], counts[index]) = (0, 0) }
    }

    /// Adds the change across the line at one place of the side.
    package mutating func add(_ probe: EdgeProbe, _ frame: LumaFrame) {
        for offset in -reach...reach {
            guard let inner = probe.level(frame, offset - 1), let outer = probe.level(frame, offset + 1) else {
                continue
            }
            sums[offset + reach] += abs(outer - inner)
            counts[offset + reach] += 1
        }
    }

    /// Computes the means over all places. Results are valid from this call to ``clear()``.
    package mutating func finish() {
        for index in sums.indices {
            means[index] = counts[index] == 0 ? 0 : Double(sums[index]) / Double(counts[index])
        }
        for index in means.indices { sorted[index] = means[index] }
        sorted.sort()
    }

    /// `true` if a part of this side lies in the picture.
    package var isSeen: Bool { counts[reach] > 0 }

    /// The strongest change on the line divided by the usual change; 0 if there is no edge.
    package var contrast: Double {
        let strongest = means[reach - Self.tolerance...reach + Self.tolerance].max() ?? 0
        return strongest < Self.faintest ? 0 : strongest / usual
    }

    /// Returns the place of the strongest change; `nil` if it is not at least `contrast` times the usual change.
    package func place(_ contrast: Double) -> Place? {
        guard let strongest = means.indices.max(by: { means[$0] < means[$1] }),
            means[strongest] >= max(Self.faintest, contrast * usual)
        else { return nil }
        let offset = strongest - reach
        return abs(offset) <= Self.tolerance ? .on : offset < 0 ? .inside : .outside
    }

    /// The median change, plus the floor for noise.
    private var usual: Double { sorted[reach] + Self.floor }
}
