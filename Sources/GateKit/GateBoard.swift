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

    /// The call of ``GateWatch/watch(_:of:replacing:)`` that the board belongs to.
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
    var scores: [GateScore] { places.map(\.state.score) }

    /// Returns the score that a gate requires; `nil` if the gate is not watched.
    func threshold(of kind: GateRequest.Kind) -> Double? { places.first { $0.kind == kind }?.threshold }

    /// Returns the request for a gate; `nil` if the gate is not watched.
    func request(of kind: GateRequest.Kind) -> GateRequest? { places.first { $0.kind == kind }?.request }

    /// Records a judgment; returns the finding to emit, if any.
    mutating func record(_ judgment: GateJudgment, of kind: GateRequest.Kind, by judge: Judge) -> GateFinding? {
        record(.judged(judgment), kind, judge)
    }

    /// Records that a judge is unavailable, and why; returns the finding to emit, if any.
    mutating func excuse(_ judge: Judge, of kind: GateRequest.Kind, because reason: String) -> GateFinding? {
        record(.excused(reason), kind, judge)
    }

    /// Records that a gate has a sensor: it is off only if the sensor is unavailable, too.
    mutating func expectSensor(of kind: GateRequest.Kind) { _ = record(.silent, kind, .sensor) }

    private mutating func record(_ opinion: Opinion, _ kind: GateRequest.Kind, _ judge: Judge) -> GateFinding? {
        guard let index = places.firstIndex(where: { $0.kind == kind }) else { return nil }
        switch judge {
        case .picture: places[index].picture = opinion
        case .sensor: places[index].sensor = opinion
        }
        return places[index].nextFinding(generation)
    }
}

extension GateBoard {
    /// The last opinion of a judge.
    private enum Opinion: Sendable {
        case silent
        case judged(GateJudgment)
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
        private var emitted: State?

        init(_ request: GateRequest) {
            self.request = request
            kind = request.kind
            threshold = request.threshold ?? kind.usualThreshold
        }

        /// The combined state of both judges.
        var state: State {
            switch (picture, sensor) {
            case (.judged(let seen), .judged(let felt)): state(seen.joined(felt))
            case (.judged(let seen), .excused(let reason)): state(seen, reason)
            case (.judged(let seen), _): state(seen)
            case (.excused(let reason), .judged(let felt)): state(felt, reason)
            case (.excused(let reason), nil), (.excused(let reason), .excused): off(reason)
            case (.excused, .silent), (.silent, _):
                State(score: GateScore(kind: kind, threshold: threshold, holds: false))
            }
        }

        /// Returns a finding when the gate becomes known or changes; `nil` otherwise.
        mutating func nextFinding(_ generation: Int) -> GateFinding? {
            let state = state
            guard state.isKnown, !(emitted?.isRepeated(by: state) ?? false) else { return nil }
            emitted = state
            return GateFinding(generation: generation, score: state.score, hint: state.hint, reason: state.reason)
        }

        private func state(_ judgment: GateJudgment, _ reason: String? = nil) -> State {
            State(
                score: GateScore(kind: kind, score: judgment.score, threshold: threshold, holds: judgment.holds),
                hint: judgment.hint, reason: reason, isKnown: true)
        }

        private func off(_ reason: String) -> State {
            State(
                score: GateScore(kind: kind, threshold: threshold, holds: true, isOff: true), reason: reason,
                isKnown: true)
        }
    }

    private struct State: Sendable {
        var score: GateScore
        var hint: GateHint?
        var reason: String?
        var isKnown = false

        /// Returns `true` if a finding of the other state would repeat this one. Score values change with each frame
        /// and do not count.
        func isRepeated(by other: State) -> Bool {
            (score.holds, score.isOff, hint, reason) == (other.score.holds, other.score.isOff, other.hint, other.reason)
        }
    }
}
