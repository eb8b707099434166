// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation
import Testing

extension LabSuite {
    /// The page in Chromium, with two V4L2 cameras of which one is unplugged.
    @Suite("The page on V4L2 cameras")
    struct Page {
        /// The values of a step of `page.py`.
        private static func values(_ name: String) async throws -> [String: Any] {
            let step = try await step("page")
            #expect(step.status == 0, "\(step.error)")
            let steps = step.output.split(separator: "\n").compactMap { line in
                try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            }
            return try #require(steps.first { $0["step"] as? String == name }, "\(step.output)")
        }

        @Test("The page shows the camera, takes a picture, and switches to the other camera")
        func live() async throws {
            #expect(try await Self.values("first")["width"] as? Int == 640)
            #expect((try await Self.values("snap")["source"] as? String)?.contains("/stills/desk-") == true)
            #expect(try await Self.values("switch")["width"] as? Int == 320)
        }

        @Test("A control of the page sets the driver's control, and locks and the reset work, for the role capture")
        func controls() async throws {
            let control = try await Self.values("control")
            #expect(control["before"] as? String == "128" && control["after"] as? Int == 33)
            let locked = try await Self.values("lock")["locked"] as? [String] ?? []
            #expect(!locked.isEmpty)
            #expect(try await Self.values("unlock")["locked"] as? [String] == [])
            let ramp = try await Self.values("ramp")["words"] as? String
            #expect(ramp?.contains("Exposure follows the light") == true)
            #expect(try await Self.values("reset")["value"] as? String == "128")
        }

        @Test("A session on the page captures and stores a picture of the camera")
        func session() async throws {
            #expect((try await Self.values("session")["source"] as? String)?.hasSuffix("/pictures/1") == true)
            let stored = try await step("page-pictures").output
            #expect(stored.contains("/one-001.jpg"), "\(stored)")
        }

        @Test("A camera that the service may not open is a fault in words, with the remedy")
        func forbidden() async throws {
            let words = try await Self.values("forbidden")["words"] as? String
            #expect(
                words?.contains("side: lost") == true && words?.contains("permission denied") == true, "\(words ?? "")")
            #expect(words?.contains("group video") == true, "\(words ?? "")")
            let grid = try await Self.values("grid")["words"] as? String
            #expect(grid?.contains("permission denied") == true, "\(grid ?? "")")
        }

        @Test("An unplugged camera is a fault in words, and the page shows and captures again when it is back")
        func unplugged() async throws {
            let words = try await Self.values("fault")["words"] as? String
            #expect(
                words?.contains("desk: lost") == true && words?.contains("waiting for it") == true, "\(words ?? "")")
            #expect((try await Self.values("recovered")["source"] as? String)?.contains("/stills/desk-") == true)
            #expect(try await Self.values("console")["errors"] as? [String] == [])
            #expect(try await step("page-service").status == 0)
        }
    }
}
