// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// Chooses, of the frames around a moment, the sharpest.
///
/// Of frames that are equally sharp the one nearest the moment is taken, and of two as near the earlier. Pure: it knows
/// times and sharpness, not frames.
struct BestOfN: Sendable {
    /// A frame, as far as it plays a part.
    struct Candidate: Sendable, Hashable {
        var time: ClockTime
        /// The variance of the Laplacian; of what cannot be measured, 0.
        var sharpness: Double
    }

    /// Which one it is.
    struct Choice: Sendable, Hashable {
        /// Its place in the candidates.
        var index: Int
        /// From the moment to the frame; less than zero for one before it.
        var offset: Duration
        var sharpness: Double
    }

    /// The moment that was asked for.
    let moment: ClockTime
    /// Frames farther off than this are not taken, unless there is no other.
    let reach: Duration
    /// Sharpness that differs by less than this part is the same: noise makes so much of a difference.
    var tolerance = 0.02

    /// The best of some frames; `nil` where there is none.
    func choose(of candidates: [Candidate]) -> Choice? {
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
