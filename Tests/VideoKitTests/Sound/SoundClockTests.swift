// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit
import SystemBase
import Testing
import VideoKit

@Suite("The clock of a microphone")
struct SoundClockTests {
    /// Adds buffers of 10 ms, and returns the sum of time and deviation of each, less its timestamp, in nanoseconds.
    private func errors(_ clock: inout SoundClock, _ stamps: [UInt64], samples: Int = 480) -> [Int64] {
        stamps.map { stamp in
            let time = clock.add(samples, at: ClockTime(nanoseconds: stamp))
            return Int64(time.nanoseconds) + clock.deviation - Int64(stamp)
        }
    }

    @Test(
        "Times follow the number of samples, and the deviation is that of the timestamps", arguments: [-200.0, 0, 150])
    func deviation(ppm: Double) {
        var clock = SoundClock(rate: 48_000)
        // Half an hour.
        let distance = 1e7 * (1 + ppm / 1e6)
        let stamps = (0..<180_000).map { (number: Int) -> UInt64 in UInt64(1e9 + Double(number) * distance) }
        let errors = errors(&clock, stamps)
        #expect(errors.allSatisfy { abs($0) < 100_000 })
        #expect(abs(Double(clock.deviation) - ppm * 1800 * 1000) < 100_000)
        let next = clock.add(480, at: ClockTime(nanoseconds: stamps[179_999] + 10_000_000))
        #expect(next == ClockTime(nanoseconds: 1_000_000_000 + 180_000 * 10_000_000))
    }

    @Test("Late timestamps now and then do not move the sound")
    func jitter() {
        var clock = SoundClock(rate: 48_000)
        let stamps = (0..<1000).map { (number: UInt64) -> UInt64 in
            let delay: UInt64 = number % 7 == 3 ? 4_000_000 : 0
            return number * 10_000_000 + delay
        }
        _ = errors(&clock, stamps)
        #expect(clock.deviation == 0)
    }

    @Test(
        "A gap moves the times at once, by all of it", arguments: [-3_000_000_000, 51_000_000, 400_000_000] as [Int64])
    func gap(length: Int64) {
        var clock = SoundClock(rate: 48_000)
        let before = (0..<500).map { (number: UInt64) -> UInt64 in 5_000_000_000 + number * 10_001_000 }
        let after = before.map { (stamp: UInt64) -> UInt64 in UInt64(Int64(stamp) + 5_000_500_000 + length) }
        let errors = errors(&clock, before + after)
        // The window has the deviations of 0.64 s.
        #expect(errors.allSatisfy { abs($0) < 50_000 })
        let deviation = clock.deviation
        #expect(abs(deviation - 1_000_000) < 100_000, "the gap is no deviation")
    }

    @Test("Strange times and numbers are no trap")
    func hostile() {
        var clock = SoundClock(rate: 0)
        for stamp in [0, .max, 5, UInt64(Int64.max), .max - 1, 0] {
            for count in [0, -1, .max / 4, 480] { _ = clock.add(count, at: ClockTime(nanoseconds: stamp)) }
        }
        var usual = SoundClock(rate: 44_100)
        #expect(usual.add(441, at: .zero) == .zero)
        #expect(usual.add(441, at: ClockTime(nanoseconds: 10_000_000)) == ClockTime(nanoseconds: 10_000_000))
    }

    @Test(
        "The bytes of a sample follow from the format",
        arguments: [
            ("S16LE", 2, 4), ("S24LE", 1, 3), ("S24_32LE", 1, 4), ("S20LE", 2, 6), ("F64BE", 8, 64), ("U8", 1, 1),
        ])
    func formats(name: String, channels: Int, count: Int) throws {
        let caps = try Caps("audio/x-raw,format=\(name),rate=44100,channels=\(channels)")
        let sound = try #require(RawSound(caps))
        #expect(sound.rate == 44_100 && sound.bytesPerSample == count)
    }

    @Test(
        "Caps that have no samples are refused",
        arguments: [
            "audio/x-raw,format=S16LE,channels=2", "audio/x-raw,format=S16LE,rate=0,channels=2",
            "audio/x-raw,format=S16LE,rate=48000,channels=0", "audio/x-raw,format=nothing,rate=48000,channels=1",
            "audio/x-raw,format=S0LE,rate=48000,channels=1", "audio/x-raw,format=S99999LE,rate=48000,channels=1",
            "audio/x-raw,format=S16LE,rate=[1,2],channels=1", "audio/mpeg,rate=48000,channels=1,format=S16LE",
        ])
    func refused(caps: String) throws {
        #expect(RawSound(try Caps(caps)) == nil)
    }
}
