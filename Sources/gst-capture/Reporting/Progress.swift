// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import PipelineKit
import TerminalKit

/// The progress of a capture, computed from its events, and one line about it for people.
struct Progress: Sendable {
    /// The current activity of the camera.
    enum Phase: Sendable, Hashable {
        case opening, waiting, capturing
        case countdown(Duration)
        case stalled(Duration)
        case done
    }

    /// The number of slots in all; `nil` if the series has no end.
    private(set) var total: Int?
    private var schedule: Schedule

    private(set) var phase = Phase.opening
    private(set) var passed = 0
    private(set) var captured = 0
    private(set) var missed = 0
    private(set) var failed = 0
    private(set) var lastOffset: Duration?
    private(set) var nextDue: ClockTime?
    private(set) var storage: StorageReport?
    /// `true` while pictures wait for the disk.
    private(set) var isPaused = false

    /// Creates the progress before the first event.
    init(_ schedule: Schedule) {
        total = schedule.total()
        self.schedule = schedule
    }

    /// Continues with another schedule from this position.
    mutating func follow(_ schedule: Schedule, from position: SeriesPosition?) {
        total = schedule.total(goingOn: position)
        (self.schedule, nextDue) = (schedule, nil)
    }

    /// Applies an event.
    mutating func apply(_ event: CaptureEvent) {
        switch event {
        case .settled: phase = .waiting
        case .countdown(_, let remaining): phase = .countdown(remaining)
        case .willCapture(let slot):
            phase = .capturing
            pass(slot)
        case .captured(let still):
            (phase, lastOffset) = (.waiting, still.offset)
            captured += 1
            pass(still.slot)
        case .missed(let slots, _):
            (phase, missed) = (.waiting, missed + slots.count)
            pass(slots.last)
        case .failed(let slot, _):
            (phase, failed) = (.waiting, failed + 1)
            pass(slot)
        case .calledOff: phase = .waiting
        case .resting(let slot): (phase, nextDue) = (.waiting, slot.due)
        case .stalled(let span): phase = .stalled(span)
        case .storage(let report): storage = report
        case .storagePaused: isPaused = true
        case .storageResumed: isPaused = false
        case .finished: phase = .done
        default: break
        }
    }

    /// Returns the parts of the line, the most important first. `now` is the time from which waits are counted.
    func parts(at now: ClockTime) -> [String] {
        var parts = [total == 1 ? nil : slotText, phaseText(at: now)]
        parts.append(isPaused ? "waiting for the disk" : nil)
        parts.append(lastOffset.map { "last \(Wording.offset($0))" })
        parts.append(missed > 0 ? "\(missed) missed" : nil)
        parts.append(failed > 0 ? "\(failed) failed" : nil)
        return (parts + diskTexts).compactMap { $0 }
    }

    /// The free space, and how long it lasts: `12 GB free`, `3 d 04 h left`.
    var diskTexts: [String] {
        guard let storage else { return [] }
        let free = "\(Wording.bytes(storage.freeBytes)) free"
        // More than five years ahead, the estimate is of no use.
        guard let left = storage.timeLeft, left < .seconds(5 * 365 * 86400) else { return [free] }
        return [free, "\(Wording.span(left)) left"]
    }

    /// Joins as many parts as fit into the columns; cuts the first if it is too long alone.
    static func line(_ parts: [String], columns: Int, separator: String) -> String {
        var line = ""
        for part in parts {
            let longer = line.isEmpty ? part : line + separator + part
            guard longer.count <= columns || line.isEmpty else { break }
            line = longer
        }
        return String(line.prefix(max(0, columns)))
    }

    /// The counts of slots so far: `12 pictures, 1 missed`.
    var account: String {
        var parts = [Wording.count(captured, "picture")]
        parts += missed > 0 ? ["\(missed) missed"] : []
        parts += failed > 0 ? ["\(failed) failed"] : []
        return parts.joined(separator: ", ")
    }

    private var slotText: String {
        schedule.isOnRequest ? Wording.count(captured, "picture") : "slot \(passed)" + (total.map { "/\($0)" } ?? "")
    }

    private func phaseText(at now: ClockTime) -> String? {
        switch phase {
        case .opening: "opening the camera"
        case .capturing: "taking a picture"
        case .countdown(let remaining): "in \(Self.wholeSeconds(remaining))"
        case .stalled(let span): "no frame for \(Wording.span(span))"
        case .done: nil
        case .waiting: nextDue.flatMap { $0 > now ? "next \(Wording.moment($0, at: now))" : nil }
        }
    }

    /// Returns the seconds of a countdown, rounded up: the last one is 1.
    static func wholeSeconds(_ duration: Duration) -> Int64 {
        guard duration > .zero else { return 0 }
        return (duration.nanoseconds - 1) / 1_000_000_000 + 1
    }

    private mutating func pass(_ slot: Slot) {
        guard slot.cause == .schedule else { return }
        passed = max(passed, slot.index < .max ? slot.index + 1 : .max)
        let isLast = total.map { passed >= $0 } ?? false
        nextDue = isLast ? nil : schedule.due(after: slot.due)
    }
}
