// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureTestSupport
import Testing

@testable import SessionKit
@testable import SessionModel

@Suite("A session whose task is canceled", .timeLimit(.minutes(5)))
struct SessionCancellationTests {
    @Test(arguments: 0..<12 as Range<UInt64>)
    func `A session that is canceled at any point keeps all pictures that it reported`(seed: UInt64) async throws {
        var random = SplitMix(seed)
        let (event, turns) = (Int.random(in: 0..<24, using: &random), Int.random(in: 0..<40, using: &random))
        let folder = try TemporaryFolder()
        let controller = SessionAccount.controller(.quick("front", "side", "face"), .folder(in: folder.path))

        let running = Task { await controller.run() }
        if event == 0 { running.cancel() }
        var events: [SessionEvent] = []
        for await next in controller.events {
            events.append(next)
            guard events.count == event else { continue }
            for _ in 0..<turns { await Task.yield() }
            running.cancel()
        }

        let outcome = await running.value
        // The cancellation can come after the session was accepted.
        #expect(outcome.ending == .left || outcome.ending == .accepted)
        guard let path = outcome.folder else { return }
        let record = try SessionAccount.expectWhole(path)
        let account = SessionAccount(outcome: outcome, events: events)
        #expect(record.pictures.map(\.file) == account.captured.map(\.file))
    }
}
