// Part of gst-capture. Apache License 2.0, see LICENSE.

/// What there is to show of a session at one moment.
struct SessionScene: Sendable {
    /// Where it stands.
    var phase: SessionMachine.Phase
    /// How far it has come.
    var standing: SessionStanding
    /// The seconds that are left, while they are counted; else empty.
    var countdown = ""
    /// What would make the picture better, the most important first.
    var hints: [String] = []
    /// What happened or was refused, for as long as it is to be read; else empty.
    var notice = ""
    /// The files of the pictures, by their numbers: what was cut out, where something was.
    var files: [Int: String] = [:]
    /// The files of the whole pictures, by their numbers: those that line up with the preview.
    var wholes: [Int: String] = [:]
    /// The tile of the review that is shown alone; counts from 0.
    var closeUp: Int?
    /// The tile of the review that is selected; counts from 0.
    var selection: Int?
    /// `true` while all keys are shown.
    var showsHelp = false
    /// What an abort does now: a retake, for one, begins only its stage again.
    var abort = SessionDescription.AbortPolicy.restart
    /// True where keys of a window or a terminal are told of.
    var hasKeys = false
    /// True where there is any camera.
    var hasCamera = true
    /// True where there is a camera to switch to.
    var hasSeveralCameras = false
    /// True where pictures can be brought in from a library.
    var hasLibrary = false

    /// A moment at which nothing but this is known.
    init(_ phase: SessionMachine.Phase, _ standing: SessionStanding) {
        self.phase = phase
        self.standing = standing
    }
}

extension SessionScene {
    /// The stage in hand.
    var stage: Int? { phase.stage }
}
