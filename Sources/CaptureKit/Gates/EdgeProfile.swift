// Part of gst-capture. Apache License 2.0, see LICENSE.

/// How much luma changes across one side of an outline, by the distance from it.
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

    init(reach: Int) {
        self.reach = reach
        sums = [Int](repeating: 0, count: 2 * reach + 1)
        counts = sums
    }

    /// Looks across the line at one place of it.
    mutating func add(_ point: AlignedGate.Point, _ normal: AlignedGate.Point, _ frame: LumaFrame) {
        for offset in -reach...reach {
            guard let inner = Self.level(frame, point, normal, Double(offset - 1)),
                let outer = Self.level(frame, point, normal, Double(offset + 1))
            else { continue }
            sums[offset + reach] += abs(outer - inner)
            counts[offset + reach] += 1
        }
    }

    /// True where a part of this side lies in the picture.
    var isSeen: Bool { counts[reach] > 0 }

    /// The strongest change on the line, against what is usual beside it.
    var contrast: Double {
        let means = means
        let strongest = means[reach - Self.tolerance...reach + Self.tolerance].max() ?? 0
        return strongest < Self.faintest ? 0 : strongest / usual(means)
    }

    /// Where the strongest change is; `nil` where none stands out.
    func place(_ contrast: Double) -> Place? {
        let means = means
        guard let strongest = means.indices.max(by: { means[$0] < means[$1] }),
            means[strongest] >= max(Self.faintest, contrast * usual(means))
        else { return nil }
        let offset = strongest - reach
        return abs(offset) <= Self.tolerance ? .on : offset < 0 ? .inside : .outside
    }

    private var means: [Double] { zip(sums, counts).map { $1 == 0 ? 0 : Double($0) / Double($1) } }

    private func usual(_ means: [Double]) -> Double { means.sorted()[reach] + Self.floor }

    private static func level(
        _ frame: LumaFrame, _ point: AlignedGate.Point, _ normal: AlignedGate.Point, _ distance: Double
    ) -> Int? {
        let x = Int((point.x + normal.x * distance).rounded(.down))
        let y = Int((point.y + normal.y * distance).rounded(.down))
        guard x >= 0, y >= 0, x < frame.width, y < frame.height else { return nil }
        return Int(frame.levels[y * frame.width + x])
    }
}
