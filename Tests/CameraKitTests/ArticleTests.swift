// Part of gst-capture. Apache License 2.0, see LICENSE.

import CameraKit
import CaptureBase
import CaptureTestSupport
import Testing

@Suite(.timeLimit(.minutes(2))) struct `The article on the path from a name to a camera` {
    @Test func `The example of the article runs`() async throws {
        do throws(CaptureError) {
            let camera = try await CameraCatalog.find("c920")
            print(camera.id, camera.path ?? "", camera.formats.count, "formats")
        } catch {
            print(error.code, error)  // no-camera c920: there is no such camera; …
        }
    }

    @Test func `The article shows the example of this test`() throws {
        #expect(try Article.examples(of: "FromNameToCamera", in: "CameraKit", missingIn: #filePath) == [])
    }
}
