// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// A drawing of a ledger: the outcomes of its slots over time, the distances of pictures from their due moments, their
/// brightness, their exposure times, and the disk space that they take.
package struct LedgerPlot: Sendable {
    /// The size of the drawing, in units of SVG.
    package static let width = 1200, height = 960

    /// One column for each slot, up to the number of columns that a screen shows.
    private static let mostColumns = 600
    private let title: String
    private let totals: LedgerTotals
    private var slots: PlotColumns

    /// Reads the lines that a filter selects, twice. Blocks.
    ///
    /// - Parameter title: The name of the series, in the first line of the drawing.
    /// - Throws: `CaptureError` if the ledger is damaged, and `noInput` if no line is selected.
    package init(_ reader: LedgerReader, _ filter: LedgerFilter, title: String) throws(CaptureError) {
        totals = try reader.totals(filter)
        guard let first = totals.first, let last = totals.last else {
            throw CaptureError(.noInput, "has no such slots to plot", subject: reader.path)
        }
        self.title = title
        let span = first.nanosecondsSince1970...max(first.nanosecondsSince1970, last.nanosecondsSince1970)
        let slotCount = totals.captured + totals.missedCount + totals.failed
        var slots = PlotColumns(span, count: min(Self.mostColumns, max(1, slotCount)))
        try reader.eachLine(filter) { slots.add($0) }
        self.slots = slots
    }

    /// The drawing (SVG 1.1).
    package var svg: String {
        var drawing = PlotDrawing(slots.span, offset: totals.first?.utcOffset ?? 0)
        drawing.write(title, period, summary)
        drawing.outcomes(slots.columns)
        drawing.panel(
            "Distance from the due moment", unit: "ms", slots.columns.map(\.error), Self.errorScale(slots.columns))
        drawing.panel(
            "Brightness", unit: "%", slots.columns.map(\.brightness), .linear(0...1), label: { $0 * 100 })
        drawing.panel(
            "Exposure time", unit: "ms", slots.columns.map(\.exposure), Self.exposureScale(slots.columns),
            label: { $0 * 1000 })
        drawing.growth("Pictures on the disk", slots.columns.map(\.byteCount))
        return drawing.text
    }

    /// The time that the drawing shows, such as `2026-11-20 00:00 to 2026-11-21 00:00 UTC+01:00`.
    private var period: String {
        guard let first = totals.first, let last = totals.last else { return "" }
        let form = "%Y-%m-%d %H:%M"
        return "\(first.formatted(form) ?? "") to \(last.formatted(form) ?? ""), UTC\(first.exifOffset)"
    }

    /// The totals, such as `1438 pictures (3 late), 2 missed, 0 failed; off by 0.8 ms (median), 34 ms (worst)`.
    private var summary: String {
        let late = totals.late > 0 ? " (\(totals.late) late)" : ""
        let counts = "\(totals.captured) pictures\(late), \(totals.missedCount) missed, \(totals.failed) failed"
        guard let median = totals.medianError, let worst = totals.worstError else { return counts }
        return "\(counts); off by \(PlotDrawing.label(median)) ms (median), \(PlotDrawing.label(worst)) ms (worst)"
    }

    private static func errorScale(_ columns: [PlotColumn]) -> PlotScale {
        var range = PlotRange()
        for column in columns { range.add(column.error) }
        return range.count == 0
            ? .linear(0...1) : .linear(min(0, range.least)...max(0, range.greatest, range.least + 0.1))
    }

    private static func exposureScale(_ columns: [PlotColumn]) -> PlotScale {
        var range = PlotRange()
        for column in columns { range.add(column.exposure) }
        return range.count == 0 ? .linear(0...1) : .logarithmic(range.least...range.greatest)
    }
}
