// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import ScheduleKit

/// A line of the ledger: the outcome of a slot, or of many consecutive slots that were missed together.
public struct LedgerEntry: Sendable, Hashable {
    /// The outcome of a slot.
    public enum Outcome: Sendable, Hashable {
        /// The slot has a picture.
        case captured(LedgerStill)
        /// The slot was missed. The reason is a `MissReason`, or one of a later version.
        case missed(reason: String)
        /// The camera delivered a frame, but its picture could not be stored. The code is the description of a
        /// `CaptureError.Code`.
        case failed(code: String, message: String)
    }

    /// The number of the slot, or the first and the last of many. Requested slots are counted separately.
    public var slots: ClosedRange<Int>
    /// The reason for the picture: the schedule, or a request.
    public var cause: Slot.Cause
    /// When the first slot was due.
    public var due: WallTime
    /// When the last slot was due.
    public var lastDue: WallTime
    /// The outcome of these slots.
    public var outcome: Outcome

    /// Creates a line.
    public init(
        slots: ClosedRange<Int>, cause: Slot.Cause, due: WallTime, lastDue: WallTime, outcome: Outcome
    ) {
        (self.slots, self.cause, self.due, self.lastDue, self.outcome) = (slots, cause, due, lastDue, outcome)
    }
}

/// The ledger's record of a picture.
public struct LedgerStill: Sendable, Hashable {
    /// The moment of the frame.
    public var captured: WallTime
    /// The distance from the requested moment, in milliseconds; negative if the frame is earlier.
    public var errorMilliseconds: Double
    /// `true` if that distance is more than the capture tolerates.
    public var isLate: Bool
    /// The path of the picture; `nil` if it went to standard output or to the caller.
    public var file: String?
    /// The size of the file, in bytes.
    public var byteCount: Int
    /// The width and the height as stored, in pixels.
    public var width: Int, height: Int
    /// The SHA-256 of the file, 64 hexadecimal digits; `nil` if it was not computed.
    public var sha256: String?
    /// The mean luma of the frame, 0 black to 1 white; `nil` if it cannot be measured.
    public var brightness: Double?
    /// The amount of detail in the frame; see ``StillInspection/sharpness``.
    public var sharpness: Double?
    /// The controls in force, as a JSON object; `nil` if they are unknown.
    public var controls: String?
    /// The number within a burst, from 0.
    public var burstIndex: Int
    /// The number in the name of the picture.
    public var sequence: Int

    package init(
        captured: WallTime, errorMilliseconds: Double, isLate: Bool, file: String? = nil, byteCount: Int,
        width: Int, height: Int, sha256: String? = nil, brightness: Double? = nil, sharpness: Double? = nil,
        controls: String? = nil, burstIndex: Int, sequence: Int
    ) {
        self.captured = captured
        self.errorMilliseconds = errorMilliseconds
        self.isLate = isLate
        self.file = file
        self.byteCount = byteCount
        self.width = width
        self.height = height
        self.sha256 = sha256
        self.brightness = brightness
        self.sharpness = sharpness
        self.controls = controls
        self.burstIndex = burstIndex
        self.sequence = sequence
    }
}

/// A picture that was removed, such as to make room.
public struct LedgerRemoval: Sendable, Hashable {
    /// The path of the picture.
    public var file: String
    /// When it was removed.
    public var time: WallTime
    /// The reason, in a few words.
    public var reason: String

    /// Creates a line.
    public init(file: String, time: WallTime, reason: String) {
        (self.file, self.time, self.reason) = (file, time, reason)
    }
}

extension LedgerRemoval {
    /// The reason of a removal that a person has requested.
    package static let request = "request"

    /// Creates a line for a picture that was removed now because of a limit.
    package init(_ still: RemovedStill) { self.init(file: still.path, time: .now(), reason: still.reason.rawValue) }
}

extension LedgerEntry {
    /// Creates a line for slots that were missed together.
    package init(missed slots: SlotRun, _ reason: MissReason) {
        self.init(
            slots: slots.first.index...max(slots.first.index, slots.last.index), cause: slots.first.cause,
            due: slots.first.dueTime, lastDue: slots.last.dueTime, outcome: .missed(reason: reason.rawValue))
    }

    /// Creates a line for a slot whose picture could not be stored.
    package init(failed slot: Slot, _ error: CaptureError) {
        let due = slot.dueTime
        self.init(
            slots: slot.index...slot.index, cause: slot.cause, due: due, lastDue: due,
            outcome: .failed(code: error.code.description, message: "\(error)"))
    }
}
