// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit
import Testing

@testable import CaptureKit

@Suite("A supervised camera", .timeLimit(.minutes(5)))
struct SupervisedCameraTests {
    private static let small = "videotestsrc is-live=true ! video/x-raw,format=GRAY8,width=16,height=16,framerate=30/1"

    private static func configuration(_ source: String = small, settle: Settle = .off) -> CaptureConfiguration {
        var configuration = CaptureConfiguration(source: .fragment(source), output: .caller)
        configuration.settle = settle
        configuration.schedule = .onRequest()
        return configuration
    }

    /// Waits for the first event that `isWanted` accepts, or that ends the camera.
    private static func next(
        _ events: inout AsyncStream<SupervisedCamera.Happening>.Iterator,
        where isWanted: (SupervisedCamera.Happening) -> Bool
    ) async -> SupervisedCamera.Happening? {
        while let event = await events.next() {
            if case .gone = event { return event }
            if isWanted(event) { return event }
        }
        return nil
    }

    @Test("A camera that is closed while it settles can be opened again")
    func restsWhileOpening() async throws {
        let camera = SupervisedCamera(Self.configuration(settle: .fixed(.seconds(600))), preview: nil)
        var events = camera.happenings.makeAsyncIterator()
        await camera.open()
        for _ in 0..<3 {
            let met = await Self.next(&events) { if case .meeting = $0 { true } else { false } }
            guard case .meeting = met else { return #expect(Bool(false), "\(String(describing: met))") }
            await camera.rest()
            await camera.open()
        }
        let met = await Self.next(&events) { if case .meeting = $0 { true } else { false } }
        if case .gone(let error) = met { #expect(Bool(false), "gave up: \(error)") }
        await camera.close()
    }
}
