// Part of gst-capture. Apache License 2.0, see LICENSE.

import FrameMeasures
import Testing

@Suite("A verdict over several frames")
struct HysteresisTests {
    @Test("A verdict stands until enough consecutive frames contradict it")
    func hysteresis() {
        var hysteresis = Hysteresis(true, framesToFail: 2, framesToPass: 3)
        let answers = [false, true, false, false, true, true, false, true, true, true].map { hysteresis.add($0) }
        #expect(answers == [true, true, true, false, false, false, false, false, false, true])
    }
}
