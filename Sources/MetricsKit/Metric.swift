// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A metric with its name, help, and names of labels. All samples of a metric have the same labels.
package struct Metric: Sendable {
    /// The meaning of a value.
    package enum Kind: Sendable {
        /// It only grows, from the start of the process.
        case counter
        /// It is the present one.
        case gauge
        /// With the upper bounds of the buckets, in rising order, without infinity.
        case histogram([Double])
    }

    /// The name, as Prometheus requires it.
    package let name: String
    /// Its description for people.
    package let help: String
    /// The names of its labels.
    package let labels: [String]
    /// The meaning of its values.
    package let kind: Kind

    private init(_ name: String, _ kind: Kind, _ labels: [String], _ help: String) {
        (self.name, self.kind, self.labels, self.help) = (name, kind, labels, help)
    }

    /// Creates a counter.
    package static func counter(_ name: String, _ labels: [String], _ help: String) -> Metric {
        Metric(name, .counter, labels, help)
    }

    /// Creates a gauge.
    package static func gauge(_ name: String, _ labels: [String], _ help: String) -> Metric {
        Metric(name, .gauge, labels, help)
    }

    /// Creates a histogram with the upper bounds of its buckets, in rising order, without infinity.
    package static func histogram(_ name: String, _ labels: [String], buckets: [Double], _ help: String) -> Metric {
        Metric(name, .histogram(buckets), labels, help)
    }
}
