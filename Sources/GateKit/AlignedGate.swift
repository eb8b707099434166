// Part of gst-capture. Apache License 2.0, see LICENSE.

import FrameMeasures

/// Judges whether the edges of a flat subject, such as a card, lie on its outline.
///
/// The gate searches across each of the outline's four sides for the strongest change of luma: on the line, inside or
/// outside of it. The score is the ratio of the change on the line to the change beside it, for the weakest side. A
/// value type without thread affinity. It allocates nothing once its buffers exist.
public struct AlignedGate: Sendable {
    /// The usual ratio of an edge's strength to that of its surroundings.
    public static let contrast = 2.5

    private let outline: [PixelPoint]
    private let contrast: Double
    private var probes: [EdgeProbe] = []
    private var layout = Layout()
    private var profiles = [EdgeProfile](repeating: EdgeProfile(reach: 0), count: 4)
    private var hysteresis = Hysteresis(false, framesToFail: 5, framesToPass: 5)
    private var hint = GateHint.lineUp

    /// The frame properties that determine the place of the outline on the frame.
    private struct Layout: Sendable, Hashable {
        var width = 0, height = 0, scale = 0
    }

    /// Creates a gate.
    ///
    /// - Parameters:
    ///   - outline: The corners of a closed line, in pixels of the preview; round corners have many.
    ///   - contrast: How many times as strong as their surroundings edges must be.
    public init(outline: [PixelPoint], contrast: Double = Self.contrast) {
        self.outline = outline.filter { $0.isFinite && max(abs($0.x), abs($0.y)) < 1e5 }
        self.contrast = contrast
    }

    /// Judges the next frame. An outline that encloses no area never passes.
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
        hint = places.hint
        // A passing gate requires a little less, so that a card in a hand does not toggle it.
        let passes = hysteresis.add(score >= (hysteresis.passes ? contrast * 0.8 : contrast))
        return GateVerdict(gate: .aligned, score: score, threshold: contrast, passes: passes, hint: hint)
    }

    /// The number of sides by the place of their edge.
    private struct Places {
        private var inside = 0, outside = 0

        var hint: GateHint {
            if inside >= 2, outside == 0 { return .closer }
            if outside >= 2, inside == 0 { return .fartherAway }
            return .lineUp
        }

        mutating func add(_ place: EdgeProfile.Place?) {
            switch place {
            case .inside: inside += 1
            case .outside: outside += 1
            case .on, nil: break
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

    /// Places the outline's probes on frames of a new size.
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
            // Points outward: `turn` is 1 if the corners go clockwise on the screen, -1 otherwise.
            let normal = PixelPoint(end.y - start.y, start.x - end.x) * (turn / length)
            for way in stride(from: 0.5, to: length, by: 1) {
                probes.append(EdgeProbe(place: start.toward(end, way / length), normal: normal))
            }
        }
    }

    /// An eighth of the shorter side of the outline's bounding box, 6 to 24 pixels.
    private static func reach(of corners: [PixelPoint]) -> Int {
        let box = PixelBox(around: corners)
        return min(max(Int(min(box.width, box.height) / 8), 6), 24)
    }

    /// Twice the area; positive if the corners go clockwise on the screen.
    private static func area(of corners: [PixelPoint]) -> Double {
        zip(corners, corners.dropFirst() + corners.prefix(1)).reduce(0) { $0 + $1.0.cross($1.1) }
    }
}
