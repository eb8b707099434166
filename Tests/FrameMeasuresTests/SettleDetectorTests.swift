// Part of gst-capture. Apache License 2.0, see LICENSE.

import FrameMeasures
import SystemBase
import Testing

@Suite struct `Convergence of exposure` {
    private func settle(_ settle: Settle, _ levels: [Double], every milliseconds: Int = 33) -> (Int, SettleReport)? {
        var detector = SettleDetector(settle)
        for (index, level) in levels.enumerated() {
            let time = ClockTime(nanoseconds: UInt64(index * milliseconds) * 1_000_000)
            if let report = detector.add(time, brightness: level) { return (index, report) }
        }
        return nil
    }

    @Test func `The settle detector waits until a rising picture is steady`() throws {
        let rising = (0..<20).map { Double($0) * 0.02 } + [Double](repeating: 0.4, count: 40)
        let (index, report) = try #require(settle(.automatic(), rising))
        #expect(report.outcome == .steady && index > 20 && index < 35)
    }

    @Test func `The settle detector waits while the frames are black`() throws {
        let dark = [Double](repeating: 0, count: 30) + [Double](repeating: 0.5, count: 40)
        let (index, report) = try #require(settle(.automatic(), dark))
        #expect(report.outcome == .steady && index > 30)
    }

    @Test func `The settle detector times out if the picture is never steady`() throws {
        let restless = (0..<300).map { $0.isMultiple(of: 2) ? 0.2 : 0.8 }
        let (_, report) = try #require(settle(.automatic(limit: .seconds(2)), restless))
        #expect(report.outcome == .gaveUp && report.duration >= .seconds(2) && report.duration < .seconds(3))
    }

    @Test func `The settle detector does not wait if settling is off`() throws {
        #expect(try #require(settle(.off, [0])).1.outcome == .off)
    }
}
