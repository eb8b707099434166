// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureTestSupport
import Foundation
import PipelineKit
import Synchronization
import Testing

@testable import CaptureKit
@testable import SessionKit
@testable import SessionModel

extension LiveFrames {
    @Suite("Pictures of one moment by several cameras", .serialized, .timeLimit(.minutes(5)))
    struct SessionViewTests {
        private static let wide = SessionAccount.source.replacing("320", with: "640").replacing("180", with: "360")
        private static let left = CameraRole(rawValue: "left")

        /// Two stages by the front camera, of which the first also has the left one.
        private static func session(_ left: CameraRole) -> SessionDescription {
            var session = SessionDescription.quick("both", "one")
            session.stages[0].cameras = [.front, left]
            session.stages[1].camera = .front
            return session
        }

        @Test("Each camera of a stage captures the zero of the countdown, and the record has its file and offset")
        func views() async throws {
            let (left, folder) = (try #require(Self.left), try TemporaryFolder())
            let account = await SessionAccount.of(
                Self.session(left), .folder(in: folder.path),
                sources: [.front: SessionAccount.source, left: Self.wide])
            #expect(account.outcome.ending == .accepted)
            let record = try SessionAccount.expectWhole(try #require(account.outcome.folder))
            #expect(record.pictures.map(\.views.count) == [1, 0])
            let picture = try #require(record.pictures.first)
            let view = try #require(picture.views.first)
            #expect(picture.role == .front && picture.file.width == 320 && picture.file.name == "both-001.jpg")
            #expect(view.role == left && view.file.width == 640 && view.file.name == "both-001-left.jpg")
            // The nearest frame of a camera with 30 frames a second. A busy machine can take it late, and never early.
            for offset in [try #require(picture.offset), view.offset] { #expect(offset > .seconds(-1)) }
            let read = try SessionRecord(path: try #require(account.outcome.folder) + "/session.json")
            #expect(read.stills == record.stills)
            #expect(account.captured.first?.views.map(\.file) == picture.views.map(\.file))
        }

        @Test("Without a folder, the caller gets the bytes of each view")
        func bytes() async throws {
            let left = try #require(Self.left)
            let account = await SessionAccount.of(
                Self.session(left), sources: [.front: SessionAccount.source, left: Self.wide])
            let picture = try #require(account.outcome.pictures.first)
            #expect(picture.views.count == 1 && picture.views[0]?.starts(with: [0xFF, 0xD8]) == true)
        }

        @Test(
            "The loss of a camera that is not shown stops the countdown until it is back, and no picture lacks a view")
        func lost() async throws {
            let left = try #require(Self.left)
            let camera = try await FailingCamera()
            // The camera fails in the countdown of the first stage, which no machine is too slow for. That stage is
            // aborted when the camera is back, and skipped.
            var session = SessionDescription.quick("fails", "both", "one")
            for index in 0...1 { session.stages[index].cameras = [.front, left] }
            session.stages[2].camera = .front
            (session.stages[0].countdown, session.stages[0].isSkippable) = (.seconds(200), true)
            (session.start, session.nextStages, session.abort) = (.trigger, .trigger, .retakeStage)
            let isBack = Mutex(false)
            let account = await SessionAccount.of(
                session, sources: [.front: SessionAccount.source, left: camera.source]
            ) {
                $0.isAutomatic = false
                $0.cameras[left]?.recovery = .always
            } onEvent: { event, controller in
                switch event {
                case .phase(let phase) where phase.name == .counting && phase.stage == 0:
                    try? await camera.fail(in: phase.stage)
                case .lost: try? await camera.restart()
                case .recovered:
                    isBack.withLock { $0 = true }
                    await controller.abort()
                case .phase(let phase) where phase.name == .armed && phase.stage == 0 && isBack.withLock(\.self):
                    await controller.skip()
                case .phase(let phase) where phase.name == .armed || phase.name == .ready: await controller.trigger()
                case .phase(let phase) where phase.name == .review: await controller.accept()
                default: break
                }
            }
            try await camera.stop()
            // The loss stops the countdown.
            let phases = account.events.compactMap { if case .phase(let phase) = $0 { phase } else { nil } }
            #expect(phases.drop { $0.name != .counting }.contains { $0.name == .switching && $0.stage == 0 })
            let losses = account.events.compactMap { if case .lost(_, let role) = $0 { role } else { nil } }
            #expect(account.outcome.ending == .accepted && Set(losses) == [left])
            #expect(account.captured.map(\.views.count) == [1, 0])
        }

        @Test("A picture whose view is gone from the folder is captured again")
        func missing() async throws {
            let (left, folder) = (try #require(Self.left), try TemporaryFolder())
            let sources = [CameraRole.front: SessionAccount.source, left: Self.wide]
            var session = Self.session(left)
            session.nextStages = .trigger
            let first = await SessionAccount.of(session, .folder(in: folder.path), sources: sources) {
                $0.isAutomatic = false
            } onEvent: { event, controller in
                switch event {
                case .phase(let phase) where phase.name == .ready: await controller.trigger()
                case .stageDone(0): await controller.leave()
                default: break
                }
            }
            let path = try #require(first.outcome.folder)
            try FileManager.default.removeItem(atPath: path + "/both-001-left.jpg")
            // No picture of the session, although its name begins like one.
            try Data("a note".utf8).write(to: URL(filePath: path + "/both-001-old.jpg"))
            let second = await SessionAccount.of(session, .resumed(folder: path), sources: sources)
            #expect(second.outcome.ending == .accepted && second.captured.map(\.views.count) == [1, 0])
            #expect(FileManager.default.fileExists(atPath: path + "/both-001-old.jpg"))
        }

        @Test("A stage whose camera is missing is refused before a camera is opened")
        func unknown() async throws {
            let left = try #require(Self.left)
            let account = await SessionAccount.of(Self.session(left), sources: [.front: SessionAccount.source])
            #expect(account.failure?.code == .usage && account.failure?.advice == "give it with --role left=ID")
            #expect(account.events.count == 1)
        }
    }
}
