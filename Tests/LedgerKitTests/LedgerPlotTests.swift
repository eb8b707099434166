// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import ScheduleKit
import Testing

@testable import LedgerKit

@Suite("Plots of a ledger")
struct LedgerPlotTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Returns the texts of a drawing, as they are written.
    private func texts(_ svg: String) -> [String] { svg.matches(of: />([^<]*)<\/text>/).map { String($0.1) } }

    @Test("A plot names the series, its time and its totals, and no title breaks the drawing")
    func title() async throws {
        let large = try await LargeLedger(folder.path + "/a.ledger", slots: 300)
        let plot = try LedgerPlot(try LedgerReader(large.path), LedgerFilter(), title: "<b>&\u{7}\"garden\"")
        let texts = texts(plot.svg)
        #expect(
            texts.first?.hasPrefix("&lt;b&gt;&amp;") == true && !plot.svg.contains("\u{7}")
                && texts.contains { $0.hasPrefix("300 pictures, 0 missed") })
        #expect(texts.contains("Brightness") && texts.contains("Exposure time") && texts.contains("Slots"))
    }

    @Test("The size of a plot does not follow the number of slots")
    func growth() async throws {
        var sizes: [Int] = []
        for slots in [10_000, 100_000] {
            let large = try await LargeLedger(folder.path + "/\(slots).ledger", slots: slots, files: false)
            sizes.append(try LedgerPlot(try LedgerReader(large.path), LedgerFilter(), title: "a").svg.utf8.count)
        }
        #expect(sizes[1] < sizes[0] * 2 && sizes[1] < 200_000, "\(sizes)")
    }

    @Test("A ledger without such slots is refused")
    func empty() async throws {
        let large = try await LargeLedger(folder.path + "/a.ledger", slots: 3)
        var filter = LedgerFilter()
        filter.until = .test(-1000)
        let reader = try LedgerReader(large.path)
        let error = #expect(throws: CaptureError.self) { _ = try LedgerPlot(reader, filter, title: "a") }
        #expect(error?.code == .noInput)
    }

    @Test("Slots that were missed together fill the columns of their time")
    func gaps() {
        var columns = PlotColumns(0...1_000_000_000_000, count: 10)
        let missed = LedgerEntry(
            slots: 20...59, cause: .schedule, due: WallTime(seconds: 200, nanoseconds: 0),
            lastDue: WallTime(seconds: 590, nanoseconds: 0), outcome: .missed(reason: "suspended"))
        columns.add(.init(id: 1, series: 1, run: 1, entry: missed, removal: nil, isReplaced: false))
        #expect(columns.columns.map(\.missed) == [0, 0, 10, 10, 10, 10, 0, 0, 0, 0])
        // A clock that was set back does not leave the plot.
        let early = LedgerEntry(
            slots: 0...0, cause: .schedule, due: WallTime(seconds: -500, nanoseconds: 0),
            lastDue: WallTime(seconds: -500, nanoseconds: 0), outcome: .missed(reason: "late"))
        columns.add(.init(id: 2, series: 1, run: 1, entry: early, removal: nil, isReplaced: false))
        #expect(columns.columns[0].missed == 1)
    }

    @Test(
        "Ticks are round numbers around the values",
        arguments: [
            (0.0, 0.9, [0, 0.5, 1]), (0, 34, [0, 10, 20, 30, 40]), (-3, 7, [-5, 0, 5, 10]), (0, 0, [0, 1]),
            (5, 5, [5, 6]),
        ] as [(Double, Double, [Double])])
    func ticks(least: Double, greatest: Double, ticks: [Double]) {
        let scale = PlotScale.linear(least...greatest)
        #expect(scale.ticks == ticks, "\(scale.ticks)")
        #expect(scale.place(least) >= 0 && scale.place(greatest) <= 1)
    }

    @Test("Powers of ten are equally far apart")
    func powers() {
        let scale = PlotScale.logarithmic(0.002...0.3)
        #expect(scale.ticks.count == 4 && abs(scale.place(0.01) - 1.0 / 3) < 1e-9)
        #expect(scale.place(0) == 0 && scale.place(100) == 1)
    }

    @Test(
        "Moments are labeled in the zone of the series, midnight with its day",
        arguments: [(0, ["Nov 18", "00:15"]), (3600, ["01:00", "01:15"])])
    func moments(offset: Int, labels: [String]) throws {
        let day = Int64(1_795_000_000 / 86400 * 86400) * 1_000_000_000
        let ticks = PlotTicks(day...(day + 7200 * 1_000_000_000), offset: offset, most: 10)
        #expect(ticks.moments.first?.time == day && ticks.moments.count == 9)
        #expect(ticks.moments.prefix(2).map(\.label) == labels)
    }
}
