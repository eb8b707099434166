// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The gates of a stage: combines the judgments on each, and decides when a change is worth a finding. Pure.
struct GateBoard: Sendable {
    /// A source of judgments.
    enum Judge: Sendable {
        /// The frames of the preview.
        case picture
        /// An accelerometer.
        case sensor
    }

    /// The call of ``GateWatch/watch(_:of:)`` that the board belongs to.
    let generation: Int
    private var places: [Place]

    /// Creates a board without judgments.
    ///
    /// - Parameter requests: The gates to watch; of several of a kind, the first counts.
    init(_ requests: [GateRequest] = [], generation: Int = 0) {
        self.generation = generation
        var places: [Place] = []
        for request in requests where !places.contains(where: { $0.kind == request.kind }) {
            places.append(Place(request))
        }
        self.places = places
    }

    /// The kinds of the watched gates.
    var kinds: [GateRequest.Kind] { places.map(\.kind) }

    /// The current score of each gate.
    var scores: [GateScore] { places.map(\.standing.score) }

    /// Returns the score that a gate requires; `nil` if the gate is not watched.
    func threshold(of kind: GateRequest.Kind) -> Double? { places.first { $0.kind == kind }?.threshold }

    /// Returns the request for a gate; `nil` if the gate is not watched.
    func request(of kind: GateRequest.Kind) -> GateRequest? { places.first { $0.kind == kind }?.request }

    /// Records a judgment; returns the finding to emit, if any.
    mutating func note(_ judgment: GateJudgment, of kind: GateRequest.Kind, by judge: Judge) -> GateFinding? {
        note(.said(judgment), kind, judge)
    }

    /// Records that a judge is unavailable, and why; returns the finding to emit, if any.
    mutating func excuse(_ judge: Judge, of kind: GateRequest.Kind, because reason: String) -> GateFinding? {
        note(.excused(reason), kind, judge)
    }

    /// Records that a gate has a sensor: it is off only if the sensor is unavailable, too.
    mutating func expectSensor(of kind: GateRequest.Kind) { _ = note(.silent, kind, .sensor) }

    private mutating func note(_ opinion: Opinion, _ kind: GateRequest.Kind, _ judge: Judge) -> GateFinding? {
        guard let index = places.firstIndex(where: { $0.kind == kind }) else { return nil }
        switch judge {
        case .picture: places[index].picture = opinion
        case .sensor: places[index].sensor = opinion
        }
        return places[index].news(generation)
    }
}

extension GateBoard {
    /// The last report of a judge.
    private enum Opinion: Sendable {
        case silent
        case said(GateJudgment)
        case excused(String)
    }

    /// One gate.
    private struct Place: Sendable {
        let request: GateRequest
        let kind: GateRequest.Kind
        let threshold: Double
        var picture = Opinion.silent
        /// `nil` if the gate has no sensor.
        var sensor: Opinion?
        private var told: Standing?

        init(_ request: GateRequest) {
            self.request = request
            kind = request.kind
            threshold = request.threshold ?? kind.usualThreshold
        }

        /// The combined state of both judges.
        var standing: Standing {
            switch (picture, sensor) {
            case (.said(let seen), .said(let felt)): standing(seen.joined(felt))
            case (.said(let seen), .excused(let reason)): standing(seen, reason)
            case (.said(let seen), _): standing(seen)
            case (.excused(let reason), .said(let felt)): standing(felt, reason)
            case (.excused(let reason), nil), (.excused(let reason), .excused): off(reason)
            case (.excused, .silent), (.silent, _):
                Standing(score: GateScore(kind: kind, threshold: threshold, holds: false))
            }
        }

        /// Returns a finding when the gate becomes known or changes; `nil` otherwise.
        mutating func news(_ generation: Int) -> GateFinding? {
            let standing = standing
            guard standing.isKnown, !(told?.sounds(like: standing) ?? false) else { return nil }
            told = standing
            return GateFinding(
                generation: generation, score: standing.score, hint: standing.hint, reason: standing.reason)
        }

        private func standing(_ judgment: GateJudgment, _ reason: String? = nil) -> Standing {
            Standing(
                score: GateScore(kind: kind, score: judgment.score, threshold: threshold, holds: judgment.holds),
                hint: judgment.hint, reason: reason, isKnown: true)
        }

        private func off(_ reason: String) -> Standing {
            Standing(
                score: GateScore(kind: kind, threshold: threshold, holds: true, isOff: true), reason: reason,
                isKnown: true)
        }
    }

    private struct Standing: Sendable {
        var score: GateScore
        var hint: GateHint?
        var reason: String?
        var isKnown = false

        /// Returns `true` if a finding would repeat the other one. Score values change with each frame and do not
        /// count.
        func sounds(like other: Standing) -> Bool {
            (score.holds, score.isOff, hint, reason) == (other.score.holds, other.score.isOff, other.hint, other.reason)
        }
    }
}
