// Part of gst-capture. Apache License 2.0, see LICENSE.

import Testing

@testable import CaptureKit

@Suite("A session to which a million things happen")
struct SessionWalkTests {
    @Test(
        "never counts twice, never takes a picture that nobody waits for, loses none, and can always be cancelled",
        arguments: [UInt64(1), 2, 3, 4])
    func walk(seed: UInt64) throws {
        var walk = try SessionWalk(seed: seed)
        try walk.go(250_000)
        #expect(walk.faults == [])
        #expect(walk.pictures > 5000)
        #expect(walk.visits.count == 12 && walk.visits.values.allSatisfy { $0 > 100 }, "\(walk.visits)")
    }

    @Test("is cancelled from wherever it is")
    func cancel() throws {
        for seed in 0..<500 {
            var walk = try SessionWalk(seed: UInt64(seed))
            try walk.go(seed % 100)
            walk.cancel()
            #expect(walk.faults == [])
        }
    }

    @Test("keeps the rules in every short sequence of events", arguments: SessionDescription.AbortPolicy.allCases)
    func exhaustive(policy: SessionDescription.AbortPolicy) {
        var session = SessionDescription(name: "walk", stages: ["one", "two"].map { SessionStage(name: $0) })
        session.start = .now
        session.abort = policy
        session.stages[0].isSkippable = true
        session.stages[0].gates = [GateRequest(.steady, .abort)]
        session.stages[1].camera = .front
        session.countdown = .seconds(1)
        let plan = SessionMachine.Plan(hasSeveralCameras: true, knowsTutorial: true, showing: .seconds(1))
        var count = 0
        #expect(SessionWalk(session, plan).firstFault(within: 4, &count) == nil)
        #expect(count > 10_000)
    }
}
