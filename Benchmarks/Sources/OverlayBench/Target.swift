// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A performance target, and whether this run met it.
struct Target {
    let promise: String
    let figures: String
    /// `nil` if it could not be measured.
    let isMet: Bool?
}

extension Target {
    /// At 1080p, less than half a copy of the frame.
    static func cheaperThanCopy(_ match: Match) -> Target? {
        guard let ours = match["ours"], let copy = match["memcpy"] else { return nil }
        let ratio = ours.timing.least / copy.timing.least
        return Target(
            promise: "\(match.kind): below half of one memcpy", figures: "\(ratio.text(2)) of it", isMet: ratio < 0.5)
    }

    /// `times` times cheaper than a peer.
    static func cheaper(_ match: Match, than peer: String, _ way: String? = nil, times: Double) -> Target {
        let promise = "\(match.kind): \(times.text(0)) times cheaper than \(peer)"
        guard let ours = match["ours"], let other = match[peer, way] else {
            return Target(promise: promise, figures: "missing", isMet: nil)
        }
        let ratio = other.timing.least / ours.timing.least
        return Target(promise: promise, figures: "\(ratio.text(0)) times", isMet: ratio >= times)
    }

    /// The cost of a larger frame grows with the number of touched pixels. Memory is slower for frames beyond the
    /// caches, which a copy measures: the target allows for that, and a quarter for noise.
    static func growth(from small: Match, to large: Match) -> Target? {
        guard let time = growth("ours", small, large), let copy = growth("memcpy", small, large) else { return nil }
        let pixels = Double(large.kind.pixels) / Double(small.kind.pixels)
        let touched = Double(large.changedBytes) / Double(small.changedBytes)
        let figures = "\(time.text(1)) times the time of \(small.kind) for \(touched.text(1)) times the pixels"
        return Target(
            promise: "\(large.kind): grows with the touched pixels",
            figures: "\(figures); memcpy \(copy.text(1)) for \(pixels.text(1))",
            isMet: time < touched * max(1, copy / pixels) * 1.25)
    }

    private static func growth(_ name: String, _ small: Match, _ large: Match) -> Double? {
        guard let before = small[name], let after = large[name] else { return nil }
        return after.timing.least / before.timing.least
    }

    /// There are no memory requests while frames flow.
    static func allocations(_ allocations: Allocations) -> [Target] {
        guard let bare = allocations["bare"], let mapped = allocations["mapped"], let ours = allocations["ours"],
            let kernel = allocations["kernel"]
        else { return [] }
        return [
            Target(
                promise: "no allocation for a frame in the blending", figures: "\((kernel - mapped).text(2))",
                isMet: kernel == mapped),
            Target(
                promise: "no allocation for a frame in the pipeline",
                figures: "\(ours.text(2)) with the overlay, \(bare.text(2)) without", isMet: ours == bare),
        ]
    }
}
