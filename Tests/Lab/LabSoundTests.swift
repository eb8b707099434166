// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation
import Testing

extension LabSuite {
    /// Clips of a webcam that flashes, with a microphone that hears clicks; see `sound.sh`.
    @Suite("Clips with sound")
    struct Sound {
        /// Half an hour, with a microphone that deviates by 100 parts per million, as a bad one does.
        private static let isLong = (ProcessInfo.processInfo.environment["SOUND_MINUTES"].flatMap { Int($0) } ?? 0) > 0

        @Test(
            "Sound fits the picture within 5 ms at the start, and within 10 ms later, with any clock of the microphone",
            arguments: ["sound-right", "sound-fast", "sound-slow", "sound-resampled"])
        func fits(name: String) async throws {
            try await expectFit(name, clicks: 25)
        }

        @Test(
            "Sound drifts by less than 10 ms in half an hour",
            .enabled(if: isLong, "optional: SOUND_MINUTES=30 records for so long; make soak does"))
        func drift() async throws {
            try await expectFit("sound-long", clicks: 1000)
        }

        @Test("A recording with a busy microphone is silent, and says so")
        func busy() async throws {
            let step = try await step("sound-busy")
            #expect(step.status == 0, "\(step.error)")
            #expect(step.output.contains("busy: another program uses it"), "\(step.output)")
            let clip = try await FlashClip.streams(of: step.file("clip.mp4"))
            #expect(clip == ["h264"])
        }

        @Test("A recording continues without sound when the microphone is unplugged, and says so")
        func unplugged() async throws {
            let step = try await step("sound-unplugged")
            #expect(step.status == 0, "\(step.error)")
            #expect(step.output.contains("was unplugged, or its driver failed"), "\(step.output)")
            let ended = try #require(
                try CommandOutput.lines(of: step, as: Recorded.self).first { $0.event == "recorded" })
            let (duration, sound) = (try #require(ended.durationMs), try #require(ended.soundMs))
            #expect(duration >= 9900 && (2000..<8000).contains(sound), "\(duration) ms, sound \(sound) ms")
        }

        /// The event at the end of a clip.
        private struct Recorded: Decodable {
            let event: String
            let durationMs: Double?
            let soundMs: Double?
        }

        /// Compares the times of clicks and flashes in a clip with those of the machine.
        private func expectFit(_ name: String, clicks: Int) async throws {
            let delay = try FlashStamps(await step("sound-stamps")).delay
            // The camera's driver stamps a picture when its first bytes arrive.
            #expect((0..<0.010).contains(delay), "the driver stamps a picture after \(delay * 1000) ms")
            let recording = try await step(name)
            #expect(recording.status == 0, "\(recording.error)")
            let lateness = try await FlashClip(recording).lateness.map { $0 + delay }
            try #require(lateness.count >= clicks, "\(lateness.count) clicks")
            let (start, end) = (median(lateness.prefix(5)), median(lateness.suffix(5)))
            #expect(abs(start) <= 0.005, "sound is late by \(start * 1000) ms at the start")
            #expect(abs(end - start) <= 0.010, "sound drifts by \((end - start) * 1000) ms")
            // One click or flash alone can be off: the machine of the lab has a slow processor.
            let medians = (5...lateness.count).map { median(lateness[($0 - 5)..<$0]) }
            let worst = medians.map(abs).max() ?? 0
            #expect(worst <= 0.010, "in ms: \(lateness.map { ($0 * 1000).rounded() })")
        }

        private func median(_ values: ArraySlice<Double>) -> Double { values.sorted()[values.count / 2] }
    }
}
