// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Foundation
import StillKit
import Testing

@testable import CaptureKit
@testable import SessionKit
@testable import SessionModel

/// The number of sessions is 8 for each format and interval, or 200 by `HUB_JOBS=200`. `HUB_SEED` repeats the sessions
/// of a failed run.
@Suite("A series beside sessions on its camera")
struct ConcurrentSessionsTests {
    private static let variables = ProcessInfo.processInfo.environment
    private static let count = variables["HUB_JOBS"].flatMap { Int($0) } ?? 8
    private static let seed = variables["HUB_SEED"].flatMap { UInt64($0) } ?? .random(in: 0..<1_000_000)

    @Test(
        "The series keeps every slot, and stores the camera's bytes, while sessions come and go",
        .timeLimit(.minutes(count > 20 ? 60 : 10)), arguments: [StillFormat.raw, .jpeg], [nil, Duration.seconds(1)])
    func series(format: StillFormat, interval: Duration?) async throws {
        let (camera, hub) = (try await RepeatingCamera(format), CameraHub())
        let undisturbed = UndisturbedSeries(of: camera, interval, "HUB_SEED=\(Self.seed)")
        try await undisturbed.run(on: hub) { _, _ in
            var (random, left) = (SplitMix(Self.seed), Self.count)
            while left > 0 {
                let count = Int.random(in: 1...min(3, left), using: &random)
                let visits = (0..<count).map { _ in SessionVisit(using: &random) }
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for visit in visits { group.addTask { try await visit.run(on: hub, camera, seed: Self.seed) } }
                    try await group.waitForAll()
                }
                left -= count
            }
        }
    }
}

/// A session without a user that runs beside the series, and a request that it gets at a random point.
private struct SessionVisit: Sendable {
    enum Request: CaseIterable {
        case none, accept, abort, retake, switchCamera, cancel, leave
        /// The task that runs the session is canceled.
        case cancellation
    }

    let request: Request
    /// The request follows this event, after other tasks had as many turns.
    let event: Int, turns: Int
    let stages: Int
    let bestOf: Int
    let isMirrored: Bool

    init(using random: inout SplitMix) {
        request = Request.allCases[Int.random(in: 0..<Request.allCases.count, using: &random)]
        (event, turns) = (.random(in: 0..<24, using: &random), .random(in: 0..<40, using: &random))
        (stages, bestOf) = (.random(in: 1...3, using: &random), .random(in: 1...3, using: &random))
        isMirrored = .random(using: &random)
    }

    func run(on hub: CameraHub, _ camera: RepeatingCamera, seed: UInt64) async throws {
        var session = SessionDescription.quick("one", "two", "three")
        session.stages.removeLast(3 - stages)
        for index in session.stages.indices { session.stages[index].bestOf = bestOf }
        let controller = SessionAccount.controller(session, hub: hub) {
            $0.cameras = [.front: camera.configuration, .back: camera.configuration]
            $0.preview.isMirrored = isMirrored
        }
        let running = Task { await controller.run() }
        var events: [SessionEvent] = []
        for await next in controller.events {
            events.append(next)
            guard events.count == event + 1 else { continue }
            for _ in 0..<turns { await Task.yield() }
            await make(request, of: controller, running)
        }
        try expect(SessionAccount(outcome: await running.value, events: events), camera, "\(self), HUB_SEED=\(seed)")
    }

    private func make(
        _ request: Request, of controller: SessionController, _ running: Task<SessionOutcome, Never>
    ) async {
        switch request {
        case .none: break
        case .accept: await controller.accept()
        case .abort: await controller.abort()
        case .retake: await controller.retake(stage: 0)
        case .switchCamera: await controller.switchCamera()
        case .cancel: await controller.cancel()
        case .leave: await controller.leave()
        case .cancellation: running.cancel()
        }
    }

    /// Checks how the session ended, and that its pictures contain the bytes of the camera's frames.
    private func expect(_ account: SessionAccount, _ camera: RepeatingCamera, _ details: Comment) throws {
        let (ending, pictures) = (account.outcome.ending, account.outcome.pictures)
        // The request can come after the session was accepted.
        let endings: [SessionOutcome.Ending] =
            switch request {
            case .cancel: [.cancelled, .accepted]
            case .leave, .cancellation: [.left, .accepted]
            default: [.accepted]
            }
        #expect(endings.contains(ending), details)
        if ending == .accepted { #expect(pictures.count == stages, details) }
        if ending == .cancelled { #expect(pictures.isEmpty, details) }
        #expect(account.notices.isEmpty && account.failure == nil, details)
        #expect(!account.events.contains { if case .lost = $0 { true } else { false } }, details)
        // A raw frame is encoded, and not stored as it is.
        guard camera.format == .jpeg else { return }
        #expect(try pictures.allSatisfy { try camera.hasServed($0.bytes ?? []) }, details)
    }
}
