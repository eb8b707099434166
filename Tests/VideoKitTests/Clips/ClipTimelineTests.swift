// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import PipelineKit
import Testing
import VideoKit

@Suite("The times of a clip")
struct ClipTimelineTests {
    private static let start = ClockTime(nanoseconds: 5_000_000_000)
    private static let format: SoundFormat? = SoundFormat(configuration: [0x11, 0x90])

    /// A time in milliseconds after the first picture.
    private static func time(_ milliseconds: Double) -> ClockTime {
        start + .nanoseconds(Int(milliseconds * 1_000_000))
    }

    private var timeline = ClipTimeline(sound: Self.format)

    private mutating func picture(_ milliseconds: Double, isKey: Bool = false) throws -> [FragmentWriter.AccessUnit] {
        try timeline.addPicture([1], at: Self.time(milliseconds), isKey: isKey)
    }

    private mutating func sound(_ milliseconds: Double) -> [UInt64] {
        timeline.addSound([2], at: Self.time(milliseconds)).map(\.decodeTime)
    }

    private func copy() -> ClipTimelineTests { self }

    @Test("A picture lasts until the next one, at any rate")
    func durations() throws {
        var tests = copy()
        _ = try tests.picture(0, isKey: true)
        let units = try [40, 45, 1045, 1079].flatMap { try tests.picture($0) }
        #expect(units.map(\.decodeTime) == [0, 3600, 4050, 94_050])
        #expect(units.map(\.duration) == [3600, 450, 90_000, 3060])
        let last = tests.timeline.end()
        #expect(last?.decodeTime == 97_110 && last?.duration == 3060)
        let none = tests.timeline.end()
        #expect(none == nil)
    }

    @Test(
        "The last picture lasts until the first one of the next clip, unless that was captured before it",
        arguments: [
            (100.0, UInt32(5400)), (41, 90), (40, 3600), (0, 3600),
        ])
    func end(at milliseconds: Double, lasts duration: UInt32) throws {
        var tests = copy()
        _ = try tests.picture(0, isKey: true)
        _ = try tests.picture(40)
        let last = tests.timeline.end(at: Self.time(milliseconds))
        #expect(last?.duration == duration)
    }

    @Test("Times do not drift: a thousandth of a frame stays one")
    func drift() throws {
        var tests = copy()
        _ = try tests.picture(0, isKey: true)
        var last: FragmentWriter.AccessUnit?
        for number in 1...100_000 { last = try tests.picture(Double(number) * 1000 / 30).last }
        #expect(last?.decodeTime == 299_997_000)
    }

    @Test("A clip begins with a key frame")
    func firstPicture() throws {
        var tests = copy()
        let error = #expect(throws: CaptureError.self) { try tests.picture(0) }
        #expect(error?.code == .software)
        _ = try tests.picture(40, isKey: true)
        #expect(tests.timeline.start == Self.time(40))
    }

    @Test("A picture of an earlier time follows the picture before it")
    func earlierPicture() throws {
        var tests = copy()
        _ = try tests.picture(0, isKey: true)
        let units = try [40, 30, 40, 80].flatMap { try tests.picture($0) }
        #expect(units.map(\.decodeTime) == [0, 3600, 3601, 3602] && units.map(\.duration) == [3600, 1, 1, 3598])
    }

    @Test("Sound before the first picture waits for it, and is left out if it was captured earlier")
    func earlySound() throws {
        var tests = copy()
        for time in [-30.0, -0.5, 10] { #expect(tests.sound(time).isEmpty) }
        #expect(try tests.picture(0, isKey: true).map(\.decodeTime) == [480])
        #expect(tests.timeline.droppedSoundCount == 2)
        #expect(tests.sound(-1).isEmpty && tests.timeline.droppedSoundCount == 3)
    }

    @Test("Sound that waits for a picture is limited")
    func endlessSound() throws {
        var tests = copy()
        for number in 0..<1000 { _ = tests.sound(Double(number) * 21.333) }
        #expect(tests.timeline.droppedSoundCount == 744)
    }

    @Test("Sound follows without gaps if its times jitter, and keeps its time after a gap")
    func soundTimes() throws {
        var tests = copy()
        _ = try tests.picture(0, isKey: true)
        #expect(tests.sound(100) == [4800])
        #expect(tests.sound(122.2) == [5824])
        #expect(tests.sound(141.8) == [6848])
        // A gap of 100 ms, and packets that come 3 ms early, and at the time of an earlier one.
        #expect(tests.sound(264) == [12_672])
        #expect(tests.sound(282.333) == [13_552])
        #expect(tests.sound(282.333) == [] && tests.timeline.droppedSoundCount == 1)
    }

    @Test("A silent clip has no sound")
    func silent() throws {
        var timeline = ClipTimeline(sound: nil)
        _ = try timeline.addPicture([1], at: Self.start, isKey: true)
        #expect(timeline.addSound([2], at: Self.time(10)).isEmpty && timeline.droppedSoundCount == 0)
    }
}
