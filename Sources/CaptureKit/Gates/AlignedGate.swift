// Part of gst-capture. Apache License 2.0, see LICENSE.

/// Says whether the edges of a flat subject, such as a card, lie on its outline.
///
/// Across each of the outline's four sides it looks where luma changes most: on the line, inside or outside of it. The
/// score is how much stronger the change is on the line than beside it, for the weakest side. A value, of no thread.
public struct AlignedGate: Sendable {
    /// A place in the preview, in pixels.
    public struct Point: Sendable, Hashable {
        /// To the right.
        public var x: Double
        /// Downwards.
        public var y: Double

        /// Creates a place.
        public init(x: Double, y: Double) { (self.x, self.y) = (x, y) }
    }

    /// By default an edge must be so many times as strong as what is beside it.
    public static let contrast = 2.5

    private let outline: [Point]
    private let contrast: Double
    private var profiles: [EdgeProfile] = []
    private var hysteresis = Hysteresis(false, framesToFail: 5, framesToPass: 5)
    private var hint = GateHint.lineUp
    /// True where most sides of something are near the outline, though not on it.
    public private(set) var isPresent = false

    /// Creates a gate.
    ///
    /// - Parameters:
    ///   - outline: the corners of a closed line, in pixels of the preview; round corners have many.
    ///   - contrast: how many times as strong as what is beside them edges must be.
    public init(outline: [Point], contrast: Double = Self.contrast) {
        self.outline = outline.filter { $0.x.isFinite && $0.y.isFinite && max(abs($0.x), abs($0.y)) < 1e5 }
        self.contrast = contrast
    }

    /// Takes the next frame into account. An outline that encloses nothing is never met.
    public mutating func add(_ frame: LumaFrame) -> GateVerdict {
        measure(frame)
        let sides = profiles.filter { $0.isSeen }
        let score = sides.count == 4 ? sides.map(\.contrast).min() ?? 0 : 0
        isPresent = sides.count { $0.place(contrast) != nil } >= 3
        let places = sides.compactMap { $0.place(contrast) }
        // A gate that passed asks for a little less, so that a card in a hand does not come and go.
        let passes = hysteresis.add(score >= (hysteresis.passes ? contrast * 0.8 : contrast))
        hint = Self.hint(places)
        return GateVerdict(gate: .aligned, score: score, threshold: contrast, passes: passes, hint: hint)
    }

    private static func hint(_ places: [EdgeProfile.Place]) -> GateHint {
        let (inside, outside) = (places.count { $0 == .inside }, places.count { $0 == .outside })
        if inside >= 2, outside == 0 { return .closer }
        if outside >= 2, inside == 0 { return .fartherAway }
        return .lineUp
    }
}

extension AlignedGate {
    private mutating func measure(_ frame: LumaFrame) {
        let scale = Double(frame.scale)
        let corners = outline.map { Point(x: $0.x / scale, y: $0.y / scale) }
        profiles = [EdgeProfile](repeating: EdgeProfile(reach: Self.reach(of: corners)), count: 4)
        guard corners.count >= 3, frame.width > 0 else { return }
        let turn = Self.area(of: corners) < 0 ? -1.0 : 1.0
        for (index, start) in corners.enumerated() {
            add(from: start, to: corners[(index + 1) % corners.count], turn, frame)
        }
    }

    private mutating func add(from start: Point, to end: Point, _ turn: Double, _ frame: LumaFrame) {
        let (dx, dy) = (end.x - start.x, end.y - start.y)
        let length = (dx * dx + dy * dy).squareRoot()
        guard length > 0 else { return }
        // Outwards, for corners that go round as the hands of a clock do on a screen.
        let normal = Point(x: turn * dy / length, y: -turn * dx / length)
        let side = abs(normal.x) > abs(normal.y) ? (normal.x > 0 ? 0 : 1) : (normal.y > 0 ? 2 : 3)
        var way = 0.5
        while way < length {
            let (x, y) = (start.x + dx * way / length, start.y + dy * way / length)
            profiles[side].add(Point(x: x, y: y), normal, frame)
            way += 1
        }
    }

    /// An eighth of the shorter side of the box around the outline.
    private static func reach(of corners: [Point]) -> Int {
        let (xs, ys) = (corners.map(\.x), corners.map(\.y))
        let width = (xs.max() ?? 0) - (xs.min() ?? 0)
        let height = (ys.max() ?? 0) - (ys.min() ?? 0)
        return min(max(Int(min(width, height) / 8), 6), 24)
    }

    /// Twice the area, above zero for corners that go round as the hands of a clock do on a screen.
    private static func area(of corners: [Point]) -> Double {
        zip(corners, corners.dropFirst() + corners.prefix(1)).reduce(0) { $0 + $1.0.x * $1.1.y - $1.1.x * $1.0.y }
    }
}
