// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import PipelineKit
import Testing

@testable import FilmKit

@Suite("The pictures of a contact sheet")
struct SheetPlanTests {
    private static let second: Int64 = 1_000_000_000

    private func plan(
        _ pictures: [FilmPicture], _ change: (inout SheetSettings) -> Void = { _ in }
    ) throws -> SheetPlan {
        var settings = SheetSettings()
        change(&settings)
        return try SheetPlan(FilmPlan(pictures, FilmSettings()), settings, title: "garden")
    }

    // MARK: Choice

    @Test(arguments: [1, 2, 3, 7, 100, 999, 1000, 1001])
    func `As many pictures are chosen as were asked for, each once and in order, with the first and the last`(
        most: Int
    ) {
        var generator = SplitMix(UInt64(most))
        for spread in [0, 1, 1000, 1_000_000] as [Int64] {
            var time: Int64 = 0
            let times = (0..<1000).map { _ in
                // Sometimes nothing for long, and sometimes a clock that was set back.
                time +=
                    Int64.random(in: -spread / 4...spread, using: &generator)
                    * (Bool.random(using: &generator) ? 1 : 50)
                return time
            }
            let places = SheetChoice.even(times, most: most)
            #expect(places.count == min(1000, most) && places.first == 0)
            #expect(most == 1 || places.last == 999)
            #expect(zip(places, places.dropFirst()).allSatisfy { $0 < $1 })
        }
    }

    @Test func `Pictures at equal intervals are chosen at equal intervals`() {
        let times = (0..<1438).map { Int64($0) * 60 * Self.second }
        let places = SheetChoice.even(times, most: 100)
        let steps = Set(zip(places, places.dropFirst()).map { $1 - $0 })
        #expect(steps.isSubset(of: [14, 15]), "\(steps)")
    }

    @Test func `Of slow and fast parts, as many are chosen as their time is long`() {
        // An hour with a picture a second, and an hour with a picture a minute.
        let times = (0..<3600).map { Int64($0) } + (0...60).map { 3600 + Int64($0) * 60 }
        let places = SheetChoice.even(times.map { $0 * Self.second }, most: 41)
        #expect(places.count { $0 < 3600 } == 20)
    }

    @Test func `A night without pictures does not draw the choice to its evening and its morning`() {
        // Ten days of ten hours.
        let times = (0..<10).flatMap { day in (0..<600).map { Int64(day) * 86_400 + Int64($0) * 60 } }
        let places = SheetChoice.even(times.map { $0 * Self.second }, most: 100)
        let days = Dictionary(grouping: places) { $0 / 600 }.mapValues(\.count)
        #expect(days.count == 10 && days.values.allSatisfy { (9...11).contains($0) }, "\(days)")
        #expect(zip(places, places.dropFirst()).allSatisfy { $1 - $0 > 20 || $1 / 600 > $0 / 600 })
    }

    @Test func `Pictures of one moment are chosen by their number, and extreme times are no trap`() {
        #expect(
            SheetChoice.even([Int64](repeating: 7, count: 101), most: 11)
                == Array(stride(from: 0, through: 100, by: 10)))
        #expect(SheetChoice.even([.max, .min, .max, .min, 0], most: 3).count == 3)
        #expect(SheetChoice.even([], most: 3) == [] && SheetChoice.every(1, []) == [])
        #expect(SheetChoice.every(.max, [.max, .min, 0]).count == 3)
    }

    @Test func `For each interval the picture next to its beginning is chosen`() {
        // Every ten minutes, not on the second; two hours are missing.
        var generator = SplitMix(1)
        let times = (0..<60).filter { !(13...23).contains($0) }.map { number in
            number == 0
                ? 0
                : Int64(number) * 600 * Self.second + Int64.random(in: -Self.second...Self.second, using: &generator)
        }
        let hours = SheetChoice.every(3600 * Self.second, times).map { (times[$0] + Self.second) / Self.second / 600 }
        #expect(hours == [0, 6, 12, 24, 30, 36, 42, 48, 54, 59])
    }

    // MARK: Sheets

    @Test func `A sheet has the days, and the number of pictures of which it shows some`() throws {
        let pictures = (0..<200).map { FilmPicture.made("\($0).jpg", at: Int64($0) * 3600) }
        let plan = try plan(pictures)
        #expect(plan.pictures.count == 100 && plan.sheetCount == 1 && plan.days == "2025-10-09 to 2025-10-17")
        #expect(plan.pictures.first?.name == "0.jpg" && plan.pictures.last?.name == "199.jpg")
        let report = SheetReport(plan, FilmReport(try FilmPlan(pictures, FilmSettings()), of: "x", skipped: []))
        let (size, columns) = (plan.layout.size, plan.layout.columns)
        #expect(report.lines == ["100 of 200 pictures on 1 sheet of \(size), \(columns) columns"])
        #expect(report.onSheet().words == "no gaps found, no files skipped")
    }

    @Test func `All pictures go on as many sheets as they need, each picture once`() throws {
        let pictures = (0..<777).map { FilmPicture.made("\($0).jpg", at: Int64($0)) }
        for columns in [nil, 1, 3, 20] {
            let plan = try plan(pictures) { ($0.choice, $0.columns) = (.all, columns) }
            let shown = (0..<plan.sheetCount).flatMap { plan.pictures(ofSheet: $0) }
            #expect(shown == pictures && plan.sheetCount > 1, "\(plan.sheetCount)")
            // A page that a printer can print.
            #expect(Double(plan.layout.size.height) <= Double(plan.layout.size.width) / 2.0.squareRoot() * 1.1)
        }
    }

    @Test func `Later sheets have their number in the name`() {
        #expect(SheetPlan.path("a.b/sheet.jpg", sheet: 0) == "a.b/sheet.jpg")
        #expect(SheetPlan.path("a.b/sheet.jpg", sheet: 11) == "a.b/sheet-12.jpg")
    }

    @Test func `A caption has as much of the time as tells pictures apart`() throws {
        let day = (0..<3).map { FilmPicture.made("a/\($0).jpg", at: Int64($0) * 60) }
        let seconds = (0..<3).map { FilmPicture.made("\($0).jpg", at: Int64($0) * 20) }
        let days = (0..<3).map { FilmPicture.made("\($0).jpg", at: Int64($0) * 86_400) }
        #expect(try plan(day).caption(of: day[1]) == "10:54")
        #expect(try plan(seconds).caption(of: seconds[1]) == "10:53:40")
        #expect(try plan(days).caption(of: days[1]) == "2025-10-10 10:53")
        #expect(try plan(days) { $0.columns = 40 }.caption(of: days[1]) == "10-10 10:53")
        #expect(try plan(day) { $0.timeFormat = "%H h" }.caption(of: day[1]) == "10 h")
        #expect(try plan(day) { $0.caption = .name }.caption(of: day[1]) == "1.jpg")
        #expect(try plan(day) { $0.caption = .none }.caption(of: day[1]) == nil)
    }

    @Test func `The date of a file counts only if no picture has a time of its own`() throws {
        var pictures = (0..<50).map { FilmPicture.made("\(100 + $0).jpg", at: Int64($0) * 60) }
        pictures[20].moment = .init(.film(400_000_000), .file)
        let plan = try plan(pictures) { $0.choice = .most(10) }
        #expect(
            plan.days == "2025-10-09"
                && zip(plan.pictures, plan.pictures.dropFirst()).allSatisfy { pair in
                    (Int(pair.1.name.prefix(3)) ?? 0) - (Int(pair.0.name.prefix(3)) ?? 0) >= 4
                })
        let untimed = (0..<3).map { FilmPicture.made("\($0).jpg") }
        #expect(try self.plan(untimed).days == "2025-10-09")
    }

    @Test func `Fields have the shape of most pictures, and are square if many are upright and many lie`() throws {
        let (lying, upright) = (FrameSize(width: 1600, height: 900), FrameSize(width: 900, height: 1600))
        func cell(_ uprightCount: Int) throws -> FrameSize {
            try plan(
                (0..<20).map { .made("\($0).jpg", at: Int64($0), size: $0 < uprightCount ? upright : lying) }
            ).layout.cell
        }
        #expect(try abs(Double(cell(4).width) / Double(cell(4).height) - 16.0 / 9) < 0.02)
        #expect(try cell(10).width == cell(10).height)
        #expect(try abs(Double(cell(20).width) / Double(cell(20).height) - 9.0 / 16) < 0.02)
    }

    // MARK: Layout

    private static let aspects: [Double] = [0.25, 0.5625, 0.75, 1, 4.0 / 3, 1.5, 16.0 / 9, 4]

    @Test(arguments: aspects, [640, 1001, 3508])
    func `Pictures and their lines lie inside of the margins, apart from each other, on a sheet like A4`(
        aspect: Double, width: Int
    ) throws {
        for count in Array(1...40) + [99, 100, 101, 144] {
            let layout = try SheetLayout(count: count, aspect: aspect, width: width)
            #expect(layout.columns * layout.rows >= count && layout.columns * (layout.rows - 1) < count)
            // Of very small pictures more would fit only without captions.
            let isLikeA4 = Double(layout.size.height) <= Double(width) / 2.0.squareRoot() * 1.1 + 1
            #expect(isLikeA4 || layout.cell.width < 40, "\(count)")
            let fields = (0..<count).map(layout.field)
            for (number, field) in fields.enumerated() {
                let caption = layout.caption(number)
                #expect(field.x >= layout.title.x && field.y > layout.title.y + layout.title.height)
                #expect(field.x + field.width <= width - layout.title.x)
                #expect(caption.y >= field.y + field.height && caption.height >= 11)
                #expect(caption.y + caption.height <= layout.findings.y)
                #expect(number == 0 || number % layout.columns == 0 || field.x > fields[number - 1].x + field.width)
                guard number >= layout.columns else { continue }
                let above = layout.caption(number - layout.columns)
                #expect(field.y > above.y + above.height)
            }
            #expect(layout.findings.y + layout.findings.height == layout.size.height - layout.title.x)
        }
    }

    @Test(arguments: [1, 2, 3, 7, 10, 11, 13])
    func `Both margins are equal with any number of columns`(columns: Int) throws {
        let layout = try SheetLayout(count: columns * 2, aspect: 1.5, width: 3508, columns: columns)
        let (first, last) = (layout.field(0), layout.field(columns - 1))
        #expect(layout.columns == columns && layout.rows == 2)
        #expect(abs(first.x - (layout.size.width - last.x - last.width)) <= 1)
    }

    @Test func `A picture keeps its shape, is in the middle of its field, and is not enlarged`() throws {
        let layout = try SheetLayout(count: 20, aspect: 1.5, width: 3508)
        for size in [(6000, 4000), (4000, 6000), (1920, 1080), (30, 20), (10_000, 100), (1, 10_000)] {
            let picture = FrameSize(width: size.0, height: size.1)
            let (field, place) = (layout.field(7), layout.place(7, of: picture))
            #expect(place.width <= min(field.width, picture.width) && place.height <= min(field.height, picture.height))
            let scale = min(
                1, Double(field.width) / Double(size.0), Double(field.height) / Double(size.1))
            #expect(abs(Double(size.0) * scale - Double(place.width)) <= 1)
            #expect(abs(Double(size.1) * scale - Double(place.height)) <= 1)
            #expect(abs((place.x - field.x) - (field.x + field.width - place.x - place.width)) <= 1)
            #expect(abs((place.y - field.y) - (field.y + field.height - place.y - place.height)) <= 1)
        }
    }

    @Test(arguments: [(20_000, 3508, nil), (1000, 3508, 1), (100, 3508, 100), (10_000, 640, nil)])
    func `A sheet with pictures that are too small, or that is too high, is refused`(
        count: Int, width: Int, columns: Int?
    ) throws {
        let error = #expect(throws: CaptureError.self) {
            try SheetLayout(count: count, aspect: 0.5, width: width, columns: columns)
        }
        #expect(error?.code == .usage && error?.advice?.contains("--most") == true)
    }

    @Test(arguments: [
        ("abcdef", 6, "abcdef"), ("abcdef", 5, "ab…ef"), ("abcdef", 2, "a…"), ("abcdef", 1, "…"), ("", 1, ""),
    ])
    func `A long text loses its middle`(text: String, count: Int, expected: String) {
        #expect(SheetText.shortened(Array(text), to: count) == expected)
    }
}
