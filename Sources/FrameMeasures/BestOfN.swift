// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// Chooses the sharpest of the frames around a moment.
///
/// Of equally sharp frames it chooses the one nearest to the moment, and of two equally near ones the earlier. Pure: it
/// handles times and sharpness, not frames.
package struct BestOfN: Sendable {
    /// The time and sharpness of a frame.
    package struct Candidate: Sendable, Hashable {
        package var time: ClockTime
        /// The variance of the Laplacian; 0 if the frame cannot be measured.
        package var sharpness: Double

        package init(time: ClockTime, sharpness: Double) { (self.time, self.sharpness) = (time, sharpness) }
    }

    /// The chosen candidate.
    package struct Choice: Sendable, Hashable {
        /// Its index in the candidates.
        package var index: Int
        /// The time from the moment to the frame; negative for a frame before the moment.
        package var offset: Duration
        package var sharpness: Double

        package init(
            index: Int, offset: Duration, sharpness: Double
        ) {
            self.index = index
            self.offset = offset
            self.sharpness = sharpness
        }
    }

    /// The requested moment.
    package let moment: ClockTime
    /// Frames farther from the moment than this are chosen only if there is no nearer frame.
    package let reach: Duration
    /// Candidates that are less sharp than the best by this fraction at most count as equally sharp: noise alone causes
    /// such differences.
    private let tolerance: Double

    package init(
        moment: ClockTime, reach: Duration, tolerance: Double = 0.02
    ) {
        self.moment = moment
        self.reach = reach
        self.tolerance = tolerance
    }

    /// Returns the best candidate; `nil` if there is none.
    package func choose(of candidates: [Candidate]) -> Choice? {
        let within = candidates.indices.filter { distance(candidates[$0]) <= reach }
        guard !within.isEmpty else { return nearest(of: Array(candidates.indices), candidates) }
        let best = within.map { sharpness(candidates[$0]) }.max() ?? 0
        return nearest(of: within.filter { sharpness(candidates[$0]) >= best * (1 - tolerance) }, candidates)
    }

    private func nearest(of indices: [Int], _ candidates: [Candidate]) -> Choice? {
        let index = indices.min { one, other in
            let (near, far) = (distance(candidates[one]), distance(candidates[other]))
            return near == far ? candidates[one].time < candidates[other].time : near < far
        }
        return index.map { Choice(index: $0, offset: offset(candidates[$0]), sharpness: sharpness(candidates[$0])) }
    }

    private func offset(_ candidate: Candidate) -> Duration { candidate.time - moment }

    private func distance(_ candidate: Candidate) -> Duration {
        let offset = offset(candidate)
        return offset < .zero ? .zero - offset : offset
    }

    private func sharpness(_ candidate: Candidate) -> Double { candidate.sharpness.isFinite ? candidate.sharpness : 0 }
}
