// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import ClipKit
import Foundation
import PipelineKit
import StillKit
import Testing
import VideoKit

@testable import ServiceKit

extension LiveFrames {
    @Suite("Clips of a service", .timeLimit(.minutes(5)))
    struct ClipJobTests {
        /// A camera that records, with further keys of `clips`.
        private static func door(_ keys: String = "", others: String = "") -> String {
            """
              door:
                source: "videotestsrc is-live=true ! video/x-raw,width=320,height=240"
                stall-after: 5m
                \(others)
                clips: { output: "FOLDER/clips/%n.mp4", keep-free: 1kB\(keys.isEmpty ? "" : ", " + keys) }

            """
        }

        @Test("A recording is started and stopped, is a whole file in the list, and shares the camera with a series")
        func recording() async throws {
            let series = "series: { quick: { interval: 100ms, output: FOLDER/%n.jpg } }"
            try await TestService.run(Self.door(others: series)) { test in
                let service = test.service
                #expect(try await service.clipStatus(of: "door").state == .off)
                try await service.startClip("door")
                let began = try await test.clip("began")
                #expect(began.number("clip") == 1 && began["file"] == nil && began.camera == "door")
                let again = await failure { try await service.startClip("door") }
                #expect(again?.code == .usage && again?.subject == "door")
                try await test.next("captured", of: "quick")
                let status = try await service.clipStatus(of: "door")
                #expect(status.state == .recording && status.clip == 1 && status.byteCount ?? 0 > 0)
                #expect(try await service.clips(of: .camera("door")).map(\.state) == [.recording])
                #expect(await service.status.cameras.first?.health.state == .delivering)
                #expect(try await service.stopClip("door") == 1)
                let clip = try await service.clip(1, of: .camera("door"))
                #expect(clip.state == .complete && clip.reason == "stopped" && clip.error == nil)
                let report = try ClipFile.finalize(clip.path)
                #expect(report.wasOrdinary && report.tracks.map(\.sampleCount) == [clip.frameCount])
                #expect(clip.duration == report.duration && (clip.width, clip.height) == (320, 240))
                let recorded = try await test.clip("recorded")
                #expect(recorded.number("clip") == 1 && recorded["reason"] == "stopped" && recorded["file"] == nil)
                #expect(try await service.clipStatus(of: "door").state == .off)
                #expect(await failure { try await service.stopClip("door") }?.code == .usage)
            }
        }

        @Test("A recording with a duration ends by itself, and another one can be started")
        func length() async throws {
            try await TestService.run(Self.door()) { test in
                for number in 1...2 {
                    try await test.service.startClip("door", for: .milliseconds(500))
                    let recorded = try await test.clip("recorded")
                    #expect(recorded.number("clip") == number && recorded["reason"] == "elapsed")
                    try await test.clip("finished")
                }
                #expect(try await test.service.clips(of: .camera("door")).map(\.id) == [2, 1])
                #expect(try await test.service.clips(of: .camera("door"), before: 2, limit: 5).map(\.id) == [1])
            }
        }

        @Test("A recording can be stopped before its first picture, and the next one can be started at once")
        func early() async throws {
            try await TestService.run(Self.door()) { test in
                for _ in 1...3 {
                    try await test.service.startClip("door")
                    try await test.service.stopClip("door")
                    #expect(try await test.service.clipStatus(of: "door").state == .off)
                }
                try await test.service.startClip("door")
                try await test.clip("began")
                #expect(try await test.service.stopClip("door") != nil)
                let listed = try await test.service.clips(of: .camera("door"))
                #expect(listed.allSatisfy { $0.state == .complete })
            }
        }

        @Test("Each trigger of an armed camera is a clip, or extends it, and the camera is armed again")
        func trigger() async throws {
            try await TestService.run(Self.door("trigger: yes, pre: 500ms, post: 500ms")) { test in
                let service = test.service
                try await test.clip("encoding")
                #expect(try await service.clipStatus(of: "door").state == .armed)
                #expect(await failure { try await service.startClip("door") }?.code == .usage)
                #expect(await failure { try await service.stopClip("door") }?.code == .usage)
                for number in 1...2 {
                    try await service.triggerClip("door")
                    #expect(try await test.clip("began").number("clip") == number)
                    try await service.triggerClip("door")
                    let recorded = try await test.clip("recorded")
                    #expect(recorded.number("clip") == number && recorded["reason"] == "elapsed")
                }
                let status = try await service.clipStatus(of: "door")
                #expect(status.state == .armed && status.clip == nil && status.error == nil)
            }
        }

        @Test("The clip of a trigger can be stopped, and the camera stays armed")
        func stoppedTrigger() async throws {
            try await TestService.run(Self.door("trigger: yes, post: 1h")) { test in
                let service = test.service
                try await test.clip("encoding")
                try await service.triggerClip("door")
                try await test.clip("began")
                #expect(try await service.stopClip("door") == 1)
                #expect(try await test.clip("recorded")["reason"] == "stopped")
                try await service.triggerClip("door")
                #expect(try await test.clip("began").number("clip") == 2)
            }
        }

        @Test("A recording with a microphone names it while it is on, and its clip has sound")
        func sound() async throws {
            try await TestService.run(Self.door("audio: audiotestsrc is-live=true")) { test in
                try await test.service.startClip("door", for: .seconds(1))
                #expect(try await test.clip("microphone")["name"] != nil)
                try await test.clip("began")
                #expect(try await test.service.clipStatus(of: "door").microphone != nil)
                #expect(try await test.clip("recorded").number("clip") == 1)
                try await test.clip("finished")
                #expect(try await test.service.clipStatus(of: "door").microphone == nil)
                #expect(try await test.service.clip(1, of: .camera("door")).soundDuration != nil)
            }
        }

        @Test("A reload that changes the camera finishes the clip, and the next recording has the new settings")
        func reload() async throws {
            try await TestService.run(Self.door()) { test in
                try await test.service.startClip("door")
                try await test.clip("began")
                let next = Self.door("video-size: 160x120")
                await test.service.reload(try TestService.configuration(next, in: test.folder))
                #expect(try await test.clip("recorded")["reason"] == "stopped")
                #expect(try await test.service.clip(1, of: .camera("door")).state == .complete)
                #expect(try await test.service.clipStatus(of: "door").state == .off)
                try await test.service.startClip("door", for: .milliseconds(200))
                #expect(try await test.clip("recorded").number("clip") == 2)
                #expect(try await test.service.clip(2, of: .camera("door")).width == 160)
            }
        }

        @Test("A reload without a change of the camera leaves a recording alone")
        func kept() async throws {
            try await TestService.run(Self.door()) { test in
                try await test.service.startClip("door")
                try await test.clip("began")
                await test.service.reload(try TestService.configuration(Self.door(), in: test.folder))
                #expect(try await test.service.clipStatus(of: "door").state == .recording)
                #expect(try await test.service.stopClip("door") == 1)
            }
        }

        @Test("A service that stops finishes the clip")
        func stop() async throws {
            try await TestService.run(Self.door()) { test in
                try await test.service.startClip("door")
                try await test.clip("began")
                await test.service.stop()
                let clip = try await test.service.clip(1, of: .camera("door"))
                #expect(clip.state == .complete && clip.reason == "stopped")
                #expect(try ClipFile.finalize(clip.path).wasOrdinary)
                #expect(await failure { try await test.service.startClip("door") } == .isStopping)
            }
        }

        @Test("A recording that reaches its limit ends with the limit, and a removal makes room for the next one")
        func limit() async throws {
            try await TestService.run(Self.door("max-count: 1, on-limit: stop")) { test in
                let service = test.service
                try await service.startClip("door", for: .milliseconds(200))
                try await test.clip("finished")
                try await service.startClip("door")
                try await test.clip("finished")
                let error = try await service.clipStatus(of: "door").error
                #expect(error?.subject == "max-count")
                try await service.removeClip(1, of: .camera("door"))
                #expect(try await test.clip("removed").number("clip") == 1)
                let listed = try await service.clips(of: .camera("door"))
                #expect(listed.isEmpty)
                try await service.startClip("door", for: .milliseconds(200))
                #expect(try await test.clip("recorded").number("clip") == 2)
            }
        }
    }
}

extension TestService {
    /// Waits for the event of a recording with this type.
    @discardableResult
    func clip(_ type: String) async throws -> ServiceEvent { try await next("clip") { $0["type"] == type } }
}

extension ServiceEvent {
    /// The number of a member.
    func number(_ name: String) -> Int? {
        guard case .object(let members) = json,
            case .integer(let number)? = members.first(where: { $0.name == name })?.value
        else { return nil }
        return number
    }
}
