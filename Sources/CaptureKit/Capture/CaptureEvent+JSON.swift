// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import FrameMeasures
import PipelineKit
import ScheduleKit
import StillKit

/// Events as JSON, for programs. Names stay the same between releases, and new ones may be added.
extension CaptureEvent {
    /// The event as an object; `nil` for events that are not for programs.
    ///
    /// Each object begins with `event`, its name, and `at`, a time in ISO 8601: when the picture was captured for
    /// `captured`, and when this was called for all other events.
    package var json: JSONValue? {
        switch self {
        case .opening(let source, let pipeline):
            Self.event("opening", ["source": .string(source), "pipeline": .string(pipeline)])
        case .settled(let report): Self.event("settled", report.members)
        case .upcoming(let slot, let left):
            Self.event("upcoming", slot.members + ["in_ms": .milliseconds(left)])
        case .countdown(let slot, let remaining):
            Self.event("countdown", slot.members + ["remaining_ms": .milliseconds(remaining)])
        case .willCapture(let slot): Self.event("will-capture", slot.members)
        case .captured(let still): Self.event("captured", still.slot.members + still.members, at: still.captured)
        case .livePhoto(let still, let hasMovie):
            Self.event(
                "live-photo",
                still.slot.members + [
                    "file": .optional(still.path), "movie": .bool(hasMovie), "bytes": .integer(still.byteCount),
                    "sha256": still.inspection.map { .string($0.sha256) },
                ])
        case .missed(let slots, let reason):
            Self.event(
                "missed",
                slots.members + ["reason": .string(reason.rawValue), "message": .string(reason.explanation)])
        case .failed(let slot, let error): Self.event("failed", slot.members + ["error": error.json])
        case .calledOff(let slot): Self.event("called-off", slot.members)
        case .previewing(let width, let height):
            Self.event("previewing", ["width": .integer(width), "height": .integer(height)])
        case .drawn: Self.event("drawn", [:] as Members)
        // `report(_:)` prints the key with its action; `captured` covers the pictures of a slot.
        case .key, .stored: nil
        case .previewEnded(let error): Self.event("preview-ended", ["error": error?.json ?? .null])
        case .stalled(let span): Self.event("stalled", ["for_ms": .milliseconds(span)])
        case .lost(let error): Self.event("lost", ["error": error.json])
        case .recovering(let attempt, let next, let error):
            Self.event(
                "recovering",
                ["attempt": .integer(attempt), "next_ms": .milliseconds(next), "error": error.json])
        case .resting(let slot): Self.event("resting", slot.members)
        case .recovered(let span): Self.event("recovered", ["after_ms": .milliseconds(span)])
        case .storage(let report): Self.event("storage", report.members)
        case .storagePaused(let error, let held):
            Self.event("storage-paused", ["held": .integer(held), "error": error.json])
        case .storageResumed(let stored): Self.event("storage-resumed", ["stored": .integer(stored)])
        case .removed(let stills): Self.event("removed", ["files": .array(stills.map(\.json))])
        case .notice(let notice): JSONValue.event("notice", notice.members)
        case .finished(let summary): Self.event("finished", ["summary": summary.json])
        }
    }

    private static func event(_ name: String, _ members: Members, at time: WallTime = .now()) -> JSONValue {
        .event(name, members.list, at: time)
    }
}

/// Members of a JSON object that can be concatenated.
private struct Members: ExpressibleByDictionaryLiteral {
    var list: [JSONValue.Member]

    init(_ members: KeyValuePairs<String, JSONValue?>) {
        list = members.compactMap { name, value in value.map { JSONValue.Member(name: name, value: $0) } }
    }

    init(dictionaryLiteral members: (String, JSONValue?)...) {
        list = members.compactMap { name, value in value.map { JSONValue.Member(name: name, value: $0) } }
    }

    static func + (left: Members, right: Members) -> Members {
        var sum = left
        sum.list += right.list
        return sum
    }
}

extension CaptureSummary {
    /// The summary of a capture.
    fileprivate var json: JSONValue {
        var (name, error) = ("completed", firstFailure?.json)
        switch ending {
        case .completed: break
        case .stopped: name = "stopped"
        case .failed(let failure): (name, error) = ("failed", failure.json)
        }
        return .object([
            "ending": .string(name), "captured": .integer(captured), "late": .integer(late),
            "missed": .integer(missed), "failed": .integer(failed), "removed": .integer(removed),
            "removed_unsent": .integer(removedUnsent), "error": error,
        ])
    }
}

extension Slot {
    fileprivate var members: Members {
        ["slot": .integer(index), "cause": .string(cause.rawValue), "due": .string(dueTime.iso8601)]
    }
}

extension SettleReport {
    fileprivate var members: Members {
        [
            "outcome": .string(outcome.rawValue), "duration_ms": .milliseconds(duration), "frames": .integer(frames),
            "brightness": brightness.map(JSONValue.number) ?? .null,
        ]
    }
}

extension StorageReport {
    fileprivate var members: Members {
        [
            "folder": .string(folder), "free_bytes": .integer(freeBytes), "used_bytes": .integer(usedBytes),
            "left_s": timeLeft.map { .integer(Int($0.components.seconds)) } ?? .null,
        ]
    }
}

extension RemovedStill {
    fileprivate var json: JSONValue {
        .object([
            "file": .string(path), "bytes": .integer(byteCount), "reason": .string(reason.rawValue),
            "unsent": isUnsent ? .bool(true) : nil,
        ])
    }
}

extension Still {
    fileprivate var members: Members {
        [
            "file": .optional(path), "bytes": .integer(byteCount), "width": .integer(width),
            "height": .integer(height), "sequence": .integer(sequence), "burst_index": .integer(burstIndex),
            "offset_ms": .milliseconds(offset), "late": .bool(isLate), "encode_ms": .milliseconds(encodingTime),
            "store_ms": .milliseconds(storingTime), "brightness": inspection?.brightness.map(JSONValue.number),
            "sharpness": inspection?.sharpness.map(JSONValue.number), "sha256": inspection.map { .string($0.sha256) },
        ]
    }
}

extension SlotRun {
    /// If there is one slot, it is also the last.
    fileprivate var members: Members {
        first.members + [
            "last_slot": .integer(last.index), "last_due": .string(last.dueTime.iso8601),
            "count": .integer(count),
        ]
    }
}

extension Slot {
    /// A slot that comes: its number, its time, and the time until then.
    package var json: JSONValue {
        .object([
            "slot": .integer(index), "due": .string(dueTime.iso8601),
            "in_ms": .milliseconds(max(.zero, due - PipelineClock.system.now)),
        ])
    }
}
