// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import PipelineKit
import Testing

@testable import FilmKit

@Suite("The plan of a film")
struct FilmPlanTests {
    private func series(_ places: [Int], every seconds: Int64 = 10) -> [FilmPicture] {
        places.map { .made("\($0).jpg", at: Int64($0) * seconds) }
    }

    private func names(_ plan: FilmPlan) -> [String] { plan.frames.map(\.picture.name) }

    @Test func `Pictures come by name or by time, and those of a series in its order`() throws {
        let pictures: [FilmPicture] = [.made("10.jpg", at: 1), .made("9.jpg", at: 2), .made("a.jpg", at: 0)]
        var settings = FilmSettings()
        #expect(names(try FilmPlan(pictures, settings)) == ["9.jpg", "10.jpg", "a.jpg"])
        #expect(names(try FilmPlan(pictures, settings, isOrdered: true)) == ["10.jpg", "9.jpg", "a.jpg"])
        settings.order = .time
        #expect(names(try FilmPlan(pictures, settings)) == ["a.jpg", "10.jpg", "9.jpg"])
    }

    @Test func `Missing pictures are found by their times, and held if asked`() throws {
        let pictures = series([1, 2, 3, 6, 7, 8, 108])
        var settings = FilmSettings()
        settings.pace = .rate(Fraction(5, 1))
        let jumped = try FilmPlan(pictures, settings)
        #expect(jumped.gaps.map(\.missingCount) == [2, 99] && jumped.unitCount == 7)
        #expect(jumped.gaps[0].after == "3.jpg" && jumped.gaps[0].before == "6.jpg")
        settings.gaps = .hold
        let held = try FilmPlan(pictures, settings)
        // At most 10 s at 5 pictures a second.
        #expect(held.gaps.map(\.heldCount) == [2, 50] && held.unitCount == 59)
        #expect(held.frames.map(\.hold) == [0, 0, 2, 0, 0, 50, 0])
        #expect(held.duration == .milliseconds(11_800))
    }

    @Test func `Pictures without times have gaps by their numbers`() throws {
        let pictures = [1, 2, 5, 6].map { FilmPicture.made("frame\($0).png") } + [.made("other9.png")]
        let plan = try FilmPlan(pictures, FilmSettings())
        #expect(plan.gaps.map(\.missingCount) == [2] && plan.untimedCount == 5)
    }

    @Test func `The slots of a series decide, whatever the clock does`() throws {
        let pictures = [(0, 0), (1, 10), (2, 5000), (5, 5010), (6, -100)].map { slot, time in
            FilmPicture.made("\(slot).jpg", at: Int64(time), slot: slot)
        }
        let plan = try FilmPlan(pictures, FilmSettings(), isOrdered: true)
        #expect(plan.gaps.map(\.missingCount) == [2])
        #expect(plan.clockSteps.map(\.name) == ["6.jpg"] && plan.clockSteps.first?.back == .seconds(5110))
    }

    @Test func `Two cameras are told, and their mixed times are no steps of the clock`() throws {
        let pictures = (0..<40).map { place in
            FilmPicture.made("\(place).jpg", at: Int64(place / 2) * 10, camera: place % 2 == 0 ? "A" : "B")
        }
        let plan = try FilmPlan(pictures, FilmSettings())
        #expect(plan.cameras == [FilmCount(name: "A", count: 20), FilmCount(name: "B", count: 20)])
        #expect(plan.clockSteps.isEmpty && plan.gaps.isEmpty)
        var settings = FilmSettings()
        settings.camera = "B"
        let one = try FilmPlan(pictures, settings)
        #expect(one.frames.count == 20 && one.leftOutCount == 20 && one.cameras.count == 1)
    }

    @Test func `The most frequent size is that of the film`() throws {
        let small = FrameSize(width: 320, height: 241)
        let large = FrameSize(width: 4000, height: 3000)
        let pictures: [FilmPicture] = [
            .made("1", size: large), .made("2", size: small), .made("3", size: small), .made("4", size: small.turned),
        ]
        let plan = try FilmPlan(pictures, FilmSettings())
        #expect(plan.size == FrameSize(width: 320, height: 240))
        #expect(plan.sizes.first == FilmCount(name: "320x241", count: 2) && plan.sizes.count == 3)
    }

    @Test func `A length sets the rate, within reason`() throws {
        var settings = FilmSettings()
        settings.pace = .length(.seconds(20))
        #expect(try FilmPlan(series(Array(1...500)), settings).rate == Fraction(25000, 1000))
        settings.pace = .length(.seconds(1))
        #expect(throws: CaptureError.self) { try FilmPlan(series(Array(1...500)), settings) }
        settings.pace = .length(.seconds(100_000_000_000))
        #expect(throws: CaptureError.self) { try FilmPlan(series([1, 2]), settings) }
    }

    @Test func `Times and a camera that no picture has are errors with a remedy`() throws {
        let error = #expect(throws: CaptureError.self) { try FilmPlan([], FilmSettings()) }
        #expect(error?.code == .noInput && error?.message == "has no pictures")
        var settings = FilmSettings()
        settings.camera = "C"
        let camera = #expect(throws: CaptureError.self) { try FilmPlan([.made("1", at: 0, camera: "A")], settings) }
        #expect(camera?.advice == "choose one of \"A\"")
        (settings.camera, settings.since) = (nil, .film(100))
        #expect(throws: CaptureError.self) { try FilmPlan(series([1, 2]), settings) }
        settings.until = .film(200)
        #expect(try FilmPlan(series(Array(0...30)), settings).frames.count == 10)
    }

    @Test(arguments: 1...200)
    func `Any pictures make a plan of all of them, whose numbers agree`(seed: Int) throws {
        var generator = SplitMix(UInt64(seed))
        func random(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }
        let extremes: [Int64] = [.max / 4, .min / 4, 0, 1]
        let pictures = (0..<random(1...40)).map { _ in
            var picture = FilmPicture.made(
                "\(random(0...50))-\(random(0...Int.max)).jpg",
                at: random(0...3) == 0 ? nil : random(0...9) == 0 ? extremes[random(0...3)] : Int64(random(-500...500)),
                size: FrameSize(width: random(1...65535), height: random(1...65535)),
                camera: random(0...2) == 0 ? nil : "\(random(0...2))")
            if random(0...2) == 0 { picture.slot = .init(series: random(0...1), index: random(Int.min...Int.max)) }
            return picture
        }
        var settings = FilmSettings()
        settings.gaps = random(0...1) == 0 ? .hold : .jump
        settings.order = random(0...1) == 0 ? .name : .time
        let plan = try FilmPlan(pictures, settings, isOrdered: random(0...1) == 0)
        #expect(plan.frames.count == pictures.count && Set(plan.frames.map(\.picture)) == Set(pictures))
        #expect(plan.unitCount == pictures.count + plan.gaps.reduce(0) { $0 + $1.heldCount })
        #expect(plan.cameras.reduce(0) { $0 + $1.count } == pictures.count)
        #expect(plan.sizes.reduce(0) { $0 + $1.count } == pictures.count)
        #expect(plan.gaps.allSatisfy { $0.missingCount > 0 && (1..<pictures.count).contains($0.place) })
        let report = FilmReport(plan, of: "folder", skipped: [])
        #expect(!report.lines.isEmpty && !JSONValue.object(report.members).text.isEmpty)
    }
}

@Suite("The report of a film")
struct FilmReportTests {
    @Test func `People read what is missing, skipped and unusual`() throws {
        var pictures = [1, 2, 3, 6].map { FilmPicture.made("\($0).jpg", at: Int64($0) * 60, camera: "A") }
        pictures.append(.made("7.jpg", at: 0, size: FrameSize(width: 480, height: 640), camera: "A"))
        let plan = try FilmPlan(pictures, FilmSettings())
        let report = FilmReport(
            plan, of: "folder",
            skipped: [SkippedPicture(name: "page.jpg", reason: "is neither a JPEG nor a PNG picture")])
        let lines = report.lines
        #expect(lines[0] == "5 pictures, 0:00 at 30 a second, 640x480")
        #expect(lines.contains("1 skipped") && lines.contains("  page.jpg: is neither a JPEG nor a PNG picture"))
        #expect(lines.contains("2 pictures missing in 1 gap, jumped"))
        #expect(lines.contains { $0.hasPrefix("  2 between 3.jpg and 6.jpg, 2025-10-09") })
        #expect(lines.contains("1 clock set back") && lines.contains("  7.jpg: by 6m"))
        #expect(lines.contains("2 sizes: 640x480 (4), 480x640 (1); all are scaled to 640x480"))
    }

    @Test func `A long list is cut for people, and whole for programs`() throws {
        let skipped = (1...25).map { SkippedPicture(name: "\($0).jpg\u{1B}", reason: "is empty") }
        let report = FilmReport(try FilmPlan([.made("1.jpg", at: 0)], FilmSettings()), of: "folder", skipped: skipped)
        #expect(report.lines.contains("  and 15 more; --json lists all") && report.lines.count == 13)
        #expect(!report.lines.joined().contains("\u{1B}"))
        #expect(JSONValue.object(report.members).text.contains("25.jpg"))
    }

    @Test(arguments: [(Fraction(30, 1), "30"), (Fraction(30000, 1001), "29.97"), (Fraction(25, 2), "12.5")])
    func `A rate is short`(rate: Fraction, text: String) { #expect(FilmReport.words(rate) == text) }
}
