// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureTestSupport
import Foundation
import FrameMeasures
import OverlayRaster
import Synchronization
import Testing

@testable import CaptureKit
@testable import SessionKit
@testable import SessionModel

/// A session that ran on a test scene: its outcome and its events.
struct SessionAccount: Sendable {
    let outcome: SessionOutcome
    let events: [SessionEvent]

    /// Thirty small frames a second, as from a camera.
    static let source = "videotestsrc is-live=true ! video/x-raw,width=320,height=180,framerate=30/1"

    /// Runs a session to its end. If the time limit of the test ends it, the test fails with the last events.
    ///
    /// - Parameter onEvent: Called with each event.
    static func of(
        _ session: SessionDescription, _ output: SessionConfiguration.Output = .caller,
        sources: [CameraRole: String] = [.front: source], hub: CameraHub? = nil,
        _ change: (inout SessionConfiguration) -> Void = { _ in },
        onEvent: @escaping @Sendable (SessionEvent, SessionController) async -> Void = { _, _ in }
    ) async -> SessionAccount {
        let controller = controller(session, output, sources: sources, hub: hub, change)
        async let outcome = controller.run()
        var events: [SessionEvent] = []
        for await event in controller.events {
            events.append(event)
            await onEvent(event, controller)
        }
        reportCut(events.map { "\($0)" })
        return SessionAccount(outcome: await outcome, events: events)
    }

    /// Returns a controller for such a session.
    static func controller(
        _ session: SessionDescription, _ output: SessionConfiguration.Output = .caller,
        sources: [CameraRole: String] = [.front: source], hub: CameraHub? = nil,
        _ change: (inout SessionConfiguration) -> Void = { _ in }
    ) -> SessionController {
        let cameras = sources.mapValues { source in
            var camera = CaptureConfiguration(source: .fragment(source), output: .caller)
            camera.settle = .off
            // A machine that stands still for two seconds is no lost camera.
            camera.stallLimit = .seconds(300)
            return camera
        }
        var configuration = SessionConfiguration(cameras: cameras, output: output)
        configuration.isAutomatic = true
        change(&configuration)
        return SessionController(session, configuration, hub: hub, rasterizer: CairoRasterizer())
    }

    /// Runs a session until a stage is done, and leaves it there.
    static func left(_ session: SessionDescription, in folder: String, after stage: Int = 0) async -> SessionAccount {
        var session = session
        // No stage begins by itself, however late the session is left.
        session.nextStages = .trigger
        return await of(session, .folder(in: folder)) {
            $0.isAutomatic = false
        } onEvent: { event, controller in
            switch event {
            case .phase(let phase) where phase.name == .ready: await controller.trigger()
            case .phase(let phase) where phase.name == .armed && phase.stage ?? 0 <= stage: await controller.trigger()
            case .stageDone(stage): await controller.leave()
            default: break
            }
        }
    }

    /// Runs a session that is stored in a folder, triggers each of its stages, and calls `review` in each review with
    /// the number of the review, from 1.
    static func reviewed(
        _ session: SessionDescription, in folder: String,
        _ review: @escaping @Sendable (_ number: Int, SessionController) async -> Void
    ) async -> SessionAccount {
        let count = Mutex(0)
        return await of(session, .folder(in: folder)) {
            $0.isAutomatic = false
        } onEvent: { event, controller in
            switch event {
            case .phase(let phase) where phase.name == .ready: await controller.trigger()
            case .review:
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                await review(number, controller)
            default: break
            }
        }
    }

    /// The error that ended the session; `nil` if it ended otherwise.
    var failure: CaptureError? { if case .failed(let error) = outcome.ending { error } else { nil } }

    /// The pictures that were reported as durable.
    var captured: [SessionStill] { events.compactMap { if case .captured(let still, _) = $0 { still } else { nil } } }

    /// The numbers of the pictures in each review.
    var reviews: [[Int]] {
        events.compactMap { if case .review(let stills) = $0 { stills.map(\.number) } else { nil } }
    }

    /// The phases of the session, in order.
    var phases: [SessionPhase.Name] { events.compactMap { if case .phase(let phase) = $0 { phase.name } else { nil } } }

    /// The notices, in order.
    var notices: [Notice] { events.compactMap { if case .notice(let notice) = $0 { notice } else { nil } } }

    /// The stages in which the run was aborted.
    var aborts: [Int] { events.compactMap { if case .aborted(let stage, _, _) = $0 { stage } else { nil } } }

    /// The paths of the pictures in a session's folder, in order. The numbers in their names have gaps if the camera was
    /// lost during a picture.
    static func paths(in folder: String) throws -> [String] {
        try expectWhole(folder).pictures.map { folder + "/" + $0.file.name }
    }

    /// Checks that a folder has the files of its record, byte for byte, and no other picture.
    static func expectWhole(_ folder: String) throws -> SessionRecord {
        let record = try SessionRecord(path: folder + "/" + SessionRecord.fileName)
        let files = record.stills.values.flatMap(\.files)
        for file in files {
            let bytes = try [UInt8](Data(contentsOf: URL(filePath: folder + "/" + file.name)))
            #expect(bytes.count == file.byteCount)
            #expect(SessionFileRecord(name: file.name, bytes, width: 1, height: 1).sha256 == file.sha256)
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        let known = Set(files.map(\.name) + [SessionRecord.fileName, "session.yaml"])
        #expect(names.filter { !known.contains($0) }.isEmpty)
        return record
    }
}

extension SessionDescription {
    /// A session whose stages have these names and follow each other quickly.
    static func quick(_ names: String..., countdown: Duration = .milliseconds(100)) -> SessionDescription {
        var session = SessionDescription(name: "quick", stages: names.map { SessionStage(name: $0) })
        session.countdown = countdown
        return session
    }
}
