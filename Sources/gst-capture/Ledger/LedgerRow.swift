// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import PipelineKit
import TerminalKit

/// A line of a ledger for people. A ledger may come from an untrusted source: control characters in it do not reach the
/// terminal.
struct LedgerRow {
    private let line: LedgerReader.Line
    private let folder: String

    /// Creates the row of a line.
    ///
    /// - Parameter folder: The folder that paths are relative to.
    init(_ line: LedgerReader.Line, below folder: String) { (self.line, self.folder) = (line, folder) }

    /// The slot, its moment and outcome, and details of the picture or the reason why there is none.
    func text(for terminal: Terminal) -> String {
        let entry = line.entry
        let (word, style) = outcome
        let head = [Self.padded(slots, 9), Self.moment(entry.due), terminal.styled(Self.padded(word, -8), style)]
        return (head + [details]).joined(separator: "  ")
    }

    /// Returns the date and the time of day.
    static func moment(_ time: WallTime) -> String {
        let text = Timestamp.iso8601(time)
        return text.prefix(10) + " " + text.dropFirst(11).prefix(12)
    }

    /// Slots are counted from 1 for people. A plus sign marks pictures that are not in the schedule.
    private var slots: String {
        let (first, last) = (line.entry.slots.lowerBound + 1, line.entry.slots.upperBound + 1)
        let mark = line.entry.cause == .trigger ? "+" : ""
        return mark + (first == last ? "\(first)" : "\(first)-\(last)")
    }

    private var outcome: (String, Terminal.Style) {
        switch line.entry.outcome {
        case .captured(let still): still.isLate ? ("late", .yellow) : ("captured", .green)
        case .missed: ("missed", .yellow)
        case .failed: ("failed", .red)
        }
    }

    private var details: String {
        switch line.entry.outcome {
        case .captured(let still): picture(still)
        case .missed(let reason): Self.explanation(reason)
        case .failed(_, let message): message.withoutControls
        }
    }

    private func picture(_ still: LedgerStill) -> String {
        var file = (still.file ?? "").withoutControls
        if file.hasPrefix(folder + "/") { file = String(file.dropFirst(folder.count + 1)) }
        if let removal = line.removal { file += " (removed: \(removal.reason.withoutControls))" }
        // A damaged ledger may have any number.
        let milliseconds = max(-1e9, min(1e9, still.errorMilliseconds))
        let offset = Wording.offset(.nanoseconds(Int64(milliseconds * 1e6)))
        return Self.padded(offset, 8) + "  " + Self.padded(Wording.bytes(still.byteCount), 8) + "  " + file
    }

    static func explanation(_ reason: String) -> String {
        MissReason(rawValue: reason)?.explanation ?? reason.withoutControls
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        let blanks = String(repeating: " ", count: max(0, abs(width) - text.count))
        return width < 0 ? text + blanks : blanks + text
    }
}

extension LedgerTotals {
    /// `1204 pictures (3 late), 40 missed (36 the machine was busy or suspended), 1 failed; in 2 d 04 h; off by …`.
    var sentence: String {
        let remarks = [late > 0 ? "\(late) late" : nil, removed > 0 ? "\(removed) removed since" : nil]
        var parts = [Wording.count(captured, "picture") + Self.bracketed(remarks.compactMap { $0 })]
        let count = missedCount
        let reasons = missed.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        if count > 0 {
            parts.append(
                "\(count) missed" + Self.bracketed(reasons.map { "\($0.value) \(LedgerRow.explanation($0.key))" }))
        }
        if failed > 0 { parts.append("\(failed) failed") }
        return ([parts.joined(separator: ", ")] + [measures].filter { !$0.isEmpty }).joined(separator: "; ")
    }

    private var measures: String {
        var parts: [String] = []
        if let first, let last { parts.append("in \(Wording.span(Timestamp.span(from: first, to: last)))") }
        if let medianError, let worstError {
            parts.append("off by \(Self.digits(medianError)) ms, at worst \(Self.digits(worstError)) ms")
        }
        if captured > 0 { parts.append(Wording.bytes(byteCount)) }
        return parts.joined(separator: "; ")
    }

    private static func bracketed(_ parts: [String]) -> String {
        parts.isEmpty ? "" : " (\(parts.joined(separator: ", ")))"
    }

    private static func digits(_ value: Double) -> String { JSONValue.number((value * 10).rounded() / 10).text }
}
