// Part of gst-capture. Apache License 2.0, see LICENSE.

/// How much luma changes across one side of an outline, by the distance from it.
///
/// It is filled again and again, and allocates nothing then.
struct EdgeProfile: Sendable {
    /// Where the strongest change is.
    enum Place: Sendable, Hashable {
        case inside, on, outside
    }

    /// How far from the line an edge may lie and be on it, in pixels of the small picture.
    private static let tolerance = 2
    /// Less than this, in levels, is no edge.
    private static let faintest = 8.0
    /// What noise gives; it keeps the ratio finite on plain ground.
    private static let floor = 2.0

    /// How far to each side it looks, in pixels of the small picture.
    let reach: Int
    private var sums: [Int]
    private var counts: [Int]
    private var means: [Double]
    private var sorted: [Double]

    init(reach: Int) {
        self.reach = max(reach, Self.tolerance)
        sums = [Int](repeating: 0, count: 2 * self.reach + 1)
        counts = sums
        means = [Double](repeating: 0, count: sums.count)
        sorted = means
    }

    /// Forgets the last frame.
    mutating func clear() {
        for index in sums.indices { (sums[index], counts[index]) = (0, 0) }
    }

    /// Looks across the line at one place of it.
    mutating func add(_ probe: EdgeProbe, _ frame: LumaFrame) {
        for offset in -reach...reach {
            guard let inner = probe.level(frame, offset - 1), let outer = probe.level(frame, offset + 1) else {
                continue
            }
            sums[offset + reach] += abs(outer - inner)
            counts[offset + reach] += 1
        }
    }

    /// Makes up the account of all places.
    mutating func finish() {
        for index in sums.indices {
            means[index] = counts[index] == 0 ? 0 : Double(sums[index]) / Double(counts[index])
        }
        for index in means.indices { sorted[index] = means[index] }
        sorted.sort()
    }

    /// True where a part of this side lies in the picture.
    var isSeen: Bool { counts[reach] > 0 }

    /// The strongest change on the line, against what is usual beside it.
    var contrast: Double {
        let strongest = means[reach - Self.tolerance...reach + Self.tolerance].max() ?? 0
        return strongest < Self.faintest ? 0 : strongest / usual
    }

    /// Where the strongest change is; `nil` where none stands out.
    func place(_ contrast: Double) -> Place? {
        guard let strongest = means.indices.max(by: { means[$0] < means[$1] }),
            means[strongest] >= max(Self.faintest, contrast * usual)
        else { return nil }
        let offset = strongest - reach
        return abs(offset) <= Self.tolerance ? .on : offset < 0 ? .inside : .outside
    }

    /// The middle of all.
    private var usual: Double { sorted[reach] + Self.floor }
}
