// Part of gst-capture. Apache License 2.0, see LICENSE.

/// Says whether the edges of a flat subject, such as a card, lie on its outline.
///
/// Across each of the outline's four sides it looks where luma changes most: on the line, inside or outside of it. The
/// score is how much stronger the change is on the line than beside it, for the weakest side. A value, of no thread; once
/// its memory is there it allocates nothing.
public struct AlignedGate: Sendable {
    /// By default an edge must be so many times as strong as what is beside it.
    public static let contrast = 2.5

    private let outline: [PixelPoint]
    private let contrast: Double
    private var probes: [EdgeProbe] = []
    private var layout = Layout()
    private var profiles = [EdgeProfile](repeating: EdgeProfile(reach: 0), count: 4)
    private var hysteresis = Hysteresis(false, framesToFail: 5, framesToPass: 5)
    private var hint = GateHint.lineUp
    /// True where most sides of something are near the outline, though not on it.
    public private(set) var isPresent = false

    /// What of a frame decides where the line lies on it.
    private struct Layout: Sendable, Hashable {
        var width = 0, height = 0, scale = 0
    }

    /// Creates a gate.
    ///
    /// - Parameters:
    ///   - outline: the corners of a closed line, in pixels of the preview; round corners have many.
    ///   - contrast: how many times as strong as what is beside them edges must be.
    public init(outline: [PixelPoint], contrast: Double = Self.contrast) {
        self.outline = outline.filter { $0.isFinite && max(abs($0.x), abs($0.y)) < 1e5 }
        self.contrast = contrast
    }

    /// Takes the next frame into account. An outline that encloses nothing is never met.
    public mutating func add(_ frame: LumaFrame) -> GateVerdict {
        let layout = Layout(width: frame.width, height: frame.height, scale: frame.scale)
        if layout != self.layout { lay(layout) }
        measure(frame)
        let isSeen = profiles.allSatisfy { $0.isSeen }
        var (score, places) = (isSeen ? Double.infinity : 0, Places())
        for profile in profiles where profile.isSeen {
            if isSeen { score = min(score, profile.contrast) }
            places.add(profile.place(contrast))
        }
        isPresent = places.count >= 3
        hint = places.hint
        // A gate that passed asks for a little less, so that a card in a hand does not come and go.
        let passes = hysteresis.add(score >= (hysteresis.passes ? contrast * 0.8 : contrast))
        return GateVerdict(gate: .aligned, score: score, threshold: contrast, passes: passes, hint: hint)
    }

    /// Where the edges of the sides are.
    private struct Places {
        private var on = 0, inside = 0, outside = 0

        var count: Int { on + inside + outside }

        var hint: GateHint {
            if inside >= 2, outside == 0 { return .closer }
            if outside >= 2, inside == 0 { return .fartherAway }
            return .lineUp
        }

        mutating func add(_ place: EdgeProfile.Place?) {
            switch place {
            case .on: on += 1
            case .inside: inside += 1
            case .outside: outside += 1
            case nil: break
            }
        }
    }
}

extension AlignedGate {
    private mutating func measure(_ frame: LumaFrame) {
        for side in profiles.indices { profiles[side].clear() }
        for probe in probes { profiles[probe.side].add(probe, frame) }
        for side in profiles.indices { profiles[side].finish() }
    }

    /// Lays the line on frames of another size.
    private mutating func lay(_ layout: Layout) {
        self.layout = layout
        let corners = outline.map { $0 * (1 / Double(max(1, layout.scale))) }
        profiles = [EdgeProfile](repeating: EdgeProfile(reach: Self.reach(of: corners)), count: 4)
        probes = []
        guard corners.count >= 3, layout.width > 0 else { return }
        let turn = Self.area(of: corners) < 0 ? -1.0 : 1.0
        for (index, start) in corners.enumerated() {
            let end = corners[(index + 1) % corners.count]
            let length = start.distance(to: end)
            guard length > 0 else { continue }
            // Outwards, for corners that go round as the hands of a clock do on a screen.
            let normal = PixelPoint(end.y - start.y, start.x - end.x) * (turn / length)
            for way in stride(from: 0.5, to: length, by: 1) {
                probes.append(EdgeProbe(place: start.toward(end, way / length), normal: normal))
            }
        }
    }

    /// An eighth of the shorter side of the box around the outline.
    private static func reach(of corners: [PixelPoint]) -> Int {
        let box = PixelBox(around: corners)
        return min(max(Int(min(box.width, box.height) / 8), 6), 24)
    }

    /// Twice the area, above zero for corners that go round as the hands of a clock do on a screen.
    private static func area(of corners: [PixelPoint]) -> Double {
        zip(corners, corners.dropFirst() + corners.prefix(1)).reduce(0) { $0 + $1.0.cross($1.1) }
    }
}
