// Part of gst-capture. Apache License 2.0, see LICENSE.

import Synchronization

/// The values of metrics. Any thread may use a store; a call takes a few microseconds at most.
package final class MetricStore: Sendable {
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

    /// Creates an empty store.
    package init() {}

    /// Adds to a counter, or to a gauge.
    package func add(_ amount: Double = 1, to metric: Metric, _ labels: [String] = []) {
        families.withLock { $0[metric.name, default: Family(metric: metric)].values[labels, default: 0] += amount }
    }

    /// Sets a gauge.
    package func set(_ value: Double, of metric: Metric, _ labels: [String] = []) {
        families.withLock { $0[metric.name, default: Family(metric: metric)].values[labels] = value }
    }

    /// Adds a value to a histogram.
    package func observe(_ value: Double, in metric: Metric, _ labels: [String] = []) {
        guard case .histogram(let bounds) = metric.kind else { return }
        let bucket = bounds.firstIndex { value <= $0 } ?? bounds.count
        families.withLock { families in
            let empty = Histogram(counts: Array(repeating: 0, count: bounds.count + 1))
            families[metric.name, default: Family(metric: metric)].histograms[labels, default: empty]
                .count(value, in: bucket)
        }
    }

    /// Removes the samples for which the values of these labels are unknown: those of a series that was removed.
    package func removeSamples(where isGone: (_ names: [String], _ values: [String]) -> Bool) {
        families.withLock { families in
            for (name, family) in families {
                let names = family.metric.labels
                families[name]?.values = family.values.filter { !isGone(names, $0.key) }
                families[name]?.histograms = family.histograms.filter { !isGone(names, $0.key) }
            }
        }
    }

    /// Appends all samples, sorted by metric and labels.
    package func write(to text: inout Exposition) {
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
