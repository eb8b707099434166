// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Glibc

/// Writes the parts of a plot from top to bottom.
struct PlotDrawing {
    /// The edges of the panels.
    private static let left = 96.0, right = 1176.0
    private static let ink = "#1b1f24", quiet = "#57606a", line = "#e3e7eb"
    private static let blue = "#0969da", band = "#b6d4f7"
    private static let red = "#cf222e", amber = "#bf8700", orange = "#e16f24"
    private static let panelHeight = 132.0, gap = 44.0

    private let span: ClosedRange<Int64>
    private let ticks: PlotTicks
    private var body = ""
    /// The top of the next part.
    private var top = 36.0

    /// - Parameters:
    ///   - span: The time, in nanoseconds since 1970.
    ///   - offset: That of the zone of the labels, in seconds east of UTC.
    init(_ span: ClosedRange<Int64>, offset: Int) {
        (self.span, ticks) = (span, PlotTicks(span, offset: offset, most: 10))
    }

    /// The drawing.
    var text: String {
        let (width, height) = (LedgerPlot.width, LedgerPlot.height)
        return """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)" viewBox="0 0 \(width) \(height)" \
            font-family="DejaVu Sans, Liberation Sans, sans-serif" font-size="13" fill="\(Self.ink)">
            <rect width="\(width)" height="\(height)" fill="#ffffff"/>
            \(body)</svg>

            """
    }

    // MARK: Parts

    /// Writes the title, and quiet lines below it.
    mutating func write(_ title: String, _ lines: String...) {
        text(title, 24, top, size: 22, weight: "bold")
        for line in lines {
            top += 22
            text(line, 24, top, color: Self.quiet)
        }
        top += 34
    }

    /// Draws a strip with the share of each outcome: gaps are seen at a glance.
    mutating func outcomes(_ columns: [PlotColumn]) {
        let height = 30.0
        text("Slots", Self.left, top - 9, weight: "bold")
        legend()
        rectangle(Self.left, top, Self.right - Self.left, height, Self.line)
        // Columns with the same colors are one rectangle.
        var start = 0
        while start < columns.count {
            let shares = Self.shares(columns[start])
            var end = start + 1
            while end < columns.count, Self.shares(columns[end]).elementsEqual(shares, by: { $0 == $1 }) { end += 1 }
            var bottom = top + height
            for share in shares {
                bottom -= height * share.part
                rectangle(
                    x(start, columns.count), bottom, x(end, columns.count) - x(start, columns.count),
                    height * share.part, share.color)
            }
            start = end
        }
        top += height + Self.gap
    }

    /// Draws the range of values of each column, and their means as a line.
    ///
    /// - Parameter label: Turns a value into the number of its label.
    mutating func panel(
        _ name: String, unit: String, _ values: [PlotRange], _ scale: PlotScale, label: (Double) -> Double = { $0 }
    ) {
        frame(name, unit)
        guard values.contains(where: { $0.count > 0 }) else {
            text(
                "not recorded", (Self.left + Self.right) / 2, top + Self.panelHeight / 2, color: Self.quiet,
                anchor: "middle")
            top += Self.panelHeight + Self.gap
            return
        }
        axis(scale, label)
        // A gap of a few columns is the distance between two pictures.
        let known = values.indices.filter { values[$0].count > 0 }
        let usual = zip(known, known.dropFirst()).map { $1 - $0 }.sorted()
        let most = usual.isEmpty ? 1 : usual[usual.count / 2] * 2 + 1
        var run: [Int] = []
        for index in known {
            if let last = run.last, index - last > most {
                draw(run, values, scale)
                run = []
            }
            run.append(index)
        }
        draw(run, values, scale)
        top += Self.panelHeight + Self.gap
    }

    /// Draws the sum of bytes.
    mutating func growth(_ name: String, _ bytes: [Int]) {
        var (sum, sums) = (0.0, [Double]())
        for count in bytes {
            sum += Double(count)
            sums.append(sum)
        }
        let (unit, divisor) = [("GB", 1e9), ("MB", 1e6), ("kB", 1e3)].first { sum >= $0.1 } ?? ("bytes", 1)
        let scale = PlotScale.linear(to: max(1, sum / divisor))
        frame(name, unit)
        axis(scale) { $0 }
        var path = "M\(number(Self.left)) \(number(y(0, scale)))"
        for (index, sum) in sums.enumerated() {
            path += "L\(number(x(index + 1, sums.count))) \(number(y(sum / divisor, scale)))"
        }
        draw(path, width: 1.8)
        top += Self.panelHeight
        for (time, label) in ticks.moments { text(label, x(time), top + 20, color: Self.quiet, anchor: "middle") }
    }

    // MARK: Pieces

    private static func shares(_ column: PlotColumn) -> [(part: Double, color: String)] {
        let all = Double(column.captured + column.missed + column.failed)
        guard all > 0 else { return [] }
        let parts = [
            (column.captured - column.late, blue), (column.late, amber), (column.failed, orange), (column.missed, red),
        ]
        return parts.filter { $0.0 > 0 }.map { (Double($0.0) / all, $0.1) }
    }

    private mutating func legend() {
        var place = Self.right
        for (word, color) in [
            ("missed", Self.red), ("failed", Self.orange), ("late", Self.amber), ("captured", Self.blue),
        ] {
            place -= 84
            rectangle(place, top - 19, 11, 11, color)
            text(word, place + 16, top - 9, color: Self.quiet)
        }
    }

    private mutating func frame(_ name: String, _ unit: String) {
        text(name, Self.left, top - 9, weight: "bold")
        text(unit, Self.left - 10, top - 9, color: Self.quiet, anchor: "end")
        for (time, _) in ticks.moments { segment(x(time), top, x(time), top + Self.panelHeight, Self.line) }
    }

    private mutating func axis(_ scale: PlotScale, _ label: (Double) -> Double) {
        for tick in scale.ticks {
            segment(Self.left, y(tick, scale), Self.right, y(tick, scale), Self.line)
            text(
                Self.label(label(tick)), Self.left - 10, y(tick, scale) + 4.5, color: Self.quiet, anchor: "end")
        }
    }

    /// Draws the range and the means of columns without a gap.
    private mutating func draw(_ run: [Int], _ values: [PlotRange], _ scale: PlotScale) {
        guard let first = run.first else { return }
        func middle(_ index: Int) -> Double { (x(index, values.count) + x(index + 1, values.count)) / 2 }
        guard run.count > 1 else {
            let mean = values[first].mean ?? 0
            body += """
                <circle cx="\(number(middle(first)))" cy="\(number(y(mean, scale)))" r="1.8" fill="\(Self.blue)"/>

                """
            return
        }
        let upper = run.map { "\(number(middle($0))) \(number(y(values[$0].greatest, scale)))" }
        let lower = run.reversed().map { "\(number(middle($0))) \(number(y(values[$0].least, scale)))" }
        let means = run.map { "\(number(middle($0))) \(number(y(values[$0].mean ?? 0, scale)))" }
        let area = "M\((upper + lower).joined(separator: "L"))Z"
        draw(area, fill: Self.band, stroke: Self.band, width: 1)
        draw("M\(means.joined(separator: "L"))", width: 1.4)
    }

    private mutating func draw(_ path: String, fill: String = "none", stroke: String = blue, width: Double) {
        body += """
            <path d="\(path)" fill="\(fill)" stroke="\(stroke)" stroke-width="\(number(width))"/>

            """
    }

    private func x(_ column: Int, _ count: Int) -> Double {
        Self.left + (Self.right - Self.left) * Double(column) / Double(count)
    }

    private func x(_ time: Int64) -> Double {
        let length = max(1, Double(span.upperBound - span.lowerBound))
        return Self.left + (Self.right - Self.left) * Double(time - span.lowerBound) / length
    }

    private func y(_ value: Double, _ scale: PlotScale) -> Double {
        top + Self.panelHeight * (1 - scale.place(value))
    }

    private mutating func rectangle(_ x: Double, _ y: Double, _ width: Double, _ height: Double, _ color: String) {
        body += """
            <rect x="\(number(x))" y="\(number(y))" width="\(number(width))" height="\(number(height))" fill="\(color)"/>

            """
    }

    private mutating func segment(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, _ color: String) {
        body += """
            <path d="M\(number(x1)) \(number(y1))L\(number(x2)) \(number(y2))" stroke="\(color)"/>

            """
    }

    private mutating func text(
        _ text: String, _ x: Double, _ y: Double, size: Int = 13, weight: String = "normal", color: String = ink,
        anchor: String = "start"
    ) {
        body += """
            <text x="\(number(x))" y="\(number(y))" font-size="\(size)" font-weight="\(weight)" fill="\(color)" \
            text-anchor="\(anchor)">\(Self.escaped(text))</text>

            """
    }

    /// Returns a number of the drawing, with one decimal.
    private func number(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths < 0 ? "-" : "")\(abs(tenths) / 10).\(abs(tenths) % 10)"
    }

    /// Returns the number of a label, with up to three significant digits.
    static func label(_ value: Double) -> String {
        guard value.magnitude < 1e9 else { return "\(value)" }
        let decimals =
            value.magnitude >= 10 || value == 0 ? 0 : value.magnitude >= 1 ? 1 : value.magnitude >= 0.1 ? 2 : 3
        let factor = pow(10, Double(decimals))
        let rounded = (value * factor).rounded() / factor
        return rounded == rounded.rounded() ? "\(Int(rounded))" : "\(rounded)"
    }

    /// Returns a text for XML. Control characters have no place in it.
    private static func escaped(_ text: String) -> String {
        text.withoutControls.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }
}
