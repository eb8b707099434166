// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation
import Testing

extension LabSuite {
    /// The service with two V4L2 cameras, clients and an unplugged camera.
    @Suite("The service on V4L2 cameras")
    struct Service {
        private static func brightness(_ name: String) async throws -> Int? {
            try await LabControls(of: step(name)).value("brightness")
        }

        /// The mean brightness of a picture that a request returned.
        private static func mean(_ name: String) async throws -> Double {
            let step = try await step(name)
            #expect(step.status == 0, "\(step.error)")
            return try await Picture(jpeg: step.file("stdout")).mean
        }

        @Test("Controls are listed, set and reset while a series uses the camera")
        func controls() async throws {
            let listed = try await LabControls(of: step("service-controls"))
            #expect(listed.controls.contains { $0.name == "brightness" && ($0.min, $0.max) == (0, 255) })
            #expect(try await Self.brightness("service-dark") == 40)
            #expect(try await Self.brightness("service-bright") == 200)
            #expect(try await Self.mean("service-snap-dark") < Self.mean("service-snap-bright"))
            let refused = try await step("service-unknown-control").output
            #expect(refused.contains(#""status":400"#) && refused.contains("brightness"), "\(refused)")
            #expect(try await Self.brightness("service-reset") == 128)
        }

        @Test("Commands use a camera that the service holds")
        func commands() async throws {
            for name in ["snap", "locked", "series", "controls"] {
                let result = try await step("service-command-\(name)")
                #expect(result.status == 0, "\(name): \(result.output)\(result.error)")
            }
            // The machine may stand still for a slot.
            let events: [CommandOutput.Event] = try CommandOutput.lines(of: try await step("service-command-series"))
            let slots = events.filter { ["captured", "missed"].contains($0.event) }.flatMap(\.slots)
            #expect(slots.sorted() == [0, 1, 2, 3] && events.contains { $0.event == "captured" })
            #expect(try await step("service-command-controls").output == "brightness=90\n")
            #expect(try await Self.brightness("service-command-brightness") == 90)
        }

        @Test("A command whose options contradict a series of the service is refused")
        func conflict() async throws {
            let result = try await step("service-command-conflict")
            #expect(result.status == 75)
            #expect(result.error.contains("is used by a series with another width"), "\(result.error)")
        }

        @Test("A buzzer takes pictures, also when it is plugged in again")
        func buzzer() async throws {
            let pictures = try await step("service-buttons").output.split(separator: "\n")
            #expect(pictures.count == 2 && pictures.allSatisfy { $0.hasSuffix(".jpg") }, "\(pictures)")
        }

        @Test("A camera that was unplugged has the controls that were set before")
        func unplugged() async throws {
            #expect(try await step("service-lost").output.contains("waiting for it"))
            #expect(try await Self.brightness("service-after") == 200)
            #expect(try await Self.mean("service-snap-after") > Self.mean("service-snap-dark"))
        }

        @Test("The series has each slot, captured or missed, and its pictures are unchanged")
        func series() async throws {
            let verified = try await step("service-verify")
            #expect(verified.status == 0, "\(verified.output)\(verified.error)")
            let entries: [CommandOutput.LedgerEntry] = try await CommandOutput.lines(of: step("service-ledger"))
            let slots = entries.flatMap(\.slots).sorted()
            #expect(slots == Array(0..<slots.count))
            #expect(entries.filter { $0.outcome == "captured" }.count >= 10)
            #expect(entries.contains { $0.outcome == "missed" })
            let service = try await step("service")
            #expect(service.status == 0, "\(service.error)")
        }
    }
}
