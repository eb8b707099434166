// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import Synchronization

/// A metric with its name, help, and names of labels. All samples of a metric have the same labels.
struct Metric: Sendable {
    enum Kind: Sendable {
        case counter, gauge
        /// With the upper bounds of the buckets, in rising order, without infinity.
        case histogram([Double])
    }

    let name: String
    let help: String
    let labels: [String]
    let kind: Kind

    private init(_ name: String, _ kind: Kind, _ labels: [String], _ help: String) {
        (self.name, self.kind, self.labels, self.help) = (name, kind, labels, help)
    }

    static func counter(_ name: String, _ labels: [String], _ help: String) -> Metric {
        Metric(name, .counter, labels, help)
    }

    static func gauge(_ name: String, _ labels: [String], _ help: String) -> Metric {
        Metric(name, .gauge, labels, help)
    }

    static func histogram(_ name: String, _ labels: [String], buckets: [Double], _ help: String) -> Metric {
        Metric(name, .histogram(buckets), labels, help)
    }
}

/// The values of metrics. Any thread may use a store; a call takes a few microseconds at most.
final class MetricStore: Sendable {
    private struct Histogram {
        /// The number of values in each bucket alone; the last one is for values above all bounds.
        var counts: [UInt64]
        var sum = 0.0

        mutating func count(_ value: Double, in bucket: Int) {
            counts[bucket] += 1
            sum += value
        }
    }

    private struct Family {
        let metric: Metric
        var values: [[String]: Double] = [:]
        var histograms: [[String]: Histogram] = [:]
    }

    private let families = Mutex<[String: Family]>([:])

    /// Adds to a counter, or to a gauge.
    func add(_ amount: Double = 1, to metric: Metric, _ labels: [String] = []) {
        families.withLock { $0[metric.name, default: Family(metric: metric)].values[labels, default: 0] += amount }
    }

    /// Sets a gauge.
    func set(_ value: Double, of metric: Metric, _ labels: [String] = []) {
        families.withLock { $0[metric.name, default: Family(metric: metric)].values[labels] = value }
    }

    /// Adds a value to a histogram.
    func observe(_ value: Double, in metric: Metric, _ labels: [String] = []) {
        guard case .histogram(let bounds) = metric.kind else { return }
        let bucket = bounds.firstIndex { value <= $0 } ?? bounds.count
        families.withLock { families in
            let empty = Histogram(counts: Array(repeating: 0, count: bounds.count + 1))
            families[metric.name, default: Family(metric: metric)].histograms[labels, default: empty]
                .count(value, in: bucket)
        }
    }

    /// Removes the samples for which the values of these labels are unknown: those of a series that was removed.
    func removeSamples(where isGone: (_ names: [String], _ values: [String]) -> Bool) {
        families.withLock { families in
            for (name, family) in families {
                let names = family.metric.labels
                families[name]?.values = family.values.filter { !isGone(names, $0.key) }
                families[name]?.histograms = family.histograms.filter { !isGone(names, $0.key) }
            }
        }
    }

    /// Appends all samples, sorted by metric and labels.
    func write(to text: inout Exposition) {
        for (_, family) in families.withLock({ $0 }).sorted(by: { $0.key < $1.key }) {
            text.begin(family.metric)
            for (labels, value) in family.values.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
                text.sample(family.metric, labels, value)
            }
            for (labels, histogram) in family.histograms.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
                text.histogram(family.metric, labels, counts: histogram.counts, sum: histogram.sum)
            }
        }
    }
}

/// The text format of Prometheus, version 0.0.4.
struct Exposition {
    static let mediaType = "text/plain; version=0.0.4; charset=utf-8"

    private(set) var text = ""

    /// Appends the head of a metric, which precedes its samples.
    mutating func begin(_ metric: Metric) {
        let type =
            switch metric.kind {
            case .counter: "counter"
            case .gauge: "gauge"
            case .histogram: "histogram"
            }
        text += "# HELP \(metric.name) \(Self.escaped(metric.help, quotes: false))\n# TYPE \(metric.name) \(type)\n"
    }

    mutating func sample(_ metric: Metric, _ values: [String], _ value: Double) {
        line(metric.name, metric.labels, values, Self.number(value))
    }

    /// Appends the buckets, which are cumulative, the sum and the count.
    mutating func histogram(_ metric: Metric, _ values: [String], counts: [UInt64], sum: Double) {
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
    mutating func metric(_ metric: Metric, _ samples: [([String], Double)]) {
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
#endif
