// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// What a guided session does next: a pure state machine, with no camera and no clock of its own.
///
/// The controller tells it what happened, and carries out what it answers.
///
///     idle ─begin→ ready ─trigger→ tutorial ─last page→ switching
///
///     switching ─camera→ armed ─trigger, gates→ counting ─zero→ capturing ─taken→ stage done ─shown→ switching … review
///         ↑                ↑                        │               │
///         └── camera lost ─┴── abort, next picture ─┴───────────────┘
///
///     review ─accept→ accepted, ─discard→ cancelled, ─retake→ switching … review
///
/// From every phase `cancel` leads to cancelled. A stage whose camera is there already is not switched to. While a stage is
/// switched to or armed, `bring` leads to bringing, and what is brought is as good as what is taken.
///
/// | | trigger | skip | abort | switch camera | bring | retake | accept, discard |
/// |---|---|---|---|---|---|---|---|
/// | idle | not begun | not begun | no stage | not begun | not begun | not in review | not in review |
/// | ready | tutorial, or first stage | not begun | no stage | ready | not begun | not in review | not in review |
/// | tutorial | next page, or first stage | first stage | no stage | not begun | not begun | not in review | not in review |
/// | switching | switching camera | next stage | as the session says | switching | bringing | not in review | not in review |
/// | armed, for a trigger | counting | next stage | as the session says | switching | bringing | not in review | not in review |
/// | armed, for gates | waiting for gates | next stage | as the session says | switching | bringing | not in review | not in review |
/// | counting | counting | counting | as the session says | counting | counting | counting | counting |
/// | capturing | capturing | capturing | as the session says | capturing | capturing | capturing | capturing |
/// | bringing | bringing | bringing | as the session says | bringing | bringing | bringing | bringing |
/// | stage done | next stage, or review | no stage | as the session says | no stage | no stage | that stage | not in review |
/// | review | in review | in review | no stage | in review | in review | that stage | accepted, cancelled |
/// | accepted, cancelled | over | over | over | over | over | over | over |
///
/// What is a fact leads on as well, and is passed over wherever this table has nothing:
///
/// | | camera ready | camera lost | a gate holds | a gate that aborts fails | wake | taken | failed |
/// |---|---|---|---|---|---|---|---|
/// | switching | armed, or counting | | | | | | |
/// | armed, for a trigger | | switching | | | | | |
/// | armed, for gates | | switching | counting | | counting, or abort | | |
/// | counting | | switching | | abort | capturing | | |
/// | capturing | | switching | | abort, before zero | | stage done, counting, or armed | armed |
/// | bringing | | | | | | stage done, armed, or switching | armed, or switching |
/// | stage done | | | | | next stage, or review | | |
///
/// Reasons in the first table are those of a ``Refusal``. A stage that cannot be skipped, a camera that is fixed or alone, and a
/// stage that has no pictures are refused as well.
///
/// - A countdown has its zero from its beginning. The picture of that moment is asked for earlier, by what the shutter is
///   known to be late.
/// - An abort `restart`s at the first stage, does the stage in hand once more (`retake-stage`), or `cancel`s all. A stage
///   that is retaken is all that is begun anew: the others are done.
/// - A gate that waits or aborts keeps a countdown from beginning until it is found to hold, at most for its limit. During
///   a countdown only one that aborts has a say.
/// - A camera that is lost calls the countdown or the picture off. When it is back, the stage goes on: what was counted is
///   counted anew, what waited for a trigger waits. Pictures are kept.
/// - A stage that is retaken keeps its former pictures until it has all of the new ones; to skip it leaves it as it was.
///   A single picture that is retaken is replaced in its place; the stage's other pictures stay.
/// - A picture that fails is told, and the stage waits for a trigger.
struct SessionMachine: Sendable {
    /// Where it stands; stages and pages count from 0.
    enum Phase: Sendable, Hashable {
        case idle
        /// Nothing has begun; a trigger begins.
        case ready
        case tutorial(page: Int)
        /// The stage waits for its camera; then it begins by itself, or waits for a trigger.
        case switching(stage: Int, SessionDescription.Start)
        /// The camera is there, and no countdown runs.
        case armed(stage: Int, Condition)
        /// The picture is that of `zero`.
        case counting(stage: Int, zero: ClockTime)
        /// The picture of `zero` is asked for.
        case capturing(stage: Int, picture: Int, zero: ClockTime)
        /// The picture comes from a library.
        case bringing(stage: Int, picture: Int)
        /// What was taken is shown until then.
        case stageDone(stage: Int, until: ClockTime)
        /// All pictures are there, and shown side by side.
        case review
        case accepted
        case cancelled
    }

    /// What a countdown waits for.
    enum Condition: Sendable, Hashable {
        case trigger
        case gates(since: ClockTime)
    }

    let session: SessionDescription
    let plan: Plan
    var phase = Phase.idle
    var standing: SessionStanding
    /// The camera that was asked for last.
    var camera: CameraRole
    /// True while that delivers.
    var hasCamera = false
    /// True where it delivered, and was not let go.
    var isCameraLost = false
    var countdown = Countdown()
    /// True where all pictures were there: what is taken once more since concerns that stage alone.
    var wasReviewed = false
    /// How late the shutter is.
    var latency = Duration.zero
    /// The gates whose verdicts count.
    var watched: [GateRequest] = []
    /// What they found last; nothing where they have found nothing yet.
    var verdicts: [GateRequest.Kind: Bool] = [:]
    /// Those that were waited for in vain.
    var overruled: Set<GateRequest.Kind> = []

    /// Creates a machine of a session that begins; it does nothing before `.begin`.
    init(_ session: SessionDescription, _ plan: Plan = Plan()) {
        (self.session, self.plan) = (session, plan)
        standing = SessionStanding(session)
        camera = plan.usualCamera
    }

    /// Creates a machine that goes on where an earlier run left off.
    ///
    /// - Throws: ``CaptureError`` `.configuration` where that belongs to another session.
    init(_ session: SessionDescription, _ plan: Plan = Plan(), from standing: SessionStanding) throws(CaptureError) {
        try standing.check(against: session)
        self.init(session, plan)
        self.standing = standing
    }

    /// Takes in what happened at `now`, and answers what to do about it, in order.
    mutating func handle(_ input: Input, at now: ClockTime) -> [Effect] {
        switch input {
        case .trigger: trigger(now)
        case .skip: skip(now)
        case .abort: abort(.asked, now)
        case .cancel: cancel()
        case .switchCamera: switchCamera()
        case .bring: bring()
        case .retake(let stage, let picture): retake(stage, picture, now)
        case .accept: accept()
        case .discard: discard()
        case .begin: begin(now)
        case .cameraReady(let role): takeCamera(role, now)
        case .cameraLost: loseCamera()
        case .gate(let kind, let holds): judge(kind, holds, now)
        case .latency(let latency): learn(latency, now)
        case .wake: wake(now)
        case .taken(let picture): keep(picture, now)
        case .failed(let picture, let error): fail(picture, error, now)
        }
    }
}

extension SessionMachine.Phase {
    /// The stage in hand.
    var stage: Int? {
        switch self {
        case .switching(let stage, _), .armed(let stage, _), .counting(let stage, _), .capturing(let stage, _, _),
            .bringing(let stage, _), .stageDone(let stage, _):
            stage
        case .idle, .ready, .tutorial, .review, .accepted, .cancelled: nil
        }
    }
}
