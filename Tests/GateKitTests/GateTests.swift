// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureTestSupport
import PipelineKit
import PresetKit
import Testing

@testable import CaptureKit
@testable import FrameMeasures
@testable import GateKit

@Suite("Gates")
struct GateTests {
    @Test("A verdict that passes has no hint")
    func verdict() {
        #expect(GateVerdict(gate: .light, score: 1, threshold: 0, passes: true, hint: .lessLight).hint == nil)
        #expect(GateVerdict(gate: .light, score: 1, threshold: 2, passes: false, hint: .lessLight).hint == .lessLight)
    }

    @Test("A frame that cannot be measured does not change the view", arguments: ["P010_10LE", "GRAY16_LE"])
    func others(format: String) throws {
        var view = GateView()
        let info = try VideoInfo(format: format, width: 16, height: 16)
        #expect(!view.look(at: try Buffer([UInt8](repeating: 9, count: info.byteCount)), info))
        let gray = try VideoInfo(format: "GRAY8", width: 16, height: 16)
        #expect(!view.look(at: try Buffer([UInt8](repeating: 9, count: 100)), gray))
        #expect(view.luma == LumaFrame() && view.sharpness == 0)
    }

    // MARK: Focus

    @Test("A picture that becomes blurred fails the focus gate, and passes when it is sharp again")
    func focus() {
        var gate = FocusGate()
        #expect((0..<30).allSatisfy { _ in gate.add(400).passes })
        let blurred = (0..<12).map { _ in gate.add(80) }
        #expect(blurred.first?.passes == true && blurred.last?.passes == false)
        #expect(blurred.last?.hint == .notInFocusYet && (blurred.last?.score ?? 1) < 0.35)
        let sharp = (0..<16).map { _ in gate.add(400).passes }
        #expect(sharp.last == true)
        #expect(zip(sharp, sharp.dropFirst()).count { $0 != $1 } == 1)
    }

    @Test("A scene that is less sharp than the previous one passes the focus gate after a while")
    func forgetting() {
        var gate = FocusGate()
        for _ in 0..<30 { _ = gate.add(400) }
        let passes = (0..<600).map { _ in gate.add(120).passes }
        #expect(passes[20] == false && passes.last == true)
    }

    @Test("A picture that is blurred from the start fails the focus gate, although none was sharper")
    func blurredFromTheStart() {
        var gate = FocusGate()
        let verdicts = (0..<60).map { _ in gate.add(4) }
        #expect(verdicts.last?.passes == false && verdicts.last?.hint == .notInFocusYet)
        #expect(verdicts.allSatisfy { $0.score < FocusGate.least })
        let sharp = (0..<30).map { _ in gate.add(200).passes }
        #expect(sharp.last == true)
        var without = FocusGate(floor: 0)
        #expect((0..<60).map { _ in without.add(4).passes }.last == true)
    }

    @Test("Noise in sharpness does not make the hint flicker, and an invalid sharpness has a finite score")
    func noisyFocus() {
        var (gate, generator) = (FocusGate(), SplitMix(3))
        let passes = (0..<2000).map { _ in gate.add(.random(in: 300...500, using: &generator)).passes }
        #expect(passes.allSatisfy { $0 })
        for level in [Double.nan, .infinity, -5, 0] { #expect(gate.add(level).score.isFinite) }
        var dark = FocusGate()
        #expect(dark.add(0).passes)
    }

    // MARK: Light

    @Test(
        "A picture that is too dark, too bright or clipped too much fails the light gate",
        arguments: [
            (levels: [5], hint: GateHint.moreLight), ([30], .moreLight), ([120], nil), ([250], .lessLight),
            ([40, 60, 255], .lessLight), ([0, 0, 0, 130], .moreLight), ([0, 120, 130, 120, 200, 180, 255], nil),
        ] as [(levels: [UInt8], hint: GateHint?)])
    func light(levels: [UInt8], hint: GateHint?) {
        var gate = LightGate()
        let frame = Self.frame(of: levels)
        let verdicts = (0..<10).map { _ in gate.add(frame) }
        #expect(verdicts.first?.passes == true)
        #expect(verdicts.last?.hint == hint && verdicts.last?.passes == (hint == nil))
    }

    @Test("Glare on a tenth of a card fails the light gate, and the same glare without a card passes")
    func glare() {
        let (width, height) = (160, 90)
        var levels = [UInt8](repeating: 110, count: width * height)
        // A spot of 16 × 20 on a card of 80 × 40.
        for row in 30..<46 { for column in 60..<80 { levels[row * width + column] = 255 } }
        let frame = LumaFrame(width: width, height: height, scale: 4, levels: levels)
        let boundary = [PixelPoint(0.25, 0.25), PixelPoint(0.75, 0.25), PixelPoint(0.75, 0.7), PixelPoint(0.25, 0.7)]
        func passes(_ request: GateRequest, _ subject: GateSubject?) -> GateVerdict? {
            var gate = LightGate(LightGate.Limits(request, subject))
            return (0..<10).map { _ in gate.add(frame) }.last
        }
        let card = GateSubject(presence: .edges, boundary: boundary)
        var request = GateRequest(.light)
        #expect(passes(request, card)?.passes == false && passes(request, card)?.hint == .lessLight)
        #expect(passes(request, nil)?.passes == true)
        request.glare = 0.2
        #expect(passes(request, card)?.passes == true)
        request.glare = 0.01
        #expect(passes(request, nil)?.passes == false)
    }

    @Test("Light near the threshold does not make the hint flicker")
    func edgeOfLight() {
        var gate = LightGate()
        let frames = [44, 47].map { Self.frame(of: [$0]) }
        let passes = (0..<200).map { gate.add(frames[$0 / 5 % 2]).passes }
        #expect(zip(passes, passes.dropFirst()).count { $0 != $1 } <= 1)
    }

    private static func frame(of levels: [UInt8]) -> LumaFrame {
        let (width, height) = (160, 90)
        let all = (0..<width * height).map { levels[$0 % levels.count] }
        return LumaFrame(width: width, height: height, scale: 4, levels: all)
    }
}
