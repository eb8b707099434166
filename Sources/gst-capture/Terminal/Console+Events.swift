// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import TerminalKit

extension Console {
    /// Prints the path of a picture, alone on its line, for `$(gst-capture snap)`.
    func path(of still: Still) {
        if let path = still.path { StandardStream.output.line(path) }
    }

    /// Prints a warning about an event that does not end the capture.
    ///
    /// - Parameter isSeries: `false` if there is only one slot, which needs no number.
    func warn(_ event: CaptureEvent, isSeries: Bool) {
        switch event {
        case .missed(_, let reason) where !isSeries: warn("no picture: \(reason.explanation)")
        case .failed(_, let error) where !isSeries: report(error)
        // Only the ledger of an earlier run is known: there may be pictures that it does not list.
        case .missed(let slots, .notRunning):
            warn("\(Wording.slots(slots)) no line in the ledger: gst-capture was not running, or could not write it")
        case .missed(let slots, let reason): warn("\(Wording.slots(slots)) no picture: \(reason.explanation)")
        case .failed(let slot, let error): warn("slot \(slot.index + 1) has no picture: \(error)")
        case .stalled(let span): warn("no frame for \(Wording.span(span)); waiting for the camera")
        case .lost(let error): warn("\(error.summary); trying to get it back")
        case .recovered(let span): warn("the camera is back after \(Wording.span(span))")
        case .storagePaused(let error, _): warn("\(error); pictures wait in memory until then")
        case .storageResumed(let stored): warn("the disk is back; \(Wording.count(stored, "picture")) waited for it")
        case .notice(let notice): warn(notice.description)
        default: break
        }
    }
}

extension CaptureSummary {
    /// `true` if the capture failed before any slot: the error is then the whole report.
    var isEmpty: Bool {
        if case .failed = ending { captured + missed + failed == 0 } else { false }
    }

    /// The outcome in one line: `12 pictures, 1 late, 2 missed; stopped`.
    var sentence: String {
        var parts = [Wording.count(captured, "picture")]
        if late > 0 { parts.append("\(late) late") }
        if missed > 0 { parts.append("\(missed) missed") }
        if failed > 0 { parts.append("\(failed) failed") }
        if removed > 0 { parts.append("\(removed) removed") }
        return parts.joined(separator: ", ") + (ending == .stopped ? "; stopped" : "")
    }
}
