// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import LedgerKit
import ScheduleKit

extension LedgerReader {
    /// The entries that pass a filter.
    package func lines(_ filter: LedgerFilter = LedgerFilter()) throws -> [LedgerEntry] {
        var lines: [LedgerEntry] = []
        try eachLine(filter) { lines.append($0.entry) }
        return lines
    }

    package static func lineCount(_ path: String) throws -> Int { try LedgerReader(path).lines().count }
}

extension SeriesDescription {
    /// A picture every `seconds` seconds.
    package static func seconds(_ seconds: Int) -> SeriesDescription {
        SeriesDescription(template: "%n.jpg", interval: .seconds(seconds), schedule: "every \(seconds)s")
    }
}

extension WallTime {
    /// A moment of the tests, in an unusual zone.
    package static func test(_ seconds: Int64) -> WallTime {
        WallTime(seconds: 1_800_000_000 + seconds, nanoseconds: 123_456_789, utcOffset: 20700)
    }
}

extension LedgerEntry {
    package static func picture(
        _ index: Int, _ file: String?, isLate: Bool = false, sha256: String = String(repeating: "0a", count: 32)
    ) -> LedgerEntry {
        let due = WallTime.test(Int64(index) * 10)
        return LedgerEntry(
            slots: index...index, cause: .schedule, due: due, lastDue: due,
            outcome: .captured(
                LedgerStill(
                    captured: due, errorMilliseconds: -2.5, isLate: isLate, file: file, byteCount: 1000, width: 64,
                    height: 48, sha256: sha256, brightness: 0.5, sharpness: 12.25,
                    controls: #"{"gain":1.5}"#, burstIndex: 0, sequence: index)))
    }

    package static func missed(_ slots: ClosedRange<Int>, _ reason: String) -> LedgerEntry {
        LedgerEntry(
            slots: slots, cause: .schedule, due: .test(Int64(slots.lowerBound) * 10),
            lastDue: .test(Int64(slots.upperBound) * 10), outcome: .missed(reason: reason))
    }

    package static func failed(_ index: Int, _ message: String) -> LedgerEntry {
        let due = WallTime.test(Int64(index) * 10)
        return LedgerEntry(
            slots: index...index, cause: .schedule, due: due, lastDue: due,
            outcome: .failed(code: "input-output", message: message))
    }

    package var still: LedgerStill? { if case .captured(let still) = outcome { still } else { nil } }
}
