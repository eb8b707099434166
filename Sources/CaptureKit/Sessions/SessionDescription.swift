// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A series of pictures that somebody is led through: what a file of `pipelines/sessions` says.
public struct SessionDescription: Sendable, Hashable {
    /// What an abort does, such as one by shake in the middle of a countdown.
    public enum AbortPolicy: String, Sendable, Hashable, CaseIterable {
        /// All begins again at the first stage.
        case restart
        /// The stage begins again; those before it keep their pictures.
        case retakeStage = "retake-stage"
        /// The session ends.
        case cancel
    }

    /// What makes a stage begin.
    public enum Start: String, Sendable, Hashable, CaseIterable {
        /// Somebody says so: a key, a click, a signal, or a program.
        case trigger
        /// It begins by itself.
        case now
    }

    /// Its name, which is that of its file without `.yaml`.
    public var name: String
    /// What it is called on a screen.
    public var title: String
    /// What it is for, in one line.
    public var purpose = ""
    /// What begins it.
    public var start = Start.trigger
    /// What begins the stages after the first.
    public var nextStages = Start.now
    /// How long is counted before a picture, where its stage does not say.
    public var countdown = Duration.seconds(5)
    /// What an abort does.
    public var abort = AbortPolicy.restart
    /// Whether the pictures of an aborted run are kept, beside those of the session.
    public var keepsAborted = false
    /// What is explained before the first stage; it can always be skipped.
    public var tutorial: [TutorialPage] = []
    /// Whether somebody who saw the tutorial once is not shown it again.
    public var remembersTutorial = true
    /// What has to hold for a picture, in all stages.
    public var gates: [GateRequest] = []
    /// Its stages, in order.
    public var stages: [SessionStage]

    /// Creates a session.
    public init(name: String, title: String? = nil, stages: [SessionStage]) {
        self.name = name
        self.title = title ?? name
        self.stages = stages
    }
}

extension SessionDescription {
    /// What has to hold for the pictures of a stage: the session's gates and the stage's, which win where both say
    /// something of one kind.
    public func gates(of stage: SessionStage) -> [GateRequest] {
        guard let own = stage.gates else { return gates }
        if own.isEmpty { return [] }
        return gates.filter { common in !own.contains { $0.kind == common.kind } } + own
    }

    /// How long is counted before the pictures of a stage.
    public func countdown(of stage: SessionStage) -> Duration { stage.countdown ?? countdown }

    /// How many pictures it takes, if none is skipped.
    public var pictureCount: Int { stages.reduce(0) { $0 + $1.pictures } }
}
