// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureTestSupport
import CropKit
import FrameMeasures
import PipelineKit
import PresetKit
import Testing

@testable import GateKit

@Suite("The judge of captured pictures")
struct StillJudgeTests {
    @Test("A dark picture fails light with a hint, and a gate that does not reject pictures has no finding")
    func dark() async throws {
        let picture = try Self.picture { _, _ in 10 }
        let judge = StillJudge([.rejecting(.light), GateRequest(.focus)], of: nil)
        let findings = await judge.findings(on: picture)
        #expect(findings.map(\.kind) == [.light] && findings.first?.hint == .moreLight)
    }

    @Test("A picture without detail fails focus, and one with detail passes")
    func blurred() async throws {
        let judge = StillJudge([.rejecting(.focus)], of: nil)
        let flat = await judge.findings(on: try Self.picture { x, _ in UInt8(60 + x / 4) })
        #expect(flat.first?.holds == false && flat.first?.hint == .notInFocusYet)
        let sharp = await judge.findings(on: try Self.picture { x, y in (x / 8 + y / 8) % 2 == 0 ? 60 : 190 })
        #expect(sharp.first?.holds == true)
    }

    @Test("Glare on a card fails light, and the same white beside the card does not")
    func glare() async throws {
        let judge = StillJudge([.rejecting(.light)], of: Self.card)
        for (start, holds) in [(160, false), (0, true)] {
            let findings = await judge.findings(
                on: try Self.picture { x, y in (start..<start + 70).contains(x) && (90..<160).contains(y) ? 255 : 120 })
            #expect(findings.first?.holds == holds)
        }
    }

    @Test("A card beside its outline fails, and one on it passes")
    func edges() async throws {
        let judge = StillJudge([.rejecting(.present)], of: Self.card)
        for (shift, holds) in [(0, true), (40, false)] {
            let findings = await judge.findings(
                on: try Self.picture { x, y in
                    (160 + shift..<480 + shift).contains(x) && (90..<270).contains(y) ? 200 : 60
                })
            #expect(findings.first?.holds == holds, "shifted by \(shift)")
        }
    }

    @Test(
        "A single picture of a face passes, and one without a face fails",
        .enabled(if: GStreamer.hasElement(FaceGate.element), "gstreamer1.0-opencv is missing; run scripts/setup test"))
    func faces() async throws {
        let face = [(0.3, 0.15), (0.75, 0.15), (0.75, 0.6), (0.3, 0.6)].map { PixelPoint($0.0, $0.1) }
        let judge = StillJudge([.rejecting(.present)], of: GateSubject(presence: .face(width: 1), boundary: face))
        let portrait = try await Photograph()
        let found = await judge.findings(on: Sample(try Buffer(portrait.levels), caps: try portrait.info.caps))
        #expect(found.first?.holds == true)
        let upsideDown = Sample(try Buffer(portrait.levels.reversed()), caps: try portrait.info.caps)
        let missing = await judge.findings(on: upsideDown)
        #expect(missing.first?.holds == false && missing.first?.hint == .faceTheCamera)
    }

    /// A card in the middle of the picture.
    private static let card = GateSubject(
        presence: .edges,
        boundary: [(0.25, 0.25), (0.75, 0.25), (0.75, 0.75), (0.25, 0.75)].map { PixelPoint($0.0, $0.1) })

    /// Returns a gray picture of 640 × 360.
    private static func picture(_ level: (_ x: Int, _ y: Int) -> UInt8) throws -> Sample {
        let info = try VideoInfo(format: "GRAY8", width: 640, height: 360)
        let levels = (0..<360).flatMap { y in (0..<640).map { x in level(x, y) } }
        return Sample(try Buffer(levels), caps: info.caps)
    }
}

extension GateRequest {
    fileprivate static func rejecting(_ kind: Kind) -> GateRequest {
        var request = GateRequest(kind)
        request.rejectsPictures = true
        return request
    }
}
