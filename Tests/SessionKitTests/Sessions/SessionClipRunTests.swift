// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Foundation
import PipelineKit
import StillKit
import Testing

@testable import CaptureKit
@testable import CropKit
@testable import SessionKit
@testable import SessionModel
@testable import VideoKit

extension LiveFrames {
    @Suite("The clips of a session", .timeLimit(.minutes(5)))
    struct SessionClipRunTests {
        private let folder: TemporaryFolder

        init() throws { folder = try TemporaryFolder() }

        /// A session with a picture and a clip.
        private static func session(_ length: Duration = .seconds(1)) -> SessionDescription {
            var session = SessionDescription.quick("one", "hello")
            session.stages[1].clip = length
            return session
        }

        /// A machine without encoders.
        private static var noEncoders: EncoderCatalog {
            EncoderCatalog([.openH264]) { _ in .notInstalled(package: "gstreamer1.0-plugins-bad") }
        }

        /// Makes H.264 of the frames of a source, as some cameras do.
        private static let encoding =
            " ! openh264enc complexity=low gop-size=5 ! h264parse ! video/x-h264,stream-format=avc,alignment=au"

        /// Runs a session of a folder, and triggers each of its phases that wait for a trigger.
        private func run(
            _ session: SessionDescription, _ change: (inout SessionConfiguration) -> Void = { _ in },
            onEvent: @escaping @Sendable (SessionEvent, SessionController) async -> Void
        ) async -> SessionAccount {
            await SessionAccount.of(session, .folder(in: folder.path)) {
                $0.isAutomatic = false
                change(&$0)
            } onEvent: { event, controller in
                await onEvent(event, controller)
                guard case .phase(let phase) = event else { return }
                if [.ready, .armed].contains(phase.name) { await controller.trigger() }
                if phase.name == .review { await controller.accept() }
            }
        }

        private func names(_ path: String) throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: path).sorted()
        }

        @Test("A clip is stored, listed and reported like a picture, with its duration and its first picture")
        func recorded() async throws {
            let session = Self.session()
            let account = await SessionAccount.of(session, .folder(in: folder.path))
            #expect(account.outcome.ending == .accepted)
            let path = try #require(account.outcome.folder)
            let record = try SessionAccount.expectWhole(path)
            #expect(record.pictures.map(\.files) == account.captured.map(\.files))
            #expect(record.pictures.map(\.file.name) == ["one-001.jpg", "hello-002.mp4"])
            let clip = try #require(record.pictures.last)
            #expect(clip.isClip && clip.role == .front && clip.camera == "source" && clip.taken != nil)
            #expect(clip.poster?.name == "hello-002.jpg" && clip.outline == nil && clip.offset != nil)
            #expect((clip.file.width, clip.file.height) == (320, 180) && clip.duration ?? .zero > .zero)
            let report = try ClipFile.finalize(path + "/hello-002.mp4")
            #expect(report.wasOrdinary && report.tracks.count == 1 && report.duration == clip.duration)
            for file in clip.files {
                let mode = try FileManager.default.attributesOfItem(atPath: path + "/" + file.name)[.posixPermissions]
                #expect(mode as? Int == 0o600)
            }
            let times = account.events.compactMap { event in
                if case .recording(1, let remaining) = event { remaining } else { nil }
            }
            #expect(times.first == .seconds(1))
            #expect(account.phases.filter { $0 == .recording }.count == 1)
            let done = account.events.map { $0.json(of: session).text }.filter { $0.contains(#""captured""#) }
            #expect(done.count == 2 && done[1].contains(#""duration_ms":"#))
        }

        @Test("The first picture of a white clip is white: its levels are those of a JPEG")
        func levels() async throws {
            let account = await SessionAccount.of(
                Self.session(.milliseconds(500)),
                sources: [
                    .front: "videotestsrc is-live=true pattern=white ! video/x-raw,width=320,height=180,framerate=30/1"
                ])
            let poster = try #require(account.outcome.pictures.last?.poster)
            let luma = try await StillCoding.pixels(of: poster, .jpeg).luma
            #expect(luma.samples.allSatisfy { $0 > 250 }, "\(luma.samples.first ?? 0)")
        }

        @Test("A trigger ends a clip early, and the clip is kept")
        func early() async throws {
            let account = await run(Self.session(.seconds(600))) { event, controller in
                if case .recording = event { await controller.trigger() }
            }
            #expect(account.outcome.ending == .accepted)
            let record = try SessionAccount.expectWhole(try #require(account.outcome.folder))
            #expect(record.pictures.last?.duration ?? .seconds(600) < .seconds(600))
        }

        @Test("A clip has sound if its stage asks for it, and the microphone of the run is used")
        func sound() async throws {
            var session = Self.session()
            session.stages[1].microphone = .automatic
            let account = await SessionAccount.of(session, .folder(in: folder.path)) {
                $0.microphone = .elements("audiotestsrc is-live=true")
            }
            let path = try #require(account.outcome.folder)
            #expect(try ClipFile.finalize(path + "/hello-002.mp4").tracks.count == 2)
            #expect(account.notices.isEmpty, "\(account.notices)")
        }

        @Test("A clip has the size that its stage asks for")
        func size() async throws {
            var session = Self.session(.milliseconds(500))
            session.stages[1].video.width = 160
            let account = await SessionAccount.of(session, .folder(in: folder.path))
            let record = try SessionAccount.expectWhole(try #require(account.outcome.folder))
            #expect(record.pictures.map(\.file.width) == [320, 160] && record.pictures.last?.file.height == 90)
        }

        @Test("Events say when a clip is recorded, and how long its microphone is on")
        func recorder() async throws {
            var session = Self.session()
            session.stages[1].microphone = .automatic
            let account = await SessionAccount.of(session, .folder(in: folder.path)) {
                $0.microphone = .elements("audiotestsrc is-live=true")
            }
            let states = account.events.compactMap { event in
                if case .recorder(let state, .front) = event { state } else { nil }
            }
            #expect(states.map(\.isOn) == [false, true, false, false], "\(states)")
            #expect(states.map { $0.microphone != nil } == [true, true, true, false], "\(states)")
        }

        @Test("A retake replaces the clip and its first picture")
        func retake() async throws {
            let account = await SessionAccount.reviewed(Self.session(), in: folder.path) { number, controller in
                if number == 1 { await controller.retake(stage: 1) } else { await controller.accept() }
            }
            #expect(account.reviews == [[1, 2], [1, 3]])
            let path = try #require(account.outcome.folder)
            _ = try SessionAccount.expectWhole(path)
            #expect(try names(path).filter { $0.hasPrefix("hello") } == ["hello-003.jpg", "hello-003.mp4"])
        }

        @Test("An abort during a clip discards it, and the stage records another one")
        func abort() async throws {
            var session = Self.session(.seconds(600))
            session.abort = .retakeStage
            let account = await run(session) { event, controller in
                guard case .recording = event else { return }
                if await controller.progress.nextPicture == 3 {
                    await controller.abort()
                } else {
                    await controller.trigger()
                }
            }
            #expect(account.outcome.ending == .accepted && account.aborts == [1])
            let path = try #require(account.outcome.folder)
            _ = try SessionAccount.expectWhole(path)
            #expect(try names(path).filter { $0.hasSuffix(".mp4") } == ["hello-003.mp4"])
        }

        @Test("A session canceled during a clip leaves no files")
        func cancel() async throws {
            let account = await run(Self.session(.seconds(600))) { event, controller in
                if case .recording = event { await controller.cancel() }
            }
            #expect(account.outcome.ending == .cancelled)
            #expect(try names(folder.path).isEmpty)
        }

        @Test("A session left during a clip discards it, and resumes at its stage")
        func left() async throws {
            let session = Self.session(.seconds(600))
            let account = await run(session) { event, controller in
                if case .recording = event { await controller.leave() }
            }
            #expect(account.outcome.ending == .left)
            let path = try #require(account.outcome.folder)
            #expect(try SessionAccount.expectWhole(path).pictures.map(\.stage) == ["one"])
            var short = session
            short.stages[1].clip = .milliseconds(500)
            let resumed = await SessionAccount.of(short, .resumed(folder: path))
            #expect(resumed.outcome.ending == .accepted)
            #expect(try SessionAccount.expectWhole(path).pictures.map(\.file.name) == ["one-001.jpg", "hello-003.mp4"])
        }

        @Test(
            "A clip whose first picture is missing is resumed without it; one whose file is missing is recorded again")
        func missing() async throws {
            var session = Self.session(.milliseconds(500))
            session.stages.append(SessionStage(name: "last"))
            let path = try #require(await SessionAccount.left(session, in: folder.path, after: 1).outcome.folder)
            try FileManager.default.removeItem(atPath: path + "/hello-002.jpg")
            let again = await SessionAccount.of(session, .resumed(folder: path)) {
                $0.isAutomatic = false
            } onEvent: {
                event, controller in
                if case .phase(let phase) = event, phase.name == .ready || phase.name == .armed {
                    await controller.leave()
                }
            }
            #expect(again.notices.map(\.code) == [.pictureMissing])
            #expect(try SessionRecord(path: path + "/session.json").pictures.map(\.number) == [1, 2])
            try FileManager.default.removeItem(atPath: path + "/hello-002.mp4")
            let resumed = await SessionAccount.of(session, .resumed(folder: path))
            #expect(resumed.outcome.ending == .accepted)
            let record = try SessionAccount.expectWhole(path)
            #expect(record.pictures.map(\.stage) == ["one", "hello", "last"] && record.pictures[1].number > 2)
        }

        @Test("A full disk fails the clip with one line, leaves no file of it, and the stage can be tried again")
        func fullDisk() async throws {
            var session = Self.session(.seconds(600))
            session.stages.removeFirst()
            let account = await run(session) {
                // No disk has as much. session.json is stored all the same.
                $0.storage.limits.keepFree = .bytes(1 << 60)
            } onEvent: { event, controller in
                if case .failed = event { await controller.leave() }
            }
            let failures = account.events.compactMap { if case .failed(0, let error) = $0 { error } else { nil } }
            #expect(failures.count == 1 && failures.first?.systemError == ENOSPC)
            #expect(account.phases.contains(.armed) && !account.phases.contains(.recording))
        }

        @Test("A camera that is lost during a clip discards it, and the stage counts down again when it is back")
        func lost() async throws {
            let camera = try await FailingCamera()
            let account = await SessionAccount.of(
                Self.session(.milliseconds(1500)), .folder(in: folder.path), sources: [.front: camera.source]
            ) {
                $0.cameras[.front]?.recovery = .always
            } onEvent: { event, _ in
                switch event {
                case .phase(let phase) where phase.name == .recording: try? await camera.fail(in: phase.stage)
                case .lost: try? await camera.restart()
                default: break
                }
            }
            try await camera.stop()
            #expect(account.outcome.ending == .accepted)
            #expect(account.events.contains { if case .lost = $0 { true } else { false } })
            let path = try #require(account.outcome.folder)
            let record = try SessionAccount.expectWhole(path)
            #expect(record.pictures.map(\.stage) == ["one", "hello"] && record.pictures.last?.number ?? 0 > 2)
        }

        @Test("Without an encoder the session does not begin, and the error names the package")
        func noEncoder() async throws {
            let account = await SessionAccount.of(Self.session(), .folder(in: folder.path)) {
                $0.encoders = Self.noEncoders
            }
            let error = try #require(account.failure)
            #expect(error.code == .configuration && error.advice?.contains("install gstreamer1.0-plugins-bad") == true)
            #expect(account.phases.isEmpty && account.captured.isEmpty)
            #expect(try names(folder.path).isEmpty)
        }

        @Test("A camera that sends H.264 needs no encoder: its pictures are stored as they come")
        func encodedByCamera() async throws {
            var session = Self.session(.milliseconds(500))
            session.stages.removeFirst()
            for encoder in [EncoderCatalog.Choice.automatic, .only(.camera)] {
                session.stages[0].video.encoder = encoder
                let account = await SessionAccount.of(
                    session, .folder(in: folder.path), sources: [.front: SessionAccount.source + Self.encoding]
                ) { $0.encoders = Self.noEncoders }
                #expect(account.outcome.ending == .accepted, "\(account.events)")
                let record = try SessionAccount.expectWhole(try #require(account.outcome.folder))
                #expect(record.pictures.last?.duration ?? .zero > .zero && record.pictures.last?.file.width == 320)
            }
        }

        @Test("A stage that asks for the camera's H.264 does not begin with a camera that sends other frames")
        func notEncodedByCamera() async throws {
            var session = Self.session()
            session.stages[1].video.encoder = .only(.camera)
            let account = await SessionAccount.of(session, .folder(in: folder.path))
            #expect(account.failure?.message == "the camera does not deliver H.264" && account.phases.isEmpty)
        }

        @Test("A session with clips needs a camera, and takes none of them from a library")
        func noCamera() async throws {
            let bare = await SessionAccount.of(Self.session(), sources: [:])
            #expect(bare.failure?.description == "hello: its clip needs a camera; connect a camera, and name it")
            let library = await SessionAccount.of(Self.session()) { $0.library = ["a.jpg"] }
            #expect(library.failure?.code == .usage)
        }

        @Test("The caller gets a clip with its first picture")
        func caller() async throws {
            let account = await SessionAccount.of(Self.session(.milliseconds(500)))
            let clip = try #require(account.outcome.pictures.last)
            #expect(clip.bytes?.count == clip.still.file.byteCount && clip.crop == nil)
            #expect(clip.poster?.count == clip.still.poster?.byteCount)
        }
    }
}
