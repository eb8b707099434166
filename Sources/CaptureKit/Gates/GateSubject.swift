// Part of gst-capture. Apache License 2.0, see LICENSE.

/// What belongs into an outline, and where that lies on the preview.
struct GateSubject: Sendable, Hashable {
    /// What there is to look for.
    let presence: OutlinePresence
    /// The line around the outline's closed shape, from corner to corner, as parts of the preview's width and height.
    let boundary: [PixelPoint]
}
