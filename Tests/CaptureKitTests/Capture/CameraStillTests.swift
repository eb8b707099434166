// Part of gst-capture. Apache License 2.0, see LICENSE.

import CameraKit
import CaptureBase
import StillKit
import Testing

@testable import CaptureKit

@Suite("A picture of a camera in one call", .timeLimit(.minutes(5))) struct CameraStillTests {
    @Test("The picture has the requested format, and contains its bytes", arguments: [StillFormat.jpeg, .png])
    func scene(format: StillFormat) async throws {
        let still = try await Camera.scene.still(as: format)
        let start: [UInt8] = format == .jpeg ? [0xFF, 0xD8] : [0x89, 0x50, 0x4E, 0x47]
        #expect(still.bytes?.starts(with: start) == true)
        #expect(still.bytes?.count == still.byteCount && still.width > 0 && still.path == nil)
    }

    @Test("A camera that cannot be opened throws its error")
    func missing() async throws {
        let camera = Camera(id: "gone", name: "Gone", kind: .v4l2, path: "/dev/null")
        let error = await #expect(throws: CaptureError.self) { try await camera.still() }
        #expect(error != .calledOff)
    }

    @Test("A canceled task takes no picture, and throws")
    func cancelled() async throws {
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await Camera.scene.still()
        }
        await #expect(throws: CaptureError.calledOff) { _ = try await task.value }
    }
}
