// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureTestSupport
import Foundation
import ServiceKit
import Testing

@testable import ServeKit

/// The data that the page requests of a camera, besides its pictures.
@Suite("The view of a camera", .timeLimit(.minutes(1)))
struct CameraViewTests {
    @Test("A camera has its ID as its title, and that of a service without a configuration the name of its device")
    func title() async throws {
        try await MemoryService.run("  garden: { camera: scene, width: 320, height: 240 }\n") { service in
            let camera = try await service.get("/api/v1/cameras/garden")
            #expect(camera.json["title"] as? String == "garden")
        }
        let unnamed = CaptureService(.standard(camera: "scene", title: "HD Pro Webcam"))
        _ = await unnamed.prepare()
        #expect(await unnamed.status.cameras.map(\.title) == ["HD Pro Webcam"])
    }

    @Test("Outlines are drawn normal or bold, and another word is refused")
    func bold() async throws {
        try await MemoryService.run("  garden: { camera: scene, width: 320, height: 240 }\n") { service in
            let path = "/api/v1/outlines/card/render?width=160&height=90"
            let (normal, bold) = (try await service.get(path), try await service.get(path + "&stroke=bold"))
            #expect(normal.status == 200 && bold.status == 200)
            let (thin, wide) = (try await Self.drawn(normal.body), try await Self.drawn(bold.body))
            #expect(thin > 100 && Double(wide) > 1.5 * Double(thin), "\(thin) and \(wide) pixels")
            let other = try await service.get(path + "&stroke=wide")
            #expect(other.status == 400 && other.text.contains("give normal or bold"))
        }
    }

    /// Returns how many pixels of an outline differ from its ground.
    private static func drawn(_ file: Data) async throws -> Int {
        let picture = try await RGBPicture(decoding: [UInt8](file), .png)
        return picture.pixels.count { $0.distance(to: picture[0, 0]) > 20 }
    }
}
#endif
