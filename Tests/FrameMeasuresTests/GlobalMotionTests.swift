// Part of gst-capture. Apache License 2.0, see LICENSE.

import Testing

@testable import FrameMeasures

@Suite("The motion of a whole picture")
struct GlobalMotionTests {
    @Test("Motion all over the picture is the camera's, and motion beside still parts of it is not")
    func evidence() {
        var (whole, border, middle) = (BlockSpread(), BlockSpread(), BlockSpread())
        for column in 0..<9 {
            for row in 0..<5 {
                whole.add(column: column, row: row)
                if column < 2 || column > 6 {
                    border.add(column: column, row: row)
                } else {
                    middle.add(column: column, row: row)
                }
            }
        }
        var motion = GlobalMotion(
            x: 12, y: 0, blocks: 45, agreeing: 20, going: border, staying: BlockSpread(), whole: whole)
        #expect(motion.evidence == .strong)
        (motion.going, motion.staying) = (middle, border)
        #expect(motion.evidence == .none)
        (motion.agreeing, motion.staying) = (40, BlockSpread())
        #expect(motion.evidence == .weak)
        motion.agreeing = 5
        #expect(motion.evidence == .none)
    }
}
