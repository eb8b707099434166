// Part of gst-capture. Apache License 2.0, see LICENSE.

import LedgerKit
import PipelineKit
import ScheduleKit

extension LedgerEntry {
    /// Creates a line for a picture.
    init(_ still: Still) {
        let due = still.slot.dueTime
        self.init(
            slots: still.slot.index...still.slot.index, cause: still.slot.cause, due: due, lastDue: due,
            outcome: .captured(LedgerStill(still)))
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
