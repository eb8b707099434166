// Part of gst-capture. Apache License 2.0, see LICENSE.

/// What became of a slot, or of many in a row that went by together: a line of the ledger.
public struct LedgerEntry: Sendable, Hashable {
    /// How it came out.
    public enum Outcome: Sendable, Hashable {
        /// There is a picture.
        case captured(LedgerStill)
        /// It went by without one. The reason is a ``MissReason``, or what a later version knows.
        case missed(reason: String)
        /// A frame was there, but no picture came of it.
        case failed(code: String, message: String)
    }

    /// The number of the slot, and of the last one where there are many; those that were asked for count by themselves.
    public var slots: ClosedRange<Int>
    /// Why a picture was to be taken.
    public var cause: Slot.Cause
    /// When the first was due.
    public var due: WallTime
    /// When the last was due.
    public var lastDue: WallTime
    /// How it came out.
    public var outcome: Outcome

    /// Creates a line.
    public init(
        slots: ClosedRange<Int>, cause: Slot.Cause, due: WallTime, lastDue: WallTime, outcome: Outcome
    ) {
        (self.slots, self.cause, self.due, self.lastDue, self.outcome) = (slots, cause, due, lastDue, outcome)
    }
}

/// What the ledger says of a picture.
public struct LedgerStill: Sendable, Hashable {
    /// The moment of the frame.
    public var captured: WallTime
    /// How far that is from the moment asked for, in milliseconds; negative where it is earlier.
    public var errorMilliseconds: Double
    /// True where that was further than the capture tolerates.
    public var isLate: Bool
    /// Where the picture was put; `nil` where it went to standard output or to the caller.
    public var file: String?
    /// The size of the file, in bytes.
    public var byteCount: Int
    /// Pixels in a row and rows, as stored.
    public var width: Int, height: Int
    /// The hash of the file, 64 digits.
    public var sha256: String?
    /// The mean luma of the frame, 0 black to 1 white; `nil` where it cannot be measured.
    public var brightness: Double?
    /// How much detail the frame has, see ``StillInspection/sharpness``.
    public var sharpness: Double?
    /// The controls in force, as an object of JSON; `nil` where nobody knows.
    public var controls: String?
    /// Its number within a burst, from 0.
    public var burstIndex: Int
    /// The number in its name.
    public var sequence: Int
}

/// A picture that was taken away again, such as to make room.
public struct LedgerRemoval: Sendable, Hashable {
    /// Where the picture was.
    public var file: String
    /// When it was removed.
    public var time: WallTime
    /// Why, in a few words.
    public var reason: String

    /// Creates a line.
    public init(file: String, time: WallTime, reason: String) {
        (self.file, self.time, self.reason) = (file, time, reason)
    }
}

extension LedgerRemoval {
    /// One that was removed now because of a limit.
    init(_ still: RemovedStill) { self.init(file: still.path, time: .now(), reason: still.reason.rawValue) }
}

extension LedgerEntry {
    /// A picture.
    init(_ still: Still) {
        let due = still.slot.dueTime
        self.init(
            slots: still.slot.index...still.slot.index, cause: still.slot.cause, due: due, lastDue: due,
            outcome: .captured(LedgerStill(still)))
    }

    /// Slots that went by together.
    init(missed slots: SlotRun, _ reason: MissReason) {
        self.init(
            slots: slots.first.index...max(slots.first.index, slots.last.index), cause: slots.first.cause,
            due: slots.first.dueTime, lastDue: slots.last.dueTime, outcome: .missed(reason: reason.rawValue))
    }

    /// A slot whose picture was lost.
    init(failed slot: Slot, _ error: CaptureError) {
        let due = slot.dueTime
        self.init(
            slots: slot.index...slot.index, cause: slot.cause, due: due, lastDue: due,
            outcome: .failed(code: error.code.description, message: "\(error)"))
    }
}

extension LedgerStill {
    fileprivate init(_ still: Still) {
        self.init(
            captured: still.captured, errorMilliseconds: Double(still.offset.nanoseconds) / 1e6, isLate: still.isLate,
            file: still.path, byteCount: still.byteCount, width: still.width, height: still.height,
            sha256: still.inspection?.sha256, brightness: still.inspection?.brightness,
            sharpness: still.inspection?.sharpness, controls: still.inspection?.controls,
            burstIndex: still.burstIndex, sequence: still.sequence)
    }
}
