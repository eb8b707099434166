// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The evidence for and against four lines being the sides of a card.
struct CardSides {
    /// The reach of a profile, in pixels: so wide that noise and other edges spread evenly over it.
    private static let reach = 8.0
    /// The places beyond a corner that are examined for an edge, in lengths of the side; a round corner ends before
    /// them.
    private static let beyond = LineProfile.shares(16, from: 0.015, to: 0.11)
    /// The distance from a side to the background just outside of it, in pixels.
    private static let outside = 4.0
    /// The largest accepted differences of brightness, in levels: `margin` between places of a card's margin, `any`
    /// between places inside of the same edge.
    private static let alike = (margin: 12.0, any: 25.0)

    private let corners: Quadrilateral
    private let plane: LumaPlane
    private let profiles: [LineProfile]

    init(_ corners: Quadrilateral, in plane: LumaPlane) {
        (self.corners, self.plane) = (corners, plane)
        profiles = corners.lines.map { LineProfile(along: $0, in: plane, reach: Self.reach) }
    }

    /// For each side, the share along which its edge is visible, beyond chance: 0...1.
    var confidences: [Double] { profiles.map(\.surplus) }

    /// The confidence of the least certain side.
    var confidence: Double { confidences.min() ?? 0 }

    /// Returns the deviation of the corners from those of a card of these proportions, see ``TiltedRectangle``.
    func misfit(aspect: Double) -> Double {
        TiltedRectangle.misfit(corners, aspect: aspect, width: plane.width, height: plane.height)
    }

    /// The largest share of the extension of a side, beyond either of its ends, along which the same edge continues.
    ///
    /// A card's edges end at its corners. An edge that continues is that of a table or a board, or the card's own edge
    /// beside a stripe that was mistaken for its end.
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

    /// The largest share of a side along which the outside is as bright as the card's margin.
    ///
    /// A large share means that a stripe was mistaken for the card's end.
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
