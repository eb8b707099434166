// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The text format of Prometheus, version 0.0.4.
package struct Exposition {
    /// Its media type.
    package static let mediaType = "text/plain; version=0.0.4; charset=utf-8"

    /// The text so far.
    package private(set) var text = ""

    /// Creates an empty text.
    package init() {}

    /// Appends the head of a metric, which precedes its samples.
    package mutating func begin(_ metric: Metric) {
        let type =
            switch metric.kind {
            case .counter: "counter"
            case .gauge: "gauge"
            case .histogram: "histogram"
            }
        text += "# HELP \(metric.name) \(Self.escaped(metric.help, quotes: false))\n# TYPE \(metric.name) \(type)\n"
    }

    /// Appends a sample.
    package mutating func sample(_ metric: Metric, _ values: [String], _ value: Double) {
        line(metric.name, metric.labels, values, Self.number(value))
    }

    /// Appends the buckets, which are cumulative, the sum and the count.
    package mutating func histogram(_ metric: Metric, _ values: [String], counts: [UInt64], sum: Double) {
        guard case .histogram(let bounds) = metric.kind else { return }
        var total: UInt64 = 0
        for (bound, count) in zip(bounds.map(Self.number) + ["+Inf"], counts) {
            total += count
            line(metric.name + "_bucket", metric.labels + ["le"], values + [bound], String(total))
        }
        line(metric.name + "_sum", metric.labels, values, Self.number(sum))
        line(metric.name + "_count", metric.labels, values, String(total))
    }

    /// Appends a metric without state: its head and its samples.
    package mutating func metric(_ metric: Metric, _ samples: [([String], Double)]) {
        guard !samples.isEmpty else { return }
        begin(metric)
        for (labels, value) in samples { sample(metric, labels, value) }
    }

    private mutating func line(_ name: String, _ names: [String], _ values: [String], _ value: String) {
        text += name
        if !names.isEmpty {
            let pairs = zip(names, values).map { "\($0)=\"\(Self.escaped($1, quotes: true))\"" }
            text += "{\(pairs.joined(separator: ","))}"
        }
        text += " \(value)\n"
    }

    private static func number(_ value: Double) -> String {
        if value == value.rounded(), abs(value) < 1e15 { return String(Int64(value)) }
        guard value.isFinite else { return value.isNaN ? "NaN" : value < 0 ? "-Inf" : "+Inf" }
        return "\(value)"
    }

    private static let special = Array("\\\n\"".utf8)

    /// Escapes the characters that end a line or a value.
    static func escaped(_ text: String, quotes: Bool) -> String {
        guard text.utf8.contains(where: special.contains) else { return text }
        let escaped = text.replacing("\\", with: "\\\\").replacing("\n", with: "\\n")
        return quotes ? escaped.replacing("\"", with: "\\\"") : escaped
    }
}
