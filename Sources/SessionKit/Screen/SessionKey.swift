// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The keys of a session, the same in a window and in a terminal. Their raw values are the names that both show.
package enum SessionKey: String, Sendable, Hashable, CaseIterable {
    /// Continue: begin, turn the page, capture the picture, enter the next stage, or show all pictures again.
    case go = "space"
    case skip = "s"
    case abort = "x"
    case cancel = "q"
    case switchCamera = "c"
    case bring = "b"
    /// Retake the picture that is shown.
    case retake = "r"
    /// Retake all pictures of the shown picture's stage.
    case retakeStage = "t"
    case accept = "a"
    case discard = "d"
}

extension SessionKey {
    /// All keys of a session, for the terminal and for the help page.
    package static let reference: [(keys: String, words: String)] = [
        ("space, Enter, click", "continue: begin, next page, take the picture, end the clip"),
        ("s", "skip the tutorial, or the stage"), ("x", "abort the run"), ("c", "other camera"),
        ("b", "bring in a picture of the library"), ("m", "mirror"),
        ("1 to 9", "review: look closer at a picture"), ("n, p, arrows", "review: next or previous picture"),
        ("Page Up, Page Down", "review: turn the page"), ("r", "retake the picture that is shown"),
        ("t", "retake all pictures of its stage"), ("a", "review: accept"), ("d twice", "review: discard"),
        ("q twice", "cancel: the pictures are deleted"), ("h, ?", "show or hide the keys"),
    ]

    /// The keys to show in a phase, each with its effect in a word or two; others can have an effect, too.
    static func help(_ scene: SessionScene, _ session: SessionDescription) -> [(key: SessionKey, words: String)] {
        switch scene.phase {
        case .idle, .capturing, .bringing:
            [(.cancel, "cancel")]
        case .switching(let stage, _):
            choices(stage, scene, session) + [(.cancel, "cancel")]
        case .ready:
            [(.go, "start")] + camera(scene, session.stages.first) + [(.cancel, "cancel")]
        case .consent:
            [(.go, "agree"), (.cancel, "decline")]
        case .form:
            [(.go, "next"), (.cancel, "cancel")]
        case .tutorial(let page):
            [(.go, page + 1 < session.tutorial.count ? "next" : "begin"), (.skip, "skip"), (.cancel, "cancel")]
        case .armed(let stage, .trigger):
            [(.go, session.stages[stage].clip == nil ? "shoot" : "record")] + choices(stage, scene, session)
                + [(.cancel, "cancel")]
        case .armed(let stage, .gates):
            choices(stage, scene, session) + [(.cancel, "cancel")]
        case .counting:
            [(.abort, abortWords(scene, session)), (.cancel, "cancel")]
        case .recording:
            [(.go, "stop"), (.abort, abortWords(scene, session)), (.cancel, "cancel")]
        case .stageDone:
            [(.go, "next"), (.retake, "retake"), (.cancel, "cancel")]
        case .review where scene.closeUp != nil:
            [(.go, "back"), (.retake, "retake")] + stageRetake(scene, session)
                + [(.accept, "accept"), (.discard, "discard")]
        case .review:
            [(.accept, "accept"), (.discard, "discard")]
        case .accepted, .cancelled:
            []
        }
    }

    /// The effect of the key that aborts a countdown.
    private static func abortWords(_ scene: SessionScene, _ session: SessionDescription) -> String {
        switch scene.abort {
        case .restart: "start over"
        case .retakeStage: "redo this stage"
        case .cancel: session.keepsAborted || scene.progress.pictures.isEmpty ? "end" : "delete all"
        }
    }

    private static func stageRetake(
        _ scene: SessionScene, _ session: SessionDescription
    ) -> [(key: SessionKey, words: String)] {
        guard let tile = scene.closeUp else { return [] }
        var rest = tile
        for (index, stage) in scene.progress.stages.enumerated() {
            let count = max(1, stage.pictures.count)
            if rest < count { return session.stages[index].pictures > 1 ? [(.retakeStage, "retake all \(count)")] : [] }
            rest -= count
        }
        return []
    }

    /// The keys for a stage in addition to the one that captures.
    private static func choices(
        _ index: Int, _ scene: SessionScene, _ session: SessionDescription
    ) -> [(key: SessionKey, words: String)] {
        let stage = session.stages[index]
        let isRetaken = !(scene.progress.stages[index].former ?? []).isEmpty
        return (stage.isSkippable || isRetaken ? [(.skip, isRetaken ? "keep the old" : "skip")] : [])
            + camera(scene, stage) + (scene.hasLibrary && stage.clip == nil ? [(.bring, "bring in")] : [])
    }

    private static func camera(
        _ scene: SessionScene, _ stage: SessionStage?
    ) -> [(key: SessionKey, words: String)] {
        scene.hasSeveralCameras && stage?.camera == nil ? [(.switchCamera, "switch camera")] : []
    }
}
