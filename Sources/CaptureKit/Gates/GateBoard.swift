// Part of gst-capture. Apache License 2.0, see LICENSE.

/// Which conditions of a stage hold, put together from all that judge them, and when that is worth telling. Pure.
struct GateBoard: Sendable {
    /// What judges.
    enum Judge: Sendable {
        /// The frames of the preview.
        case picture
        /// An accelerometer.
        case sensor
    }

    /// Which call of ``GateWatch/watch(_:of:)`` it is of.
    let generation: Int
    private var places: [Place]

    /// Nothing is known yet.
    ///
    /// - Parameter requests: What has to hold; of several of a kind, the first counts.
    init(_ requests: [GateRequest] = [], generation: Int = 0) {
        self.generation = generation
        var places: [Place] = []
        for request in requests where !places.contains(where: { $0.kind == request.kind }) {
            places.append(Place(request))
        }
        self.places = places
    }

    /// What is watched.
    var kinds: [GateRequest.Kind] { places.map(\.kind) }

    /// How all of it stands.
    var scores: [GateScore] { places.map(\.standing.score) }

    /// The score that is asked for; `nil` where this is not watched.
    func threshold(of kind: GateRequest.Kind) -> Double? { places.first { $0.kind == kind }?.threshold }

    /// What is asked of a kind; `nil` if it is not watched.
    func request(of kind: GateRequest.Kind) -> GateRequest? { places.first { $0.kind == kind }?.request }

    /// Takes up what a judge says; answers with what is to be told.
    mutating func note(_ judgement: GateJudgement, of kind: GateRequest.Kind, by judge: Judge) -> GateFinding? {
        note(.said(judgement), kind, judge)
    }

    /// Takes up that a judge cannot say anything, and why; answers with what is to be told.
    mutating func excuse(_ judge: Judge, of kind: GateRequest.Kind, because reason: String) -> GateFinding? {
        note(.excused(reason), kind, judge)
    }

    /// Says that a sensor is there, without which nothing is off.
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
    /// What is known of what a judge thinks.
    private enum Opinion: Sendable {
        case silent
        case said(GateJudgement)
        case excused(String)
    }

    /// One condition.
    private struct Place: Sendable {
        let request: GateRequest
        let kind: GateRequest.Kind
        let threshold: Double
        var picture = Opinion.silent
        /// `nil` where there is none.
        var sensor: Opinion?
        private var told: Standing?

        init(_ request: GateRequest) {
            self.request = request
            kind = request.kind
            threshold = request.threshold ?? kind.usualThreshold
        }

        /// How it stands, and whether that is certain.
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

        /// What is to be told: what is known for the first time, or has changed.
        mutating func news(_ generation: Int) -> GateFinding? {
            let standing = standing
            guard standing.isKnown, !(told?.sounds(like: standing) ?? false) else { return nil }
            told = standing
            return GateFinding(
                generation: generation, score: standing.score, hint: standing.hint, reason: standing.reason)
        }

        private func standing(_ judgement: GateJudgement, _ reason: String? = nil) -> Standing {
            Standing(
                score: GateScore(kind: kind, score: judgement.score, threshold: threshold, holds: judgement.holds),
                hint: judgement.hint, reason: reason, isKnown: true)
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

        /// Scores change with each frame: nobody is told for their sake.
        func sounds(like other: Standing) -> Bool {
            (score.holds, score.isOff, hint, reason) == (other.score.holds, other.score.isOff, other.hint, other.reason)
        }
    }
}
