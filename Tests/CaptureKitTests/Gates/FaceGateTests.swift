// Part of gst-capture. Apache License 2.0, see LICENSE.

import Testing

@testable import CaptureKit
@testable import PipelineKit

@Suite("A face before the camera")
struct FaceGateTests {
    @Test("no face asks to look here, a small one to come closer, a large one passes, after some frames")
    func faces() {
        for (widths, hint) in [([], GateHint.faceTheCamera), ([40], .closer), ([40, 200], nil)]
            as [([UInt64], GateHint?)]
        {
            var gate = FaceGate()
            let verdicts = (0..<4).map { _ in gate.add(Self.message(widths), width: 640) }
            #expect(verdicts.first??.passes == false)
            #expect(verdicts.last??.passes == (hint == nil) && verdicts.last??.hint == hint)
        }
    }

    @Test("a face that is lost for a frame is still there")
    func lost() {
        var gate = FaceGate()
        let passes = [200, 200, 200, 0, 200, 0, 0, 200].map { gate.add(Self.message([$0]), width: 640)?.passes }
        #expect(passes == [false, false, true, true, true, true, true, true])
    }

    @Test("messages of others are none of ours, and odd ones tell of no face")
    func others() {
        var gate = FaceGate()
        #expect(gate.add(Structure("level", ["faces": .list([])]), width: 640) == nil)
        #expect(gate.add(Self.message([200]), width: 0) == nil)
        let odd: [Value] = [.null, .int(5), .list([.null, .int(3), .structure(Structure("face"))]), .string("face")]
        for value in odd + [.list([.structure(Structure("face", ["width": .int(-9)]))])] {
            #expect(gate.add(Structure("facedetect", ["faces": value]), width: 640)?.score == 0)
        }
        #expect(gate.add(Self.message([.max]), width: 1)?.score == 1)
    }

    private static func message(_ widths: [UInt64]) -> Structure {
        let faces = widths.map { Value.structure(Structure("face", ["x": .uint(10), "width": .uint($0)])) }
        return Structure("facedetect", ["faces": .list(faces)])
    }
}
