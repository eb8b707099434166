// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation
import Testing

extension LabSuite {
    /// Guided sessions, which the script `sessions.sh` disturbs in each of their stages.
    @Suite("Sessions on V4L2 cameras")
    struct Sessions {
        static let stages = ["front", "side", "free", "face"]

        @Test("The avatar session switches from one camera to the other, and has four pictures in order")
        func avatar() async throws {
            let account = try await LabSession("session-avatar")
            #expect(account.step.status == 0)
            #expect(account.record.stages.map(\.name) == Self.stages)
            #expect(account.pictures.map(\.role) == ["back", "back", "back", "front"])
            #expect(account.reported == account.pictures.map(\.file))
            try account.expectWhole()
        }

        @Test("Each stage is captured by the camera that it names, in turns")
        func cameras() async throws {
            let account = try await LabSession("session-cameras")
            #expect(account.step.status == 0)
            #expect(account.pictures.map(\.role) == ["back", "front", "back", "front"])
            #expect(Set(account.pictures.compactMap(\.camera)).count == 2)
            try account.expectWhole()
        }

        @Test("Two cameras capture the same moment, and the record has the second one's picture and offset")
        func moment() async throws {
            let account = try await LabSession("session-moment")
            #expect(account.step.status == 0, "\(account.step.error)")
            let picture = try #require(account.pictures.first)
            let view = try #require(picture.views?.first)
            #expect(account.pictures.count == 1 && picture.views?.count == 1)
            #expect(picture.role == "front" && view.role == "left" && view.camera != picture.camera)
            #expect(view.file == "pose-001-left.jpg" && view.offsetMs.isFinite)
            try account.expectWhole()
        }

        @Test("A camera that is switched away while it settles is available for the next switch")
        func switchedWhileSettling() async throws {
            let account = try await LabSession("session-switch")
            #expect(account.step.status == 0)
            #expect(!account.events.contains { $0.event == "lost" })
            #expect(account.pictures.map(\.role) == ["back", "back", "back", "back"])
            try account.expectWhole()
        }

        @Test("A skipped stage has no picture, and is skipped in the record")
        func skipped() async throws {
            let account = try await LabSession("session-skip")
            #expect(account.step.status == 0)
            #expect(account.record.stages.map(\.state) == ["done", "done", "done", "skipped"])
            #expect(account.pictures.count == 3)
            try account.expectWhole()
        }

        @Test("A shaken countdown is aborted in each stage, and the session restarts at the first one")
        func shaken() async throws {
            let account = try await LabSession("session-shake")
            #expect(account.step.status == 0)
            let aborts = account.events.enumerated().filter { $0.element.event == "aborted" }
            let shaken = aborts.filter { $0.element.message == "the picture was not steady" }
            // On a busy machine a shake can begin after the countdown that it is meant for.
            #expect(Set(shaken.map(\.element.stage)) == Set(Self.stages))
            for abort in aborts {
                let next = account.events[abort.offset...].first { $0.event == "stage" }
                #expect(next?.stage == "front")
            }
            // The pictures of the aborted runs are removed.
            #expect(account.pictures.map(\.stage) == Self.stages)
            try account.expectWhole()
        }

        @Test("The session waits for a camera that is lost in each stage, and keeps its pictures")
        func lost() async throws {
            let account = try await LabSession("session-lost")
            #expect(account.step.status == 0)
            #expect(account.events.count { $0.event == "lost" } >= Self.stages.count)
            #expect(account.pictures.map(\.stage) == Self.stages)
            #expect(account.reported == account.pictures.map(\.file))
            try account.expectWhole()
        }

        @Test("A session that is killed in each stage resumes, and has no partial file")
        func killed() async throws {
            let account = try await LabSession("session-kill")
            #expect(account.step.status == 0)
            #expect(account.pictures.map(\.stage) == Self.stages)
            try account.expectWhole()
        }
    }
}
