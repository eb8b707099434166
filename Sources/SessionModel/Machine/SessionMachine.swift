// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import ScheduleKit

/// Decides the next step of a guided session. A pure state machine: it has no camera and no clock.
///
/// The controller passes inputs to ``handle(_:at:)``, and carries out the effects that it returns.
///
///     idle ─begin→ ready ─trigger→ consent ─→ form ─→ tutorial ─last page→ switching
///
///     switching ─camera→ armed ─trigger, gates→ counting ─zero→ capturing ─taken→ stage done ─next→ switching … review
///         ↑                ↑                        │               │
///         └── camera lost ─┴── abort, next picture ─┴───────────────┘
///
/// In a stage with a clip: capturing ─begun→ recording ─end of the clip, trigger→ capturing ─taken→ stage done
///
///     review ─accept→ accepted, ─discard→ cancelled, ─retake→ switching … review
///
/// A session without consent, fields or tutorial has no such phase. `cancel` leads to cancelled from every phase. If the
/// stage's camera already delivers, the machine skips the phase switching. From switching and armed, `bring` leads to
/// bringing; a picture from a library counts like a captured one.
///
/// | | trigger | skip | abort | switch camera | bring | retake | accept, discard |
/// |---|---|---|---|---|---|---|---|
/// | idle | not begun | not begun | no stage | not begun | not begun | not in review | not in review |
/// | ready | tutorial, or first stage | not begun | no stage | ready | not begun | not in review | not in review |
/// | consent | form, tutorial, or first stage | not begun | no stage | not begun | not begun | not in review | not in review |
/// | form | tutorial, or first stage; fields missing | not begun | no stage | not begun | not begun | not in review | not in review |
/// | tutorial | next page or stage | first stage | no stage | not begun | not begun | not in review | not in review |
/// | switching | switching camera | next stage | policy | switching | bringing | not in review | not in review |
/// | armed (trigger) | counting | next stage | policy | switching | bringing | not in review | not in review |
/// | armed (gates) | waiting for gates | next stage | policy | switching | bringing | not in review | not in review |
/// | counting | counting | counting | policy | counting | counting | counting | counting |
/// | capturing | capturing | capturing | policy | capturing | capturing | capturing | capturing |
/// | recording | capturing | recording | policy | recording | recording | recording | recording |
/// | bringing | bringing | bringing | policy | bringing | bringing | bringing | bringing |
/// | stage done | next stage, or review | no stage | policy | no stage | no stage | that stage | not in review |
/// | review | in review | in review | no stage | in review | in review | that stage | accepted, cancelled |
/// | accepted, cancelled | over | over | over | over | over | over | over |
///
/// Facts cause transitions as well. A fact that has no entry in this table does not change the phase. During a
/// countdown, a new latency acts like a wake:
///
/// | | camera ready | camera lost | a gate holds | a gate that aborts fails | wake | begun | taken | failed |
/// |---|---|---|---|---|---|---|---|---|
/// | switching | armed, or counting | | | | | | | |
/// | armed (trigger) | | switching | | | | | | |
/// | armed (gates) | | switching | counting | | counting, or abort | | | |
/// | counting | | switching | | abort | capturing | | | |
/// | capturing | | switching | | abort, before zero | | recording | stage done, counting, or armed | armed |
/// | recording | | switching | | | capturing, at the end of the clip | | stage done | armed |
/// | bringing | | | | | | | stage done, armed, or switching | armed, or switching |
/// | stage done | | | | | next stage, or review | | | |
///
/// The reasons in the first table are cases of ``Refusal``. The machine also refuses to skip a stage that is not
/// skippable, to switch a camera that is fixed or alone, to retake a stage that is open, to retake a picture that
/// the stage does not have, and to bring in a picture in place of a clip.
///
/// - A countdown fixes its zero when it begins. The machine requests the picture of that moment earlier, by the known
///   latency of the camera.
/// - The abort policy of the session (policy in the table) restarts the session at the first stage (`restart`), repeats
///   the current stage (`retake-stage`), or cancels the session (`cancel`). During a retake, and after the first
///   review, `restart` repeats only the current stage: the others are done.
/// - A gate that waits or aborts blocks a countdown until the gate is found to hold, at most until its timeout. During
///   a countdown only a gate that aborts counts.
/// - The loss of a camera cancels the countdown or the pending picture. When the camera is back, the stage resumes: a
///   countdown starts again, and a stage that waited for a trigger waits again. Pictures are kept.
/// - A retaken stage keeps its former pictures until it has all new ones; skipping it restores the former ones. A
///   single picture that is retaken is replaced in its place, and the stage's other pictures stay.
/// - A picture that fails is reported, and the stage waits for a trigger.
/// - A clip has a number like a picture, and is requested, reported and released like one. The clip of a stage begins
///   when the recorder reports it, at zero or later, and ends after its length, or earlier at a trigger. Gates do not
/// judge it.
/// - The session is canceled at ``idleEnd``, if it has a limit of idle time. Requests, pictures and countdowns
///   postpone that moment; timeouts of gates and losses of the camera do not.
package struct SessionMachine: Sendable {
    /// The machine's state; stages and pages count from 0.
    package enum Phase: Sendable, Hashable {
        case idle
        /// Nothing has begun; a trigger begins the session.
        case ready
        /// A trigger agrees to the consent.
        case consent
        /// The user fills in the fields.
        case form
        case tutorial(page: Int)
        /// The stage waits for its camera. Then it begins by itself, or waits for a trigger.
        case switching(stage: Int, SessionDescription.Start)
        /// The camera delivers, and no countdown runs.
        case armed(stage: Int, Condition)
        /// The countdown runs; `zero` is the moment of the picture.
        case counting(stage: Int, zero: ClockTime)
        /// The picture of `zero` is pending.
        case capturing(stage: Int, picture: Int, zero: ClockTime)
        /// The clip of this number is recorded until this moment.
        case recording(stage: Int, picture: Int, end: ClockTime)
        /// A picture from a library is pending.
        case bringing(stage: Int, picture: Int)
        /// The stage's newest picture is shown until this moment.
        case stageDone(stage: Int, until: ClockTime)
        /// All stages are done or skipped, and the pictures are shown side by side.
        case review
        case accepted
        case cancelled
    }

    /// The condition that a countdown waits for.
    package enum Condition: Sendable, Hashable {
        case trigger
        case gates(since: ClockTime)
    }

    let session: SessionDescription
    let plan: Plan
    package internal(set) var phase = Phase.idle
    package internal(set) var progress: SessionProgress
    /// The camera that was requested last.
    var camera: CameraRole
    /// The cameras that were requested beside ``camera``, for pictures of the same moment.
    var besides: [CameraRole] = []
    /// `true` while ``camera`` and all of ``besides`` deliver.
    var hasCamera = false
    /// `true` after a camera was lost while it delivered, until a camera delivers again.
    var isCameraLost = false
    var countdown = Countdown()
    /// How long before its moment the camera needs the request for a picture.
    var latency = Duration.zero
    /// The gates that are watched; verdicts of others are ignored.
    var watched: [GateRequest] = []
    /// The last verdict of each watched gate; `nil` before the first.
    var verdicts: [GateRequest.Kind: Bool] = [:]
    /// Gates whose time limit expired; they no longer block the countdown.
    var overruled: Set<GateRequest.Kind> = []
    /// The last moment at which a user was certainly there; `nil` before `.begin`.
    private var lastActivity: ClockTime?

    /// Creates a machine for a new session; it does nothing before `.begin`.
    package init(_ session: SessionDescription, _ plan: Plan = Plan()) {
        (self.session, self.plan) = (session, plan)
        progress = SessionProgress(session)
        camera = plan.usualCamera
    }

    /// Creates a machine that resumes an earlier run.
    ///
    /// - Throws: ``CaptureError`` `.configuration` if `progress` belongs to another session.
    package init(
        _ session: SessionDescription, _ plan: Plan = Plan(), from progress: SessionProgress
    ) throws(CaptureError) {
        try progress.check(against: session)
        self.init(session, plan)
        self.progress = progress
    }

    /// Handles an input at `now`; returns the effects to carry out, in order.
    package mutating func handle(_ input: Input, at now: ClockTime) -> [Effect] {
        let before = phase
        let effects = carryOut(input, at: now)
        if input.isActivity || phase != before && before.isActivity { lastActivity = now }
        return effects
    }

    private mutating func carryOut(_ input: Input, at now: ClockTime) -> [Effect] {
        switch input {
        case .trigger: trigger(now)
        case .skip: skip(now)
        case .abort: abort(.asked, now)
        case .cancel: cancel()
        case .switchCamera: switchCamera()
        case .bring(let file): bring(file, now)
        case .retake(let stage, let picture): retake(stage, picture, now)
        case .accept: accept()
        case .discard: discard()
        case .fill(let values): fill(values)
        case .begin: begin(now)
        case .idle: endIdle(now)
        case .cameraReady(let role, let besides): acceptCamera(role, besides, now)
        case .cameraLost: loseCamera()
        case .gate(let kind, let holds): judge(kind, holds, now)
        case .latency(let latency): learn(latency, now)
        case .wake: wake(now)
        case .begun(let picture): beginClip(picture, now)
        case .taken(let picture): keep(picture, now)
        case .failed(let picture, let error): fail(picture, error, now)
        }
    }
}

extension SessionMachine.Phase {
    /// The current stage; `nil` outside of stages.
    package var stage: Int? {
        switch self {
        case .switching(let stage, _), .armed(let stage, _), .counting(let stage, _), .capturing(let stage, _, _),
            .recording(let stage, _, _), .bringing(let stage, _), .stageDone(let stage, _):
            stage
        case .idle, .ready, .consent, .form, .tutorial, .review, .accepted, .cancelled: nil
        }
    }

    /// `true` in phases that only a user can have begun, and that end by themselves.
    fileprivate var isActivity: Bool {
        switch self {
        case .counting, .capturing, .recording, .bringing, .stageDone: true
        default: false
        }
    }

    /// `true` while the session waits for the trigger that begins it.
    package var isBeforeStart: Bool { self == .idle || self == .ready }
}

extension SessionMachine {
    /// The parameters of a machine besides the session's description.
    package struct Plan: Sendable {
        /// `true` if there is a camera to switch to.
        package var hasSeveralCameras: Bool
        /// The camera that is shown until the user or a stage requests another one.
        package var usualCamera: CameraRole
        /// All cameras, in the order in which the user switches through them.
        package var cameras: [CameraRole]
        /// `true` to cancel an idle session before its begin, too.
        package var endsUnbegun: Bool
        /// `true` if the user already knows the tutorial.
        package var knowsTutorial: Bool
        /// How long a stage shows its newest picture before the next stage begins.
        var showing: Duration

        package init(
            hasSeveralCameras: Bool = true, usualCamera: CameraRole = .front, cameras: [CameraRole] = [.front, .back],
            endsUnbegun: Bool = false, knowsTutorial: Bool = false, showing: Duration = .seconds(1)
        ) {
            (self.hasSeveralCameras, self.usualCamera, self.cameras) = (hasSeveralCameras, usualCamera, cameras)
            (self.endsUnbegun, self.knowsTutorial, self.showing) = (endsUnbegun, knowsTutorial, showing)
        }
    }
}

extension SessionMachine {
    /// An input of the machine. Requests come first: the machine carries each out, or refuses it with a reason. The
    /// rest are facts, which do not change the phase if they do not apply to it.
    package enum Input: Sendable, Hashable {
        /// Continue: begin, turn the page, start the countdown, or stop showing the picture.
        case trigger
        /// Skip the tutorial or the stage.
        case skip
        /// Abort the run; the session's policy decides the effect.
        case abort
        /// End the session at once.
        case cancel
        /// Switch to the next camera.
        case switchCamera
        /// Bring in this picture of a library, or the next one, in place of capturing one.
        case bring(Taking.LibraryFile? = nil)
        /// Retake a stage, or only its picture of this number.
        case retake(stage: Int, picture: Int? = nil)
        /// Accept the pictures.
        case accept
        /// Discard the pictures.
        case discard
        /// Fill in fields; the values are checked. Fields that are missing keep their values.
        case fill([String: String])

        /// The moment ``SessionMachine/idleEnd`` has come.
        case idle
        /// The session is prepared. This input comes once, before all others.
        case begin
        /// The camera of this role delivers, and those beside it: for the first time, after `.useCamera`, or again after
        /// `.cameraLost`.
        case cameraReady(CameraRole, besides: [CameraRole] = [])
        /// One of the cameras is lost; its supervisor tries to recover it.
        case cameraLost
        /// The verdict of a watched gate: once after `.watch`, then at each change. A gate that is off counts as
        /// holding.
        case gate(GateRequest.Kind, holds: Bool)
        /// How long before its moment the camera needs the request for a picture, as measured so far.
        case latency(Duration)
        /// The moment of `.wake` has come.
        case wake
        /// The first picture of the clip of this number is being recorded.
        case begun(picture: Int)
        /// The picture of this number is stored and durable.
        case taken(picture: Int)
        /// The picture of this number failed and will not come.
        case failed(picture: Int, CaptureError)
    }
}

extension SessionMachine.Input {
    /// `true` if it shows that a user is there.
    fileprivate var isActivity: Bool {
        switch self {
        case .trigger, .skip, .abort, .switchCamera, .bring, .retake, .accept, .fill, .begin, .taken: true
        default: false
        }
    }
}

/// The end of an idle session.
extension SessionMachine {
    /// The moment at which `.idle` cancels the session; `nil` while the session has no limit, cannot be idle, or is
    /// over.
    package var idleEnd: ClockTime? {
        guard let idle = session.idle, let lastActivity, !isOver, !phase.isActivity, phase != .idle else {
            return nil
        }
        return phase == .ready && !plan.endsUnbegun ? nil : lastActivity + idle
    }

    fileprivate mutating func endIdle(_ now: ClockTime) -> [Effect] {
        guard let idleEnd, now >= idleEnd else { return [] }
        return [.emit(.idle)] + cancel()
    }
}

extension SessionMachine {
    /// An action for the controller. If the progress changed, the controller saves it before all effects.
    package enum Effect: Sendable, Hashable {
        /// Show the camera of this role, open the others beside it, then input `.cameraReady`; the last frame is shown
        /// until then.
        case useCamera(CameraRole, besides: [CameraRole] = [])
        /// Judge the frames by these gates only, from now on.
        case watch([GateRequest])
        /// Input `.wake` at this moment, and cancel the earlier wake.
        case wake(ClockTime)
        /// Remember that the user knows the tutorial.
        case rememberTutorial
        /// Show the remaining seconds.
        case countdown(Duration)
        /// Capture a picture, then input `.taken` or `.failed`. The effect comes before the picture's zero by the
        /// latency of the camera.
        case capture(Taking)
        /// Record a clip from its zero on, or from the moment at which the recorder is ready. Input `.begun`, and after
        /// the length of the clip `.taken` or `.failed`.
        case record(Taking)
        /// End the clip of this number with its current picture.
        case endClip(picture: Int)
        /// Show the remaining time of the clip.
        case remaining(Duration)
        /// Bring in a picture from a library, then input `.taken` or `.failed`.
        case bring(Taking)
        /// Cancel the pending picture. If it comes anyway, the machine releases it.
        case callOff(picture: Int)
        /// Remove these pictures, which no longer belong to the session.
        case release([SessionPicture])
        /// Keep these pictures of an aborted run beside the session's.
        case setAside([SessionPicture])
        /// Report the notice to the viewer and to programs.
        case emit(Notice)
        /// Deliver the session's pictures, or discard them.
        case end(SessionProgress.Ending)
    }

    /// A notice for viewers and programs. The controller reports changes of the phase separately.
    package enum Notice: Sendable, Hashable {
        /// A stage begins: the preview shows its outline and its prompt.
        case stage(Int)
        /// A stage has all its pictures.
        case stageDone(Int)
        /// A stage was skipped, or restored to its state before a retake.
        case skipped(Int)
        /// A run was aborted in a stage: the reason and the effect.
        case aborted(stage: Int, AbortReason, SessionDescription.AbortPolicy)
        /// A picture of a stage failed; the stage waits for a trigger.
        case failed(stage: Int, CaptureError)
        /// A gate timed out; the countdown no longer waits for it.
        case overruled(GateRequest.Kind)
        case cameraLost
        case cameraBack
        /// The session was idle for too long, and is canceled.
        case idle
        /// A request was refused.
        case refused(Refusal)
    }

    /// The reason for an abort.
    package enum AbortReason: Sendable, Hashable {
        /// The user or a program requested it.
        case asked
        /// A gate failed during the countdown.
        case gate(GateRequest.Kind)
        /// A gate timed out.
        case expired(GateRequest.Kind)
    }
}

extension SessionMachine {
    /// The reason for refusing a request.
    package enum Refusal: String, Sendable, Hashable, CaseIterable {
        case counting
        case capturing
        case recording
        case bringing
        case needsClip = "needs-clip"
        case switchingCamera = "switching-camera"
        case waitingForGates = "waiting-for-gates"
        case notBegun = "not-begun"
        case notSkippable = "not-skippable"
        case cameraIsFixed = "camera-is-fixed"
        case onlyCamera = "only-camera"
        case noStage = "no-stage"
        case notTaken = "not-taken"
        case notInReview = "not-in-review"
        case inReview = "in-review"
        case fieldsMissing = "fields-missing"
        case over

        /// The reason in words, for the user.
        package var explanation: String {
            switch self {
            case .counting: "the countdown runs; only cancel and abort end it"
            case .capturing: "the picture is being taken"
            case .recording: "the clip is being recorded; a trigger ends it"
            case .bringing: "a picture is being brought in"
            case .needsClip: "this stage records a clip; a picture cannot replace it"
            case .switchingCamera: "the camera is not ready yet"
            case .waitingForGates: "the countdown starts when the picture is right"
            case .notBegun: "the session has not begun"
            case .notSkippable: "this stage cannot be skipped"
            case .cameraIsFixed: "this stage needs this camera"
            case .onlyCamera: "there is no other camera"
            case .noStage: "no stage is active"
            case .notTaken: "there is no such picture yet"
            case .notInReview: "not all pictures are taken yet"
            case .inReview: "all pictures are taken: accept them, retake one, or discard them"
            case .fieldsMissing: "fields are missing: fill them in"
            case .over: "the session is over"
            }
        }
    }
}
