// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureTestSupport
import Foundation
import SessionKit
import Synchronization
import Testing

extension LiveFrames {
    @Suite("Library pictures of a session", .timeLimit(.minutes(5)))
    struct SessionLibraryPictureTests {
        /// The paths of two pictures.
        private static func album(_ folder: TemporaryFolder) async throws -> [String] {
            let path = try #require(
                await SessionAccount.left(.quick("a", "b"), in: folder.path, after: 1).outcome.folder)
            return try SessionAccount.paths(in: path)
        }

        @Test("An aborted stage gets the same library pictures again")
        func aborted() async throws {
            let folder = try TemporaryFolder()
            defer { withExtendedLifetime(folder) {} }
            let album = try await Self.album(folder)
            var session = SessionDescription.quick("one", "two", countdown: .seconds(60))
            (session.abort, session.nextStages) = (.retakeStage, .trigger)
            session.stages[0].pictures = 2
            let rounds = Mutex(0)
            let account = await SessionAccount.of(session) {
                ($0.library, $0.isAutomatic) = (album, false)
            } onEvent: { event, controller in
                switch event {
                case .phase(let phase) where phase.name == .ready: await controller.trigger()
                // The first countdown is aborted before a picture is brought in.
                case .phase(let phase) where phase.name == .counting: await controller.abort()
                case .phase(let phase) where phase.name == .armed && phase.stage == 0:
                    let round = rounds.withLock { rounds in
                        rounds += 1
                        return rounds
                    }
                    // The first picture is aborted with its stage, before the second one is brought in.
                    if round == 2 { await controller.abort() }
                    await controller.bring()
                case .captured(let still, _) where still.number == 3: await controller.leave()
                case .failed: await controller.cancel()
                default: break
                }
            }
            #expect(account.captured.map(\.source) == [album[0], album[0], album[1]])
        }

        @Test("A retake gets the former library picture again if there is no other")
        func retaken() async throws {
            let folder = try TemporaryFolder()
            defer { withExtendedLifetime(folder) {} }
            let album = try await Self.album(folder)
            var session = SessionDescription.quick("one", "two", countdown: .seconds(60))
            (session.stages[0].camera, session.stages[1].camera) = (.back, .front)
            let source = "videotestsrc is-live=true ! video/x-raw,width=320,height=180,framerate=30/1"
            let account = await SessionAccount.of(session, sources: [.back: source, .front: source]) {
                ($0.library, $0.isAutomatic) = (album, false)
                // The cameras never become ready: each stage waits for a picture of the library.
                $0.cameras[.front]?.settle = .fixed(.seconds(600))
                $0.cameras[.back]?.settle = .fixed(.seconds(600))
            } onEvent: { event, controller in
                switch event {
                case .phase(let phase) where phase.name == .ready: await controller.trigger()
                case .phase(let phase) where phase.name == .switching: await controller.bring()
                case .review(let stills) where stills.map(\.number) == [1, 2]: await controller.retake(stage: 0)
                case .review: await controller.accept()
                case .failed: await controller.cancel()
                default: break
                }
            }
            #expect(account.outcome.pictures.map(\.still.source) == album)
            #expect(account.outcome.pictures.map(\.still.number) == [3, 2])
        }

        @Test("A library picture that failed is retried before the next one")
        func failed() async throws {
            let folder = try TemporaryFolder()
            let album = try await Self.album(folder)
            let first = folder.path + "/first.jpg"
            var session = SessionDescription.quick("one", "two", countdown: .seconds(60))
            (session.abort, session.nextStages) = (.retakeStage, .trigger)
            let account = await SessionAccount.of(session) {
                ($0.library, $0.isAutomatic) = ([first, album[1]], false)
            } onEvent: { event, controller in
                switch event {
                case .phase(let phase) where phase.name == .ready: await controller.trigger()
                case .phase(let phase) where phase.name == .counting: await controller.abort()
                case .phase(let phase) where phase.name == .armed: await controller.bring()
                case .failed: try? FileManager.default.copyItem(atPath: album[0], toPath: first)
                case .review: await controller.accept()
                default: break
                }
            }
            #expect(account.outcome.pictures.map(\.still.source) == [first, album[1]])
        }
    }
}
