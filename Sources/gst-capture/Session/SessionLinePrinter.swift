// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import SessionKit
import TerminalKit

/// Prints lines for people on standard error, and on standard output the session's folder when the session is accepted.
struct SessionLinePrinter: SessionPrinter {
    let session: SessionDescription
    /// `true` to print paths and errors only.
    let isQuiet: Bool
    /// `true` if the session runs without a user: phases that wait for a key are not printed.
    let isAutomatic: Bool
    private let console = Console()

    init(_ session: SessionDescription, isQuiet: Bool, isAutomatic: Bool) {
        (self.session, self.isQuiet, self.isAutomatic) = (session, isQuiet, isAutomatic)
    }

    func report(_ error: CaptureError) { console.report(error) }

    func report(_ notice: Notice) { report(notice.description) }

    func show(_ numbered: NumberedSessionEvent) {
        switch numbered.event {
        case .phase(let phase): if !isAutomatic, let text = words(phase) { report(text) }
        case .stage(let index, let stage):
            let prompt = stage.prompt.isEmpty ? "" : ": \(stage.prompt)"
            let place = "\(stage.name) (\(index + 1) of \(session.stages.count))"
            report(console.terminal.styled(place, .bold) + prompt)
        case .countdown(_, let remaining): report("  \(Progress.wholeSeconds(remaining))")
        case .gate(let finding): report(finding)
        case .captured(let still, _): report("  " + words(still))
        case .confirmation(let words): report("  " + words)
        case .filled(let values):
            for (name, value) in values.sorted(by: { $0.key < $1.key }) { report("  \(name): \(value)") }
        case .skipped(let stage): report("\(session.stages[stage].name): skipped")
        case .aborted(_, let abort, let policy): warn("aborted: \(abort.message); \(policy.words)")
        case .failed(_, let error): warn("no picture: \(error)")
        case .refused(_, let explanation): report("  not now: \(explanation)")
        case .lost(let error, _): warn("\(error.summary); trying to get it back")
        case .recovered: warn("the camera is back")
        case .notice(let notice): warn(notice.description)
        case .previewEnded(let error?): console.report(error)
        case .finished(let outcome): conclude(outcome)
        case .opening, .camera, .previewing, .key, .press, .previewEnded, .review, .stageDone, .removed, .setAside,
            .recording, .recorder:
            break
        }
    }

    private func report(_ text: String) { if !isQuiet { console.report(text) } }

    private func warn(_ text: String) { if !isQuiet { console.warn(text) } }

    private func words(_ phase: SessionPhase) -> String? {
        switch phase.name {
        case .ready: "\(session.title): \(Wording.count(session.pictureCount, "picture")); space begins"
        case .consent: session.consent.map { "\($0.text) (space agrees, q declines)" }
        case .form: "  show the code to the camera; space continues"
        case .tutorial:
            phase.page.map { page in
                "\(page + 1) of \(session.tutorial.count): \(session.tutorial[page].text) (space continues, s skips)"
            }
        case .armed: isClip(phase.stage) ? "  space begins the clip" : "  space takes the picture"
        case .recording:
            "  recording \(phase.stage.flatMap { session.stages[$0].clip }?.shortText ?? ""); space ends it"
        case .review:
            "all pictures are taken: a accepts, 1 to 9, n and p look closer, r retakes one, t its stage, d discards"
        default: nil
        }
    }

    private func isClip(_ stage: Int?) -> Bool { stage.map { session.stages[$0].clip != nil } ?? false }

    private func report(_ finding: GateFinding) {
        if finding.isOff, let reason = finding.reason {
            warn("gate \"\(finding.kind.rawValue)\" is off: \(reason)")
        } else if let hint = finding.hint {
            report("  \(hint.rawValue)")
        }
    }

    private func words(_ still: SessionStill) -> String {
        let file = still.file
        let offset = still.offset.map { ", \(Wording.offset($0))" } ?? ""
        let crop = still.crop.map { ", crop \($0.file.width)x\($0.file.height)" } ?? ""
        let duration = still.duration.map { ", \(Wording.span($0))" } ?? ""
        return "\(file.name)  \(file.width)x\(file.height)\(duration)\(offset)\(crop)"
    }

    private func conclude(_ outcome: SessionOutcome) {
        switch outcome.ending {
        case .accepted:
            if let folder = outcome.folder { StandardStream.output.line(folder) }
        case .cancelled: report("cancelled" + (outcome.folder.map { "; pictures set aside are in \($0)" } ?? ""))
        case .left, .failed:
            if let folder = outcome.folder {
                report("resume it: gst-capture session resume \(folder), with the same options")
            }
        }
    }
}

extension SessionDescription.AbortPolicy {
    fileprivate var words: String {
        switch self {
        case .restart: "the session restarts"
        case .retakeStage: "the stage restarts"
        case .cancel: "the session ends"
        }
    }
}
