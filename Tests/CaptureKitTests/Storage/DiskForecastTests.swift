// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit
import ScheduleKit
import Testing

@testable import CaptureKit

@Suite("Disk forecast")
struct DiskForecastTests {
    private func slot(_ index: Int, at seconds: Int) -> Slot {
        Slot(index: index, due: ClockTime(nanoseconds: UInt64(seconds) * 1_000_000_000))
    }

    @Test("There is no forecast before the first picture, or before the second picture on request")
    func nothing() {
        var forecast = DiskForecast(interval: .seconds(60))
        #expect(forecast.time(for: 1000) == nil)
        forecast.add(600, for: slot(0, at: 0))
        #expect(forecast.time(for: 6000) == .seconds(600))
        var requests = DiskForecast(interval: nil)
        requests.add(600, for: slot(0, at: 0))
        #expect(requests.time(for: 6000) == nil)
        requests.add(600, for: slot(1, at: 10))
        #expect(requests.time(for: 6000) == .seconds(100))
    }

    @Test("All pictures of a burst count for one slot")
    func bursts() {
        var forecast = DiskForecast(interval: .seconds(10))
        for index in 0..<10 { for _ in 0..<5 { forecast.add(100, for: slot(index, at: index * 10)) } }
        #expect(forecast.bytesPerSecond == 50)
    }

    @Test("Neither an odd picture nor a night without pictures changes the forecast")
    func robust() {
        var forecast = DiskForecast(interval: nil)
        for index in 0..<10 { forecast.add(1000, for: slot(index, at: index * 10)) }
        forecast.add(1_000_000, for: slot(10, at: 50_000))
        for index in 11..<20 { forecast.add(1000, for: slot(index, at: 50_000 + index * 10)) }
        #expect(forecast.bytesPerSecond == 100)
    }

    @Test("The forecast follows pictures that become larger")
    func drift() {
        var forecast = DiskForecast(interval: .seconds(1))
        for index in 0..<100 { forecast.add(index < 50 ? 100 : 300, for: slot(index, at: index)) }
        #expect(forecast.bytesPerSecond == 300)
    }

    @Test("Any number of bytes is accepted without a trap", arguments: [Int.min, -1, 0, 1, .max])
    func extremes(bytes: Int) {
        var forecast = DiskForecast(interval: .milliseconds(1))
        forecast.add(max(0, bytes), for: slot(0, at: 0))
        #expect(forecast.time(for: bytes).map { $0 >= .zero } ?? true)
        #expect(forecast.time(for: .max).map { $0 <= .seconds(100 * 365 * 86400) } ?? true)
    }
}
