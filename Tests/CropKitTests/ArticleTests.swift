// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import FrameMeasures
import OverlayCompositor
import OverlayRaster
import StillKit
import Testing

@testable import CropKit

@Suite(.timeLimit(.minutes(2))) struct `The article on the path of a crop` {
    @Test func `The example of the article runs`() async throws {
        let folder = try TemporaryFolder()
        let shape = #"<rect id="subject" width="85.6" height="53.98" rx="3.18"/>"#
        let path = try folder.write("card.svg", #"<svg viewBox="-7 -7 99.6 67.98">\#(shape)</svg>"#)
        let (card, cropper) = (Outline(name: "card", path: path), StillCropper(CairoRasterizer()))
        let corners = CardScene.card(around: PixelPoint(320, 240), width: 420, turned: 4)
        let luma = CardScene(width: 640, height: 480, corners: corners, ground: .plain).luma
        let scene = StillPixels(width: 640, height: 480, pixels: luma.samples.map { SIMD4($0, $0, $0, 255) })
        let bytes = try await StillCoding.encode(scene, .jpeg, quality: 98)
        let picture = LibraryPicture(bytes: bytes, format: .jpeg, width: 640, height: 480)
        var request = CropRequest(card)
        request.isRectified = true

        do throws(CaptureError) {
            let crop = try await cropper.crop(picture.bytes, picture.format, to: request)
            print(crop.width, "x", crop.height, "from", crop.corners.topLeft, "with confidence", crop.confidence ?? 0)
        } catch {
            print(error.ofStill(at: picture.path ?? "the picture"))
        }
        #expect(try await cropper.crop(picture.bytes, picture.format, to: request).confidence != nil)
    }

    @Test func `The article shows the example of this test`() throws {
        #expect(try Article.examples(of: "PathOfACrop", in: "CropKit", missingIn: #filePath) == [])
    }
}
