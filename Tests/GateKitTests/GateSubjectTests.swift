// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import CropKit
import FrameMeasures
import OverlayCompositor
import OverlayRaster
import PresetKit
import Testing

@testable import CaptureKit
@testable import GateKit

@Suite("The subject of an outline")
struct GateSubjectTests {
    private let folder: TemporaryFolder
    private let planner = OverlayPlanner(CairoRasterizer())

    init() throws { folder = try TemporaryFolder() }

    private func subject(
        _ svg: String, on size: PreviewSize = PreviewSize(width: 640, height: 360), size part: Double = 0.8
    ) async throws -> GateSubject {
        try folder.write("outline.svg", svg)
        var placement = Placement()
        placement.size = part
        return try await GateSubject(
            of: Outline(name: "outline", path: folder.path + "/outline.svg"), placement, on: size, by: planner)
    }

    @Test(
        "Each shipped outline declares its subject and has a boundary",
        arguments: [
            ("body-front", OutlinePresence.face(width: 0.23)), ("body-side", .nothing), ("card", .edges),
            ("document", .edges), ("face", .face(width: 1)), ("hand", .nothing), ("letterbox", .nothing),
            ("passport", .face(width: 1)), ("plate", .edges),
        ])
    func shipped(name: String, presence: OutlinePresence) async throws {
        let outline = Outline(name: name, path: "\(ShippedPresets.folder)/outlines/\(name).svg")
        let subject = try await GateSubject(
            of: outline, Placement(), on: PreviewSize(width: 1280, height: 720), by: planner)
        #expect(subject.presence == presence)
        #expect(subject.boundary.count >= 4 && subject.boundary.count < 200, "\(subject.boundary.count) corners")
        #expect(subject.boundary.allSatisfy { (-0.01...1.01).contains($0.x) && (-0.01...1.01).contains($0.y) })
    }

    @Test(
        "The boundary of a card is the line that the preview draws, in every size of preview",
        arguments: [(640, 360), (1280, 720), (360, 640), (321, 243), (1920, 1080)])
    func place(width: Int, height: Int) async throws {
        let card = #"<svg viewBox="-7 -7 99.6 67.98"><rect id="subject" width="85.6" height="53.98"/></svg>"#
        let subject = try await subject(card, on: PreviewSize(width: width, height: height))
        let scale = min(Double(width) * 0.8 / 99.6, Double(height) * 0.8 / 67.98)
        let box = PixelBox(around: subject.boundary.map { PixelPoint($0.x * Double(width), $0.y * Double(height)) })
        // A pixel of the mask, whose longer side has 640.
        let pixel = max(1, Double(max(width, height)) / 640)
        #expect(abs(box.width - 85.6 * scale) <= pixel && abs(box.height - 53.98 * scale) <= pixel)
        #expect(box.center.distance(to: PixelPoint(Double(width) / 2, Double(height) / 2)) <= pixel)
        #expect(subject.presence == .edges && subject.boundary.count == 4)
    }

    @Test("Without data-present, edges are expected in rectangles, and nothing in other shapes")
    func unsaid() async throws {
        #expect(
            try await subject(#"<svg viewBox="0 0 10 10"><rect width="8" height="6" rx="1"/></svg>"#).presence == .edges
        )
        #expect(
            try await subject(#"<svg viewBox="0 0 10 10"><circle cx="5" cy="5" r="4"/></svg>"#).presence == .nothing)
        let turned = #"<svg viewBox="0 0 10 10"><rect width="6" height="3" transform="rotate(30 5 5)"/></svg>"#
        #expect(try await subject(turned).presence == .nothing)
    }

    @Test("The boundary is the longest contour, and holes are ignored")
    func parts() async throws {
        let parts =
            #"<svg viewBox="0 0 20 10"><path id="subject" fill-rule="evenodd" d="M0 0H2V2H0ZM5 0H15V10H5ZM7 2V8H13V2Z"/></svg>"#
        let box = PixelBox(around: try await subject(parts, on: PreviewSize(width: 400, height: 200), size: 1).boundary)
        #expect(abs(box.x - 0.25) < 0.01 && abs(box.width - 0.5) < 0.01 && abs(box.height - 1) < 0.01, "\(box)")
    }

    @Test(
        "An unknown value of data-present is refused with a list of the known ones",
        arguments: [
            "", "edge", "face 0", "face 101%", "face -1", "face nan", "face 1 2", "edges face", "nothing", "EDGES",
        ])
    func unknown(value: String) async throws {
        let error = await #expect(throws: CaptureError.self) {
            try await subject("<svg viewBox='0 0 9 9' data-present='\(value)'><rect width='5' height='5'/></svg>")
        }
        #expect(error?.code == .configuration && error?.advice?.contains("edges, face") == true)
    }
}
