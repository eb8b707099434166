// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The keys of a session, in a window and in a terminal alike, as both name them.
package enum SessionKey: String, Sendable, Hashable, CaseIterable {
    /// Go on: begin, turn the page, take the picture, see the next stage, or all pictures again.
    case go = "space"
    case skip = "s"
    case abort = "x"
    case cancel = "q"
    case switchCamera = "c"
    case bring = "b"
    /// Take the stage of the picture that is shown once more.
    case retake = "r"
    case accept = "a"
    case discard = "d"
}

extension SessionKey {
    /// What a key does now, in a word or two; keys that do nothing are left out.
    static func help(_ scene: SessionScene, _ session: SessionDescription) -> [(key: SessionKey, words: String)] {
        switch scene.phase {
        case .idle, .capturing, .bringing:
            [(.cancel, "cancel")]
        case .switching(let stage, _):
            choices(stage, scene, session) + [(.cancel, "cancel")]
        case .ready:
            [(.go, "start")] + camera(scene, session.stages.first) + [(.cancel, "cancel")]
        case .tutorial(let page):
            [(.go, page + 1 < session.tutorial.count ? "next" : "begin"), (.skip, "skip"), (.cancel, "cancel")]
        case .armed(let stage, .trigger):
            [(.go, "shoot")] + choices(stage, scene, session) + [(.cancel, "cancel")]
        case .armed(let stage, .gates):
            choices(stage, scene, session) + [(.cancel, "cancel")]
        case .counting:
            [(.abort, session.abort == .restart ? "start over" : "stop"), (.cancel, "cancel")]
        case .stageDone:
            [(.go, "next"), (.retake, "retake"), (.cancel, "cancel")]
        case .review where scene.closeUp != nil:
            [(.go, "back"), (.retake, "retake"), (.accept, "accept"), (.discard, "discard")]
        case .review:
            [(.accept, "accept"), (.discard, "discard")]
        case .accepted, .cancelled:
            []
        }
    }

    /// What can be done about a stage beside its picture.
    private static func choices(
        _ index: Int, _ scene: SessionScene, _ session: SessionDescription
    ) -> [(key: SessionKey, words: String)] {
        let stage = session.stages[index]
        let isRetaken = !(scene.standing.stages[index].former ?? []).isEmpty
        return (stage.isSkippable || isRetaken ? [(.skip, isRetaken ? "keep the old" : "skip")] : [])
            + camera(scene, stage) + (scene.hasLibrary ? [(.bring, "bring in")] : [])
    }

    private static func camera(
        _ scene: SessionScene, _ stage: SessionStage?
    ) -> [(key: SessionKey, words: String)] {
        scene.hasSeveralCameras && stage?.camera == nil ? [(.switchCamera, "switch camera")] : []
    }
}
