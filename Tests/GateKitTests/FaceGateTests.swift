// Part of gst-capture. Apache License 2.0, see LICENSE.

import CropKit
import Testing

@testable import GateKit
@testable import PipelineKit

@Suite("The face gate")
struct FaceGateTests {
    @Test("A large face passes after some frames; a missing or small face fails with its hint")
    func faces() {
        for (widths, hint) in [([], GateHint.faceTheCamera), ([40], .closer), ([40, 200], nil)]
            as [([UInt64], GateHint?)]
        {
            var gate = FaceGate()
            let verdicts = (0..<4).map { _ in gate.add(Self.message(widths), size: Self.size) }
            #expect(verdicts.first??.passes == false)
            #expect(verdicts.last??.passes == (hint == nil) && verdicts.last??.hint == hint)
        }
    }

    @Test("A face that is too large scores below the threshold, with the hint to go farther away")
    func tooLarge() {
        var gate = FaceGate()
        // The expected width is a quarter of 640 pixels: 160. The largest width that passes is 256.
        let verdicts = [250, 250, 250, 270, 270, 270, 270, 270, 640].map {
            gate.add(Self.message([$0]), size: Self.size)
        }
        #expect(verdicts[2]?.passes == true)
        #expect(verdicts.last??.passes == false && verdicts.last??.hint == .fartherAway)
        #expect(verdicts.suffix(6).allSatisfy { ($0?.score ?? 1) < FaceGate.least })
        var wide = FaceGate(most: 5)
        #expect([640, 640, 640].map { wide.add(Self.message([$0]), size: Self.size)?.passes }.last == true)
    }

    @Test("If only one face may be there, a second one that is at least half as wide does not pass")
    func alone() {
        for (widths, hint) in [([200, 100], .onlyOneFace), ([200, 90], nil), ([200], nil)] as [([UInt64], GateHint?)] {
            var gate = FaceGate(alone: true, settling: 1)
            let verdict = gate.add(Self.message(widths), size: Self.size)
            #expect(verdict?.passes == (hint == nil) && verdict?.hint == hint)
        }
        var any = FaceGate(settling: 1)
        #expect(any.add(Self.message([200, 200]), size: Self.size)?.passes == true)
    }

    @Test("A face that is lost for one or two frames still passes")
    func lost() {
        var gate = FaceGate()
        let passes = [200, 200, 200, 0, 200, 0, 0, 200].map { gate.add(Self.message([$0]), size: Self.size)?.passes }
        #expect(passes == [false, false, true, true, true, true, true, true])
    }

    @Test("Messages of other elements are ignored, and malformed messages contain no face")
    func others() {
        var gate = FaceGate()
        #expect(gate.add(Structure("level", ["faces": .list([])]), size: Self.size) == nil)
        #expect(gate.add(Self.message([200]), size: PreviewSize(width: 0, height: 0)) == nil)
        let odd: [Value] = [.null, .int(5), .list([.null, .int(3), .structure(Structure("face"))]), .string("face")]
        for value in odd + [.list([.structure(Structure("face", ["width": .int(-9)]))])] {
            #expect(gate.add(Structure("facedetect", ["faces": value]), size: Self.size)?.score == 0)
        }
        let huge = gate.add(Self.message([.max]), size: Self.size)?.score
        #expect(huge?.isFinite == true)
    }

    private static let size = PreviewSize(width: 640, height: 360)

    private static func message(_ widths: [UInt64]) -> Structure {
        let faces = widths.map {
            Value.structure(
                Structure("face", ["x": .uint(10), "y": .uint(10), "width": .uint($0), "height": .uint(9)]))
        }
        return Structure("facedetect", ["faces": .list(faces)])
    }
}
