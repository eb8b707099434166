// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureTestSupport
import PipelineKit
import SessionKit
import StillKit
import Synchronization
import Testing

@testable import CaptureKit

extension LiveFrames {
    @Suite(
        "The moment of a session's picture, measured by a clock in the picture", .serialized, .timeLimit(.minutes(10)))
    struct SessionMomentTests {
        /// A picture, the time on the clock in it, and the interval that contains the zero of its countdown.
        private struct Shot {
            let still: SessionStill
            let reading: ClockScene.Reading
            let zero: ClosedRange<ClockTime>
            /// `true` if the scene made a frame for that zero.
            let hadFrame: Bool

            /// The least and the most delay of the frame on its way from the scene, by the time in the record.
            var delay: (least: Duration, most: Duration) {
                get throws {
                    let offset = try #require(still.offset)
                    return (zero.lowerBound + offset - reading.time, zero.upperBound + offset - reading.time)
                }
            }

            /// `true` if there was a frame, and it was not delayed on its way.
            var isPrompt: Bool { get throws { try hadFrame && delay.least < ClockScene.frameDuration } }

            /// The distance of the clock in the picture from zero.
            var distance: Duration { max(.zero, zero.lowerBound - reading.time, reading.time - zero.upperBound) }
        }

        /// Takes a picture after each of these countdowns, each begun by a trigger. Pictures whose countdown began
        /// again, because the scene paused, are left out.
        private func shots(_ countdowns: [Duration], bestOf count: Int) async throws -> [Shot] {
            let scene = try await ClockScene()
            var session = SessionDescription.quick("begin", countdown: .milliseconds(200))
            session.nextStages = .trigger
            session.stages += countdowns.enumerated().map { index, countdown in
                var stage = SessionStage(name: "shot-\(index)")
                (stage.countdown, stage.bestOf) = (countdown, count)
                return stage
            }
            /// The triggers of the countdowns of each stage.
            let triggers = Mutex<[Int: [ClosedRange<ClockTime>]]>([:])
            /// The number of countdowns of each stage.
            let counts = Mutex<[Int: Int]>([:])
            let account = await SessionAccount.of(session, sources: [.front: scene.source]) { configuration in
                configuration.isAutomatic = false
                configuration.cameras[.front]?.still = .png
            } onEvent: { event, controller in
                guard case .phase(let phase) = event else { return }
                switch (phase.name, phase.stage) {
                case (.ready, _), (.stageDone, _): await controller.trigger()
                case (.armed, let stage?):
                    let before = PipelineClock.system.now
                    await controller.trigger()
                    triggers.withLock { $0[stage, default: []].append(before...PipelineClock.system.now) }
                case (.counting, let stage?): counts.withLock { $0[stage, default: 0] += 1 }
                case (.review, _): await controller.accept()
                default: break
                }
            }
            try await scene.close()
            // The first stage begins when its camera is ready, and callers cannot observe that moment.
            let pictures = account.outcome.pictures.dropFirst()
            try #require(account.outcome.ending == .accepted && pictures.count == countdowns.count)
            var shots: [Shot] = []
            for (index, (picture, countdown)) in zip(pictures, countdowns).enumerated() {
                let triggers = triggers.withLock { $0[index + 1] ?? [] }
                guard let trigger = triggers.first, triggers.count == 1, counts.withLock({ $0[index + 1] }) == 1 else {
                    continue
                }
                let reading = try await ClockScene.read(RGBPicture(decoding: #require(picture.bytes), .png))
                let zero = trigger.lowerBound + countdown...trigger.upperBound + countdown
                let hadFrame = scene.hasFrame(near: zero.lowerBound)
                shots.append(Shot(still: picture.still, reading: reading, zero: zero, hadFrame: hadFrame))
            }
            return shots
        }

        private static let countdowns: [Duration] = [300, 450, 617, 333].map { .milliseconds($0) }

        /// Repeats sessions until three of their pictures are good: on a busy machine frames are late or missing, and
        /// pictures of them prove nothing. A systematic error of the moment occurs in all pictures: the test fails after
        /// 200 pictures that were not late, however many late ones there are.
        private func expectGood(bestOf count: Int, _ isGood: (Shot) -> Bool) async throws {
            var (prompt, good) = (0, 0)
            while good < 3, prompt < 200 {
                let shots = try await shots(Self.countdowns, bestOf: count)
                // No frame has a time before it was made.
                for shot in shots { #expect(try shot.delay.most >= .zero) }
                #expect(shots.allSatisfy { $0.still.bestOf == count })
                let inTime = try shots.filter { try $0.isPrompt }
                prompt += inTime.count
                good += inTime.count { isGood($0) }
            }
            #expect(good >= 3)
        }

        @Test("The picture of a session is the frame nearest to zero, and the record has its offset")
        func nearest() async throws {
            try await expectGood(bestOf: 1) { $0.distance <= ClockScene.frameDuration }
        }

        @Test("The best of five frames of a session is a sharp frame near zero, and the record has its offset")
        func sharpest() async throws {
            try await expectGood(bestOf: 5) { $0.reading.isSharp && $0.distance <= ClockScene.frameDuration * 3 }
        }
    }
}
