// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import Testing

@testable import gst_capture

@Suite("What is left of a series")
struct SeriesProgressTests {
    @Test("is fewer pictures and less time, and the next one at its moment")
    func shorter() throws {
        var settings = try CaptureSettings(options: [("count", "8"), ("for", "60s"), ("delay", "5s")])
        SeriesProgress(slots: 3, span: .seconds(22), untilNext: .seconds(2)).shorten(&settings)
        #expect(settings.count == 5)
        #expect(settings.length == .seconds(38))
        #expect(settings.delay == .seconds(2))
    }

    @Test("is all where nothing has happened yet")
    func whole() throws {
        let all = try CaptureSettings(options: [("count", "8"), ("delay", "5s")])
        var settings = all
        SeriesProgress.none.shorten(&settings)
        #expect(settings == all)
    }
}
