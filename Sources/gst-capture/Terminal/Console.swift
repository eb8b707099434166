// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit

/// How the command speaks to people: paths on standard output, all else on standard error.
struct Console: Sendable {
    /// Where people read.
    let stream = StandardStream.error
    /// What their terminal can show.
    let terminal: Terminal

    /// Speaks to standard error.
    init() { terminal = Terminal(.error) }

    /// Prints the path of a picture, alone on its line, for `$(gst-capture snap)`.
    func path(of still: Still) {
        if let path = still.path { StandardStream.output.line(path) }
    }

    /// Says something.
    func tell(_ text: String) { stream.line(text) }

    /// Says what is wrong, and on the next line what can be done.
    func report(_ error: CaptureError) {
        let subject = error.subject.map { "\($0): " } ?? ""
        // Settings with several mistakes have a line for each.
        for line in (subject + error.message).split(separator: "\n") {
            tell(terminal.styled("gst-capture: ", .red) + line)
        }
        if let advice = error.advice { tell("  " + (terminal.isUnicode ? "→ " : "-> ") + advice) }
    }

    /// Says what went by without ending the capture.
    ///
    /// - Parameter isSeries: False where there is one slot only, which needs no number.
    func warn(_ event: CaptureEvent, isSeries: Bool) {
        switch event {
        case .missed(_, let reason) where !isSeries: warn("no picture: \(reason.explanation)")
        case .failed(_, let error) where !isSeries: report(error)
        // Of what an earlier run did, nothing but its ledger is known: there may be pictures.
        case .missed(let slots, .notRunning):
            warn("\(Wording.slots(slots)) no line in the ledger: gst-capture was not running, or could not write it")
        case .missed(let slots, let reason): warn("\(Wording.slots(slots)) no picture: \(reason.explanation)")
        case .failed(let slot, let error): warn("slot \(slot.index + 1) has no picture: \(error)")
        case .stalled(let span): warn("no frame for \(Wording.span(span)); waiting for the camera")
        case .lost(let error): warn("\(error.summary); trying to get it back")
        case .recovered(let span): warn("the camera is back after \(Wording.span(span))")
        case .storagePaused(let error, _): warn("\(error); pictures wait in memory until then")
        case .storageResumed(let stored): warn("the disk is back; \(Wording.count(stored, "picture")) waited for it")
        case .notice(let text): warn(text)
        default: break
        }
    }

    /// Says something that needs attention.
    func warn(_ text: String) { tell(terminal.styled("gst-capture: ", .yellow) + text) }
}

extension CaptureSummary {
    /// True where it came to no slot: the error has said all.
    var isEmpty: Bool {
        if case .failed = ending { captured + missed + failed == 0 } else { false }
    }

    /// What became of it, in one line: `12 pictures, 1 late, 2 missed; stopped`.
    var sentence: String {
        var parts = [Wording.count(captured, "picture")]
        if late > 0 { parts.append("\(late) late") }
        if missed > 0 { parts.append("\(missed) missed") }
        if failed > 0 { parts.append("\(failed) failed") }
        if removed > 0 { parts.append("\(removed) removed") }
        return parts.joined(separator: ", ") + (ending == .stopped ? "; stopped" : "")
    }
}
