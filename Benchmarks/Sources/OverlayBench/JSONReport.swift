// Part of gst-capture. Apache License 2.0, see LICENSE.

/// Prints the measurements, one JSON object a line. The texts contain no characters that need escapes.
struct JSONReport: Report {
    func begin(_ rounds: Rounds) {}

    func show(_ match: Match) {
        for row in match.rows {
            show(row, match.kind, #","touched_bytes":\#(match.touchedBytes),"changed_bytes":\#(match.changedBytes)"#)
        }
    }

    func show(grounds rows: [Row], _ kind: FrameKind) {
        for row in rows where row.name != "memcpy" { show(row, kind, "") }
    }

    private func show(_ row: Row, _ kind: FrameKind, _ more: String) {
        let names = #""frames":"\#(kind)","contestant":"\#(row.name)","note":"\#(row.note)""#
        let (median, least) = (row.timing.median.microseconds, row.timing.least.microseconds)
        print(#"{\#(names),"median_us":\#(median),"least_us":\#(least),"copied":\#(row.isCopied)\#(more)}"#)
    }

    func show(_ planning: Planning) {
        for (name, timing) in planning.steps {
            print(#"{"plan":"\#(name)","median_ms":\#(timing.median.text(2)),"least_ms":\#(timing.least.text(2))}"#)
        }
    }

    func show(_ allocations: Allocations) {
        for (name, count) in allocations.counts { print(#"{"allocations":"\#(name)","per_frame":\#(count.text(3))}"#) }
    }

    func show(_ targets: [Target]) {
        for target in targets {
            let isMet = target.isMet.map { "\($0)" } ?? "null"
            print(#"{"target":"\#(target.promise)","figures":"\#(target.figures)","met":\#(isMet)}"#)
        }
    }
}
