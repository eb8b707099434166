// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// A guided series of pictures, as a file of `pipelines/sessions` describes it.
public struct SessionDescription: Sendable, Hashable {
    /// The effect of an abort, such as one by shake during a countdown.
    public enum AbortPolicy: String, Sendable, Hashable, CaseIterable {
        /// The session begins again at the first stage.
        case restart
        /// The stage begins again; earlier stages keep their pictures.
        case retakeStage = "retake-stage"
        /// The session ends.
        case cancel
    }

    /// The condition that begins a stage.
    public enum Start: String, Sendable, Hashable, CaseIterable {
        /// The user or a program triggers the stage: a key, a click, a signal or a request.
        case trigger
        /// The stage begins by itself.
        case now
    }

    /// The session's name: the name of its file without `.yaml`.
    public var name: String
    /// The title on a screen.
    public var title: String
    /// The purpose of the session, in one line.
    public var purpose = ""
    /// The condition that begins the session.
    public var start = Start.trigger
    /// The condition that begins each stage after the first.
    public var nextStages = Start.now
    /// The length of the countdown before a picture, unless its stage has one.
    public var countdown = Duration.seconds(5)
    /// The effect of an abort.
    public var abort = AbortPolicy.restart
    /// `true` to keep the pictures of aborted and canceled runs, beside those of the session: the newest 3000.
    public var keepsAborted = false
    /// The pages that explain the session before the first stage; the user can always skip them.
    public var tutorial: [TutorialPage] = []
    /// `true` to show the tutorial only to users who have not seen it yet.
    public var remembersTutorial = true
    /// The consent of the person in the pictures, which comes first; `nil` for none.
    public var consent: SessionConsent?
    /// The fields that the user fills in before the tutorial.
    public var form: [FormField] = []
    /// The time without a request after which the session is canceled; `nil` for no limit. Countdowns do not count.
    public var idle: Duration?
    /// `true` to begin again for the next person after each run.
    public var loops = false
    /// How long the person in the pictures can fetch them by a link; `nil` for no link. A service offers it.
    public var sharing: Duration?
    /// The files that are made of the accepted pictures.
    public var results: [SessionResult] = []
    /// The language of the texts, as a BCP 47 tag in lowercase.
    public var language = "en"
    /// The texts in other languages, by BCP 47 tags in lowercase.
    public var languages: [String: SessionWords] = [:]
    /// The gates that must hold for a picture, in all stages.
    public var gates: [GateRequest] = []
    /// The stages, in order.
    public var stages: [SessionStage]

    /// Creates a session.
    public init(name: String, title: String? = nil, stages: [SessionStage]) {
        self.name = name
        self.title = title ?? name
        self.stages = stages
    }
}

extension SessionDescription {
    /// The gates of a stage: the session's and the stage's. If both have a gate of one kind, the stage's wins. An empty
    /// list of the stage turns all gates off.
    public func gates(of stage: SessionStage) -> [GateRequest] {
        guard let own = stage.gates else { return gates }
        if own.isEmpty { return [] }
        return gates.filter { common in !own.contains { $0.kind == common.kind } } + own
    }

    /// `true` if a gate judges the captured pictures of a stage.
    package func rejectsPictures(of stage: SessionStage) -> Bool { gates(of: stage).contains(where: \.rejectsPictures) }

    /// `true` if a stage records a clip.
    package var hasClips: Bool { stages.contains { $0.clip != nil } }

    /// The length of the countdown before the pictures of a stage.
    public func countdown(of stage: SessionStage) -> Duration { stage.countdown ?? countdown }

    /// The condition that begins a stage, counted from 0: its own, or the session's.
    public func start(of stage: Int) -> Start { stages[stage].start ?? (stage == 0 ? start : nextStages) }

    /// The number of pictures in the session, if no stage is skipped.
    public var pictureCount: Int { stages.reduce(0) { $0 + $1.pictures } }

    /// The most pictures of a session: the review can show this many, and the record can be read back.
    static let mostPictures = 2000

    /// Checks the limits of pictures. Sessions from files are within them; a session that a program describes may not
    /// be.
    package func checkSize() throws(CaptureError) {
        let isInBounds = stages.allSatisfy { $0.pictures <= SessionStage.mostPictures }
        guard isInBounds, pictureCount <= Self.mostPictures else {
            throw CaptureError(
                .configuration, "has too many pictures", subject: name,
                advice: "a session has at most \(Self.mostPictures), and a stage \(SessionStage.mostPictures)")
        }
    }
}

/// A page that explains a session before it begins.
public struct TutorialPage: Sendable, Hashable {
    /// The text of the page.
    public var text: String
    /// The path of its picture's file (SVG, PNG or JPEG). A session's file may name an outline instead, or a path
    /// relative to the folder of that file; here it is resolved.
    public var picture: String?

    /// Creates a page.
    public init(_ text: String, picture: String? = nil) {
        self.text = text
        self.picture = picture
    }
}
