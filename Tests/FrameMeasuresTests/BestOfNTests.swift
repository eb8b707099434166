// Part of gst-capture. Apache License 2.0, see LICENSE.

import FrameMeasures
import SystemBase
import Testing

@Suite("The best of several frames")
struct BestOfNTests {
    @Test("The sharpest frame around a moment is chosen, with its offset")
    func best() throws {
        let best = BestOfN(moment: Self.time(1000), reach: .milliseconds(100))
        let frames = [(860, 999.0), (920, 50), (960, 80), (1000, 70), (1040, 40)]
        let choice = try #require(best.choose(of: frames.map(Self.candidate)))
        #expect(choice == BestOfN.Choice(index: 2, offset: .milliseconds(-40), sharpness: 80))
    }

    @Test("The nearest of equally sharp frames is chosen, and the earlier of two that are equally near")
    func ties() {
        let best = BestOfN(moment: Self.time(1000), reach: .milliseconds(100))
        #expect(best.choose(of: [(920, 80.5), (990, 80), (1005, 80), (1040, 81)].map(Self.candidate))?.index == 2)
        #expect(best.choose(of: [(990, 80), (1010, 80)].map(Self.candidate))?.index == 0)
        #expect(best.choose(of: [(1010, 80), (990, 80)].map(Self.candidate))?.index == 1)
    }

    @Test("If no frame is near the moment, the nearest is chosen, and without frames none is")
    func farOff() {
        let best = BestOfN(moment: Self.time(1000), reach: .milliseconds(10))
        #expect(best.choose(of: [(500, 90), (1200, 10)].map(Self.candidate))?.index == 1)
        #expect(best.choose(of: []) == nil)
        #expect(best.choose(of: [(1000, .nan), (1001, 3)].map(Self.candidate))?.index == 1)
    }

    private static func candidate(_ milliseconds: Int, _ sharpness: Double) -> BestOfN.Candidate {
        BestOfN.Candidate(time: time(milliseconds), sharpness: sharpness)
    }

    private static func time(_ milliseconds: Int) -> ClockTime { .zero + .milliseconds(milliseconds) }
}
