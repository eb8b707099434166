// Part of gst-capture. Apache License 2.0, see LICENSE.

/// Prints the measurements, part by part.
protocol Report {
    func begin(_ rounds: Rounds)
    func show(_ match: Match)
    func show(grounds rows: [Row], _ kind: FrameKind)
    func show(_ planning: Planning)
    func show(_ allocations: Allocations)
    func show(_ targets: [Target])
}

extension Double {
    /// The number with `digits` decimal places.
    func text(_ digits: Int) -> String {
        guard isFinite else { return "-" }
        let scale = (0..<digits).reduce(1.0) { scale, _ in scale * 10 }
        let (whole, rest) = Int((magnitude * scale).rounded()).quotientAndRemainder(dividingBy: Int(scale))
        let places = String(rest)
        let padding = String(repeating: "0", count: max(0, digits - places.count))
        return (self < 0 ? "-" : "") + (digits == 0 ? "\(whole)" : "\(whole).\(padding)\(places)")
    }

    /// The text of nanoseconds in microseconds.
    var microseconds: String { (self / 1000).text(1) }
}
