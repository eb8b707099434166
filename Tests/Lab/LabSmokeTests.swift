// Part of gst-capture. Apache License 2.0, see LICENSE.

import Testing

extension LabSuite {
    /// The lab itself, without the command: if one of these tests fails, the command is not at fault.
    @Suite("The lab itself")
    struct Smoke {
        @Test("The machine has two cameras, and a link by path")
        func nodes() async throws {
            let step = try await step("lab-nodes")
            #expect(step.status == 0)
            for name in ["/dev/video0", "/dev/video1", "platform-vivid.0-video-index0"] {
                #expect(step.output.contains(name))
            }
        }

        @Test("A camera has many formats and sizes")
        func formats() async throws {
            let step = try await step("lab-formats")
            #expect(step.status == 0)
            #expect(step.output.contains("'YUYV'"))
            #expect(step.output.contains("'NV12'"))
            #expect(step.output.contains("Size: Discrete 640x480"))
        }

        @Test("A control keeps its value")
        func control() async throws {
            #expect(try await step("lab-control").output == "brightness: 77\n")
        }

        @Test("gst-launch takes a picture")
        func still() async throws {
            let step = try await step("lab-still")
            #expect(step.status == 0, "\(step.error)")
            let picture = try await Picture(jpeg: step.file("still.jpg"))
            #expect((picture.width, picture.height) == (640, 480))
            #expect((20...235).contains(picture.mean))
        }

        @Test("A camera that streams is busy for other programs")
        func busy() async throws {
            let step = try await step("lab-busy")
            #expect(step.status != 0)
            #expect(step.error.contains("'/dev/video1' is busy"))
        }
    }
}
