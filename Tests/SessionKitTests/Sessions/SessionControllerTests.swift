// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Foundation
import PipelineKit
import Synchronization
import Testing

@testable import CaptureKit
@testable import SessionKit
@testable import SessionModel

extension LiveFrames {
    @Suite("The session controller", .timeLimit(.minutes(5)))
    struct SessionControllerTests {
        @Test("The folder has all pictures, in order, as the record lists them")
        func folder() async throws {
            let folder = try TemporaryFolder()
            let account = await SessionAccount.of(.quick("front", "side", "face"), .folder(in: folder.path))
            #expect(account.outcome.ending == .accepted)
            #expect(account.captured.map(\.stage) == ["front", "side", "face"])
            let record = try SessionAccount.expectWhole(try #require(account.outcome.folder))
            #expect(record.progress.ending == .accepted)
            let numbers = record.pictures.map { "\($0.stage)-00\($0.number).jpg" }
            #expect(record.pictures.map(\.file.name) == numbers && record.pictures.count == 3)
            #expect(record.pictures.map(\.file) == account.captured.map(\.file))
            #expect(record.ended != nil)
        }

        @Test("A session without a folder returns its pictures to the caller")
        func caller() async throws {
            let account = await SessionAccount.of(.quick("one", "two"))
            #expect(account.outcome.ending == .accepted)
            #expect(account.outcome.folder == nil)
            let pictures = account.outcome.pictures
            #expect(pictures.map(\.still.stage) == ["one", "two"])
            for picture in pictures {
                let bytes = try #require(picture.bytes)
                #expect(SessionFileRecord(name: "", bytes, width: 1, height: 1).sha256 == picture.still.file.sha256)
            }
        }

        @Test("A source whose timestamps lag by three seconds delivers its pictures")
        func lagging() async {
            let lag = "queue min-threshold-time=3000000000 max-size-time=0 max-size-bytes=0 max-size-buffers=0"
            let account = await SessionAccount.of(
                .quick("one", "two"), sources: [.front: "\(SessionAccount.source) ! \(lag)"],
                onEvent: { event, controller in
                    if case .lost = event { await controller.leave() }
                })
            #expect(account.outcome.ending == .accepted)
            #expect(account.captured.map(\.stage) == ["one", "two"])
            #expect(!account.events.contains { if case .lost = $0 { true } else { false } })
        }

        @Test("Requests during a countdown are refused, and a second trigger starts no second countdown")
        func counting() async {
            let account = await SessionAccount.of(
                .quick("one", countdown: .seconds(200)),
                onEvent: { event, controller in
                    guard case .phase(let phase) = event, phase.name == .counting else { return }
                    await controller.trigger()
                    await controller.skip()
                    await controller.switchCamera()
                    await controller.retake(stage: 0)
                    await controller.accept()
                    await controller.leave()
                })
            let refusals = account.events.filter { if case .refused("counting", _) = $0 { true } else { false } }
            #expect(refusals.count == 5)
            #expect(account.phases.count { $0 == .counting } == 1)
            #expect(account.captured.isEmpty)
        }

        @Test(
            "A session that is canceled in any phase leaves no files",
            arguments: [
                SessionPhase.Name.ready, .tutorial, .switching, .armed, .counting, .capturing, .stageDone, .review,
            ])
        func cancelled(in name: SessionPhase.Name) async throws {
            let folder = try TemporaryFolder()
            var session = SessionDescription.quick("one", "two")
            session.tutorial = [TutorialPage("Look here")]
            session.nextStages = .trigger
            let account = await SessionAccount.of(session, .folder(in: folder.path)) {
                $0.isAutomatic = false
                // A session switches until its camera is ready.
                if name == .switching { $0.cameras[.front]?.settle = .fixed(.seconds(600)) }
            } onEvent: { event, controller in
                guard case .phase(let phase) = event else { return }
                if phase.name == name { return await controller.cancel() }
                if [.ready, .tutorial, .armed].contains(phase.name) { await controller.trigger() }
            }
            #expect(account.phases.contains(name))
            #expect(account.outcome.ending == .cancelled)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
        }

        @Test("A session left in the middle of a stage resumes with its pictures", arguments: 0...2)
        func resumed(at stage: Int) async throws {
            let folder = try TemporaryFolder()
            let session = SessionDescription.quick("one", "two", "three")
            let first = await SessionAccount.left(session, in: folder.path, after: stage)
            #expect(first.outcome.ending == .left)
            let path = try #require(first.outcome.folder)
            let before = try SessionAccount.expectWhole(path)
            #expect(before.pictures.count == stage + 1)
            let second = await SessionAccount.of(session, .resumed(folder: path))
            #expect(second.outcome.ending == .accepted)
            let after = try SessionAccount.expectWhole(path)
            #expect(after.pictures.map(\.stage) == ["one", "two", "three"])
            #expect(Array(after.pictures.prefix(stage + 1)) == before.pictures)
            #expect(after.begun == before.begun)
        }

        @Test("A new or resumed session that is canceled before it begins leaves no files")
        func early() async throws {
            let session = SessionDescription.quick("one", "two")
            let folder = try TemporaryFolder()
            let path = try #require(await SessionAccount.left(session, in: folder.path).outcome.folder)
            for output in [SessionConfiguration.Output.resumed(folder: path), .folder(in: folder.path)] {
                let controller = SessionAccount.controller(session, output) { $0.isAutomatic = false }
                await controller.cancel()
                #expect(await controller.run().ending == .cancelled)
            }
            let here = FileManager.default.currentDirectoryPath
            for folder in [folder.path, here] {
                let names = try FileManager.default.contentsOfDirectory(atPath: folder)
                #expect(!names.contains { $0.hasPrefix("quick-") })
            }
        }

        @Test("A library picture that is requested before the session begins is brought in")
        func namedEarly() async throws {
            let folder = try TemporaryFolder()
            let path = try #require(await SessionAccount.left(.quick("one", "two"), in: folder.path).outcome.folder)
            let picture = try #require(try SessionAccount.paths(in: path).first)
            var session = SessionDescription.quick("only")
            session.start = .now
            let controller = SessionAccount.controller(session) { $0.library = ["/nowhere.jpg"] }
            await controller.bring(picture)
            let outcome = await controller.run()
            #expect(outcome.ending == .accepted)
            #expect(outcome.pictures.map(\.still.source) == [picture])
        }

        @Test("A missing picture is captured again; a file with other content is not modified")
        func missing() async throws {
            let folder = try TemporaryFolder()
            let session = SessionDescription.quick("one", "two", "three")
            let path = try #require(await SessionAccount.left(session, in: folder.path, after: 1).outcome.folder)
            let pictures = try SessionAccount.expectWhole(path).pictures
            let (one, two) = (try #require(pictures.first), try #require(pictures.dropFirst().first))
            let name = two.file.name
            try Data("mine".utf8).write(to: URL(filePath: path + "/" + name))
            let refused = await SessionAccount.of(session, .resumed(folder: path))
            let error = try #require(refused.failure)
            #expect(error.code == .inputOutput && error.subject == path + "/" + name)
            #expect(try Data(contentsOf: URL(filePath: path + "/" + name)) == Data("mine".utf8))
            try FileManager.default.removeItem(atPath: path + "/" + name)
            let account = await SessionAccount.of(session, .resumed(folder: path))
            #expect(account.outcome.ending == .accepted)
            let notice = account.notices.first { $0.code == .pictureMissing }
            #expect(notice?.subject == name)
            #expect(notice?.description == "\(name) is gone from the session's folder")
            let after = try SessionAccount.expectWhole(path).pictures
            #expect(after.map(\.stage) == ["one", "two", "three"] && after.first == one)
            #expect(after.dropFirst().allSatisfy { $0.number > two.number })
        }

        @Test("A folder that is moved away is not created again", .timeLimit(.minutes(5)))
        func pulled() async throws {
            let folder = try TemporaryFolder()
            // The second stage waits for the frames of its camera until the folder is moved.
            let back = try await SharedCamera(isValveOpen: false)
            var session = SessionDescription.quick("one", "two")
            (session.stages[0].camera, session.stages[1].camera) = (.front, .back)
            let account = await SessionAccount.of(
                session, .folder(in: folder.path), sources: [.front: SessionAccount.source, .back: back.source],
                onEvent: { event, _ in
                    guard case .stageDone(0) = event,
                        let name = (try? FileManager.default.contentsOfDirectory(atPath: folder.path))?.first
                    else { return }
                    rename(folder.path + "/" + name, folder.path + "/pulled")
                    try? back.setValve(isOpen: true)
                })
            try await back.stop()
            let error = try #require(account.failure)
            #expect(error.message.contains("is gone"))
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["pulled"])
        }

        @Test("An accepted session cannot be resumed")
        func over() async throws {
            let folder = try TemporaryFolder()
            let session = SessionDescription.quick("one")
            let path = try #require(await SessionAccount.of(session, .folder(in: folder.path)).outcome.folder)
            let again = await SessionAccount.of(session, .resumed(folder: path))
            let error = try #require(again.failure)
            #expect(error.description.contains("was accepted"))
            _ = try SessionAccount.expectWhole(path)
        }

        @Test("A session with other stages cannot resume a folder, and does not modify it")
        func other() async throws {
            let folder = try TemporaryFolder()
            let session = SessionDescription.quick("one", "two")
            let first = await SessionAccount.left(session, in: folder.path)
            let path = try #require(first.outcome.folder)
            let before = try SessionAccount.expectWhole(path)
            let second = await SessionAccount.of(.quick("one", "three"), .resumed(folder: path))
            let error = try #require(second.failure)
            #expect(error.code == .configuration)
            #expect(try SessionAccount.expectWhole(path) == before)
        }

        @Test("An unfinished session can be discarded, and an accepted one cannot")
        func discarded() async throws {
            let folder = try TemporaryFolder()
            let session = SessionDescription.quick("one", "two")
            let left = await SessionAccount.left(session, in: folder.path)
            try await SessionArchive.entry(at: try #require(left.outcome.folder)).discard()
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
            let done = await SessionAccount.of(session, .folder(in: folder.path))
            let path = try #require(done.outcome.folder)
            await #expect(throws: CaptureError.self) { try await SessionArchive.entry(at: path).discard() }
            _ = try SessionAccount.expectWhole(path)
        }

        @Test("Two controllers cannot run the same session at once")
        func locked() async throws {
            let folder = try TemporaryFolder()
            let session = SessionDescription.quick("one", "two")
            let first = await SessionAccount.left(session, in: folder.path)
            let path = try #require(first.outcome.folder)
            let holder = try SessionFolder.open(path)
            let second = await SessionAccount.of(session, .resumed(folder: path))
            let error = try #require(second.failure)
            #expect(error.code == .temporary)
            await holder.close()
            #expect(await SessionAccount.of(session, .resumed(folder: path)).outcome.ending == .accepted)
        }

        @Test("A closed folder is unlocked, even while a forked child still has its descriptor")
        func forked() async throws {
            let folder = try TemporaryFolder()
            let path = try #require(await SessionAccount.left(.quick("one", "two"), in: folder.path).outcome.folder)
            let holder = try SessionFolder.open(path)
            // fork(2) copies the descriptors of the folder, too; execve(2) closes the copies.
            let copies = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { name in
                (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + name)) == path
                    ? Int32(name).map { dup($0) } : nil
            }
            defer { for copy in copies { close(copy) } }
            #expect(!copies.isEmpty)
            await holder.close()
            let next = try SessionFolder.open(path)
            await next.close()
        }

        @Test("A retaken stage replaces its picture, and no other")
        func retaken() async throws {
            let folder = try TemporaryFolder()
            let account = await SessionAccount.reviewed(.quick("one", "two"), in: folder.path) { number, controller in
                if number == 1 { await controller.retake(stage: 0) } else { await controller.accept() }
            }
            #expect(account.outcome.ending == .accepted)
            let record = try SessionAccount.expectWhole(try #require(account.outcome.folder))
            let numbers = record.pictures.map(\.number)
            let reviews = account.reviews
            try #require(reviews.count == 2 && reviews[0].count == 2)
            #expect(reviews[1] == numbers && numbers.count == 2)
            #expect(numbers[1] == reviews[0][1] && numbers[0] > numbers[1])
        }

        @Test("The record lists the skipped stages")
        func skipped() async throws {
            let folder = try TemporaryFolder()
            var session = SessionDescription.quick("one", "two")
            session.stages[1].isSkippable = true
            session.nextStages = .trigger
            let account = await SessionAccount.of(session, .folder(in: folder.path)) {
                $0.isAutomatic = false
            } onEvent: {
                event, controller in
                guard case .phase(let phase) = event else { return }
                if phase.name == .ready { await controller.trigger() }
                if phase.name == .armed { await controller.skip() }
                if phase.name == .review { await controller.accept() }
            }
            #expect(account.outcome.skipped == ["two"])
            let record = try SessionAccount.expectWhole(try #require(account.outcome.folder))
            #expect(record.progress.stages.map(\.state) == [.done, .skipped])
        }

        @Test("Each stage is captured by its own camera")
        func cameras() async throws {
            var session = SessionDescription.quick("one", "two", "three")
            session.stages[0].camera = .front
            session.stages[1].camera = .back
            session.stages[2].camera = .front
            let sources: [CameraRole: String] = [
                .front: SessionAccount.source,
                .back: SessionAccount.source.replacing("320", with: "640").replacing("180", with: "360"),
            ]
            let account = await SessionAccount.of(session, sources: sources)
            #expect(account.captured.map(\.role) == [.front, .back, .front])
            #expect(account.captured.map(\.file.width) == [320, 640, 320])
        }

        @Test("A switch of the camera during a session keeps the earlier pictures")
        func switched() async throws {
            var session = SessionDescription.quick("one", "two")
            session.nextStages = .trigger
            let sources: [CameraRole: String] = [.front: SessionAccount.source, .back: SessionAccount.source]
            let account = await SessionAccount.of(session, sources: sources) {
                $0.isAutomatic = false
            } onEvent: {
                event, controller in
                guard case .phase(let phase) = event else { return }
                switch phase.name {
                case .ready: await controller.trigger()
                case .armed where phase.stage == 1:
                    let isSwitched = await controller.snapshot().role == .back
                    if isSwitched { await controller.trigger() } else { await controller.switchCamera() }
                case .review: await controller.accept()
                default: break
                }
            }
            #expect(account.captured.map(\.role) == [.front, .back])
            #expect(account.outcome.pictures.count == 2)
        }

        @Test("The session waits for a camera that fails in each stage, and no picture is lost")
        func failing() async throws {
            let folder = try TemporaryFolder()
            let camera = try await FailingCamera()
            let account = await SessionAccount.of(
                .quick("one", "two", "three", countdown: .milliseconds(400)), .folder(in: folder.path),
                sources: [.front: camera.source]
            ) {
                $0.cameras[.front]?.recovery = .always
            } onEvent: { event, _ in
                switch event {
                case .phase(let phase) where phase.name == .counting: try? await camera.fail(in: phase.stage)
                case .lost: try? await camera.restart()
                default: break
                }
            }
            try await camera.stop()
            #expect(account.outcome.ending == .accepted)
            #expect(account.events.contains { if case .lost = $0 { true } else { false } })
            let record = try SessionAccount.expectWhole(try #require(account.outcome.folder))
            #expect(record.pictures.map(\.stage) == ["one", "two", "three"])
        }

        @Test("Shake during the countdown aborts it, and the session restarts at the first stage")
        func shaken() async throws {
            let camera = try await SharedCamera()
            var session = SessionDescription.quick("one", "two")
            var gate = GateRequest(.steady)
            // On a slow machine the first frames can take long, and a timeout of the gate would abort the first stage.
            gate.limit = .seconds(250)
            session.gates = [gate]
            session.nextStages = .trigger
            // Shake ends this countdown, however slow the machine is. The second time the stage is skipped.
            (session.stages[1].countdown, session.stages[1].isSkippable) = (.seconds(200), true)
            let isAborted = Mutex(false)
            let account = await SessionAccount.of(session, sources: [.front: camera.source]) {
                $0.isAutomatic = false
            } onEvent: { event, controller in
                if case .aborted = event {
                    isAborted.withLock { $0 = true }
                    try? camera.move(by: 0)
                }
                guard case .phase(let phase) = event else { return }
                switch (phase.name, phase.stage) {
                case (.armed, 1) where isAborted.withLock(\.self): await controller.skip()
                case (.ready, _), (.armed, _): await controller.trigger()
                case (.counting, 1): try? camera.move(by: 12)
                case (.review, _): await controller.accept()
                default: break
                }
            }
            try await camera.stop()
            #expect(account.outcome.ending == .accepted)
            #expect(account.aborts.first == 1)
            // The picture of the aborted run is gone.
            #expect(account.outcome.pictures.map(\.still.stage) == ["one"])
            #expect(account.outcome.pictures.map(\.still.number) != [1])
        }

        @Test("A camera that pauses around the zero of a countdown is not lost")
        func pausing() async throws {
            let camera = try await SharedCamera()
            let session = SessionDescription.quick("one", countdown: .seconds(2))
            let account = await SessionAccount.of(session, sources: [.front: camera.source]) {
                $0.cameras[.front]?.stallLimit = .seconds(200)
            } onEvent: { event, controller in
                switch event {
                case .countdown(_, remaining: .seconds(1)):
                    try? camera.setValve(isOpen: false)
                    // Longer than before zero, so that the last frame before the pause is the nearest.
                    try? await Task.sleep(for: .milliseconds(2500))
                    try? camera.setValve(isOpen: true)
                case .lost: await controller.leave()
                default: break
                }
            }
            try await camera.stop()
            #expect(account.outcome.ending == .accepted)
            #expect(account.captured.map(\.stage) == ["one"])
            #expect(!account.events.contains { if case .lost = $0 { true } else { false } })
        }

        @Test("A missing camera ends the session, and leaves no folder")
        func noCamera() async throws {
            let folder = try TemporaryFolder()
            let account = await SessionAccount.of(
                .quick("one"), .folder(in: folder.path), sources: [.front: "v4l2src device=/dev/null"])
            #expect(account.failure != nil)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
        }

        /// A source that never delivers a frame.
        private static let broken = "v4l2src device=/dev/null"

        @Test(
            "If a camera is missing, the other camera captures the stages for any camera",
            arguments: [SessionDescription.Start.now, .trigger], [0, 1])
        func otherCamera(start: SessionDescription.Start, pages: Int) async {
            var session = SessionDescription.quick("one", "two")
            session.start = start
            session.tutorial = Array(repeating: TutorialPage("Stand there."), count: pages)
            let account = await SessionAccount.of(
                session, sources: [.front: Self.broken, .back: SessionAccount.source])
            #expect(account.outcome.ending == .accepted)
            #expect(account.captured.map(\.role) == [.back, .back])
        }

        @Test("A stage that needs the missing camera ends the session")
        func neededCamera() async {
            var session = SessionDescription.quick("one", "two")
            session.stages[1].camera = .front
            let account = await SessionAccount.of(
                session, sources: [.front: Self.broken, .back: SessionAccount.source])
            #expect(account.failure != nil)
        }

        /// A camera that is lost permanently when it is stopped, and the source that receives its frames.
        private static func mortalCamera() async throws -> (camera: Pipeline, source: String) {
            let camera = try Pipeline(
                "videotestsrc is-live=true ! video/x-raw,format=GRAY8,width=320,height=180,framerate=30/1"
                    + " ! tcpserversink name=line host=127.0.0.1 port=0 sync=false")
            try await camera.play()
            let port: Int = try camera.element(named: "line").get("current-port")
            let source =
                "tcpclientsrc host=127.0.0.1 port=\(port)"
                + " ! rawvideoparse format=gray8 width=320 height=180 framerate=30/1"
            return (camera, source)
        }

        /// Takes the first loss of a network camera for its end.
        private static func giveUp(_ configuration: inout SessionConfiguration) {
            configuration.cameras[.front]?.recovery = .off
        }

        @Test(
            "The loss of the only camera ends the session, in every role",
            arguments: [[CameraRole.back, nil], [nil, .back], [nil, .front], [.back, .front]])
        func lostAlone(roles: [CameraRole?]) async throws {
            let (camera, source) = try await Self.mortalCamera()
            var session = SessionDescription.quick("one", "two")
            for (stage, role) in roles.enumerated() { session.stages[stage].camera = role }
            // The camera is stopped before the second picture.
            session.stages[1].countdown = .seconds(200)
            let account = await SessionAccount.of(session, sources: [.front: source], Self.giveUp) { event, _ in
                if case .stageDone(0) = event { try? await camera.stop() }
            }
            #expect(account.failure != nil)
            // The picture, the supervisor and the end of the camera notice one loss.
            let losses = account.events.compactMap { if case .lost(let error, _) = $0 { error } else { nil } }
            #expect(!losses.isEmpty && Set(losses).count == losses.count, "\(losses)")
        }

        @Test("A camera that was busy at the start can be lost later, and the other camera replaces it")
        func lostAfterBusy() async throws {
            let (camera, source) = try await Self.mortalCamera()
            let hub = CameraHub()
            // This job leaves the width to the camera, so a session that requests one is refused.
            var shared = CaptureConfiguration(source: .fragment(source), output: .caller)
            // A machine that stands still for two seconds is no lost camera.
            shared.stallLimit = .seconds(300)
            shared.recovery = .off
            let other = hub.lease(shared, for: "a test")
            await other.open()
            let sources: [CameraRole: String] = [.front: source, .back: SessionAccount.source]
            let account = await SessionAccount.of(.quick("one", countdown: .seconds(200)), sources: sources, hub: hub) {
                $0.isAutomatic = false
                $0.cameras[.front]?.request.width = 320
                Self.giveUp(&$0)
            } onEvent: { event, controller in
                switch event {
                case .camera(_, .back):
                    guard await controller.snapshot().phase.name == .ready else { return await controller.leave() }
                    await other.close()
                    await controller.switchCamera()
                case .camera(_, .front): await controller.trigger()
                case .phase(let phase) where phase.name == .counting:
                    if await controller.snapshot().role == .front { try? await camera.stop() }
                default: break
                }
            }
            #expect(account.outcome.ending == .left)
            #expect(account.events.count { if case .lost = $0 { true } else { false } } == 2)
        }

        @Test("The permanent loss of the camera in the review does not prevent acceptance")
        func lostInReview() async throws {
            let (camera, source) = try await Self.mortalCamera()
            let account = await SessionAccount.of(.quick("one"), sources: [.front: source]) {
                $0.isAutomatic = false
                Self.giveUp(&$0)
            } onEvent: { event, controller in
                switch event {
                case .phase(let phase) where phase.name == .ready: await controller.trigger()
                case .phase(let phase) where phase.name == .review: try? await camera.stop()
                case .lost: await controller.accept()
                default: break
                }
            }
            #expect(account.outcome.ending == .accepted)
            #expect(account.events.contains { if case .lost = $0 { true } else { false } })
            #expect(account.outcome.pictures.count == 1)
        }
    }
}

/// A camera that stops in the first countdown of each stage, and starts again when the session has lost it.
actor FailingCamera {
    /// Delivers the camera's frames.
    nonisolated let source: String
    private var camera: SharedCamera
    private var isRunning = true
    /// The stages in which the camera has stopped.
    private var stages: Set<Int?> = []

    init() async throws {
        let camera = try await SharedCamera()
        (self.camera, source) = (camera, camera.source)
    }

    func fail(in stage: Int?) async throws {
        guard isRunning, stages.insert(stage).inserted else { return }
        try await stop()
    }

    func restart() async throws {
        guard !isRunning else { return }
        camera = try await camera.restarted()
        isRunning = true
    }

    func stop() async throws {
        guard isRunning else { return }
        isRunning = false
        try await camera.stop()
    }
}
