// Part of gst-capture. Apache License 2.0, see LICENSE.

import Testing

@testable import GateKit

@Suite("The scores and findings of gates")
struct GateBoardTests {
    private static let good = GateJudgment(
        GateVerdict(gate: .steady, score: 0, threshold: 1, passes: true, hint: nil), score: 0.9)
    private static let bad = GateJudgment(
        GateVerdict(gate: .steady, score: 9, threshold: 1, passes: false, hint: .holdStill), score: 0.1)

    @Test("The usual measure scores 1/2, a measure twice as good 2/3, and scores convert back to measures")
    func scale() {
        for scale in [GateScale.light, .edges, .face] {
            #expect(scale.score(of: scale.usual) == 0.5 && scale.score(of: 0) == 0 && scale.score(of: .infinity) == 1)
            #expect(abs(scale.score(of: scale.usual * 2) - 2 / 3.0) < 1e-9)
        }
        for scale in [GateScale.motion, .shake] {
            #expect(scale.score(of: scale.usual) == 0.5 && scale.score(of: 0) == 1 && scale.score(of: .infinity) == 0)
            #expect(abs(scale.score(of: scale.usual / 2) - 2 / 3.0) < 1e-9)
        }
        for scale in [GateScale.light, .edges, .face, .motion, .shake] {
            for score in [0.1, 0.25, 0.5, 0.9] {
                #expect(abs(scale.score(of: scale.measure(of: score)) - score) < 1e-9)
            }
            for odd in [Double.nan, -1, 2, .infinity] {
                #expect((0...1).contains(scale.score(of: odd)) && !scale.measure(of: max(odd, 0)).isNaN)
            }
        }
    }

    @Test("A finding is reported only when it changes")
    func changes() {
        var board = GateBoard([GateRequest(.steady), GateRequest(.light)], generation: 4)
        let findings = [Self.good, Self.good, Self.bad, Self.bad, Self.good].map {
            board.record($0, of: .steady, by: .picture)
        }
        #expect(findings.map { $0?.holds } == [true, nil, false, nil, true])
        #expect(findings.compactMap { $0?.generation } == [4, 4, 4])
        #expect(board.record(Self.good, of: .focus, by: .picture) == nil)
        #expect(board.scores.map(\.score) == [0.9, nil] && board.scores.map(\.holds) == [true, false])
    }

    @Test("The worse of two judgments counts; one judge decides alone; without judges the gate is off")
    func judges() {
        var board = GateBoard([GateRequest(.steady)], generation: 1)
        board.expectSensor(of: .steady)
        #expect(board.record(Self.good, of: .steady, by: .picture)?.holds == true)
        let felt = board.record(Self.bad, of: .steady, by: .sensor)
        #expect(felt?.holds == false && felt?.hint == .holdStill && felt?.score.score == 0.1)
        let alone = board.excuse(.sensor, of: .steady, because: "gone")
        #expect(alone?.holds == true && alone?.reason == "gone" && alone?.isOff == false)
        let off = board.excuse(.picture, of: .steady, because: "dark")
        #expect(off?.holds == true && off?.isOff == true && off?.reason == "dark" && board.scores.first?.score == nil)
        #expect(board.record(Self.bad, of: .steady, by: .sensor)?.holds == false)
    }

    @Test("The first of several gates of a kind counts; each has the requested threshold or its usual one")
    func thresholds() {
        var strict = GateRequest(.light)
        strict.threshold = 0.7
        let board = GateBoard([strict, GateRequest(.light), GateRequest(.focus)])
        #expect(board.kinds == [.light, .focus] && board.scores.map(\.threshold) == [0.7, 0.6])
    }
}
