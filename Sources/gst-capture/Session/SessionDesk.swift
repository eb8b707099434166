// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit

/// What keys do during a session. Pure: it answers what is to be done.
struct SessionDesk: Sendable {
    /// What is to be done about a key.
    enum Act: Sendable, Hashable {
        case trigger, skip, abort, switchCamera, bring, accept, discard, cancel
        case retake(stage: Int)
        /// Show one picture alone, from 0, or all.
        case enlarge(Int?)
        case mirror(Bool)
        /// Say this.
        case tell(String)
    }

    /// What all keys do.
    static let help = """
        keys: space goes on, s skips, a aborts the run, c other camera, l picture from the library, m mirror, q cancels; \
        in the review: Enter accepts, 1 to 9 show one picture, r takes its stage once more, d discards
        """

    private var phase = SessionPhase(.idle)
    private var isMirrored: Bool
    /// The picture of the review that is shown alone, from 0.
    private var enlarged: Int?
    /// The stages of the pictures in the review.
    private var pictures: [Int] = []

    init(isMirrored: Bool) { self.isMirrored = isMirrored }

    /// Takes what happened into account.
    mutating func note(_ event: SessionEvent, of session: SessionDescription) {
        switch event {
        case .phase(let phase):
            self.phase = phase
            enlarged = nil
        case .review(let stills):
            pictures = stills.compactMap { still in session.stages.firstIndex { $0.name == still.stage } }
        default: break
        }
    }

    /// What a key means now; `nil` where it means nothing.
    mutating func press(_ key: SessionKey) -> Act? {
        switch key {
        case .go: .trigger
        case .confirm: phase.name == .review ? .accept : .trigger
        case .back: leaveEnlarged()
        case .skip: .skip
        case .abort: .abort
        case .camera: .switchCamera
        case .library: .bring
        case .mirror: turnMirror()
        case .retake: retake()
        case .discard: .discard
        case .cancel: .cancel
        case .help: .tell(Self.help)
        case .picture(let number): enlarge(number - 1)
        }
    }

    private mutating func turnMirror() -> Act {
        isMirrored.toggle()
        return .mirror(isMirrored)
    }

    private mutating func leaveEnlarged() -> Act? {
        guard enlarged != nil else { return .tell("q cancels the session") }
        enlarged = nil
        return .enlarge(nil)
    }

    private mutating func enlarge(_ picture: Int) -> Act? {
        guard phase.name == .review, picture < pictures.count else { return nil }
        enlarged = enlarged == picture ? nil : picture
        return .enlarge(enlarged)
    }

    /// The stage that was just taken, or that of the picture that is shown.
    private func retake() -> Act {
        if phase.name == .stageDone, let stage = phase.stage { return .retake(stage: stage) }
        guard phase.name == .review, !pictures.isEmpty else { return .retake(stage: 0) }
        if let enlarged { return .retake(stage: pictures[enlarged]) }
        let all = Set(pictures)
        if all.count == 1, let stage = all.first { return .retake(stage: stage) }
        return .tell("press the number of a picture first, then r")
    }
}
