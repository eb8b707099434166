// Part of gst-capture. Apache License 2.0, see LICENSE.

import Testing

@testable import MetricsKit

@Suite("The text of metrics")
struct ExpositionTests {
    @Test("Quotes, backslashes and line breaks of labels and help are escaped")
    func escapes() {
        var text = Exposition()
        text.metric(.gauge("a", ["b"], "say \"x\\y\"\nz"), [(["\"\\\n"], 0.5)])
        #expect(text.text == "# HELP a say \"x\\\\y\"\\nz\n# TYPE a gauge\na{b=\"\\\"\\\\\\n\"} 0.5\n")
        var numbers = Exposition()
        let values = [.infinity, -.infinity, .nan, 1e300, -0.0, 12, 1e-9]
        numbers.metric(.gauge("a", [], "b"), values.map { ([], $0) })
        #expect(
            numbers.text.split(separator: "\n").dropFirst(2)
                == ["a +Inf", "a -Inf", "a NaN", "a 1e+300", "a 0", "a 12", "a 1e-09"])
    }

    @Test("Buckets are cumulative, and a value at a bound is in its bucket")
    func buckets() {
        let store = MetricStore()
        let metric = Metric.histogram("a", [], buckets: [1, 2], "b")
        for value in [0.5, 1, 1.5, 9] { store.observe(value, in: metric) }
        var text = Exposition()
        store.write(to: &text)
        #expect(
            text.text.split(separator: "\n").dropFirst(2) == [
                "a_bucket{le=\"1\"} 2", "a_bucket{le=\"2\"} 3", "a_bucket{le=\"+Inf\"} 4", "a_sum 12", "a_count 4",
            ])
    }
}
