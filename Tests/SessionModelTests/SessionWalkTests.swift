// Part of gst-capture. Apache License 2.0, see LICENSE.

import Testing

@testable import SessionModel

@Suite("The session machine under a million random events")
struct SessionWalkTests {
    @Test(
        "No countdown runs twice, no picture is unrequested or lost, and cancel always ends the session",
        arguments: [UInt64(1), 2, 3, 4])
    func walk(seed: UInt64) throws {
        var walk = try SessionWalk(seed: seed)
        try walk.go(250_000)
        #expect(walk.faults == [])
        #expect(walk.pictures > 4500)
        #expect(walk.visits.count == 13 && walk.visits.values.allSatisfy { $0 > 100 }, "\(walk.visits)")
    }

    @Test("A session is canceled from any state")
    func cancel() throws {
        for seed in 0..<500 {
            var walk = try SessionWalk(seed: UInt64(seed))
            try walk.go(seed % 100)
            walk.cancel()
            #expect(walk.faults == [])
        }
    }

    @Test("Every short sequence of events keeps the rules", arguments: SessionDescription.AbortPolicy.allCases)
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
