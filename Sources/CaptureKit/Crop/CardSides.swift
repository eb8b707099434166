// Part of gst-capture. Apache License 2.0, see LICENSE.

/// What speaks for four lines being the sides of a card, and what against it.
struct CardSides {
    /// In pixels, so far off that noise and other edges lie anywhere.
    private static let reach = 8.0
    /// How far behind a corner an edge is looked for, in lengths of its side; a round corner is before that.
    private static let beyond = LineProfile.shares(16, from: 0.015, to: 0.11)
    /// In pixels: the ground, just outside of a side.
    private static let outside = 4.0
    /// Levels of brightness: what differs less may be of one thing, if that is a card's margin, or anything.
    private static let alike = (margin: 12.0, any: 25.0)

    private let corners: Quadrilateral
    private let plane: LumaPlane
    private let profiles: [LineProfile]

    init(_ corners: Quadrilateral, in plane: LumaPlane) {
        (self.corners, self.plane) = (corners, plane)
        profiles = corners.lines.map { LineProfile(along: $0, in: plane, reach: Self.reach) }
    }

    /// Of each side, the share along which its edge is seen, beyond chance: 0...1.
    var confidences: [Double] { profiles.map(\.surplus) }

    /// Of the least sure one.
    var confidence: Double { confidences.min() ?? 0 }

    /// How far the corners are off those of a card of these proportions: see ``TiltedRectangle``.
    func misfit(aspect: Double) -> Double {
        TiltedRectangle.misfit(corners, aspect: aspect, width: plane.width, height: plane.height)
    }

    /// The largest share of what follows a side, behind either of its ends, along which the same edge goes on.
    ///
    /// A card's edges end at its corners. What goes on is the edge of a table or a board, or the card's own edge beside a
    /// stripe that was taken for its end.
    var overshoot: Double {
        profiles.flatMap { profile in
            let usual = profile.usual
            return [Self.beyond.map { -$0 }, Self.beyond.map { 1 + $0 }].map { shares in
                let behind = LineProfile(along: profile.line, in: plane, reach: Self.reach, at: shares)
                return behind.filtered {
                    $0.step * usual.step > 0.4 * usual.step * usual.step
                        && ($0.inner - usual.inner).magnitude < Self.alike.any
                }.surplus
            }
        }.max() ?? 0
    }

    /// The largest share of a side along which it is as bright outside as the card's margin is.
    ///
    /// There a stripe was taken for the card's end.
    var marginOutside: Double {
        let margins = profiles.map(\.usual.inner).sorted()
        let margin = (margins[1] + margins[2]) / 2
        return profiles.map { profile in
            let count = LineProfile.side.count { share in
                let place = profile.line.place(share)
                let level = profile.line.level(in: plane, at: place, Self.outside, width: LineProfile.width)
                return level.map { ($0 - margin).magnitude < Self.alike.margin } ?? false
            }
            return Double(count) / Double(LineProfile.side.count)
        }.max() ?? 0
    }
}
