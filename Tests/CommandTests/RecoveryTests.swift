// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation
import Testing

@Suite("A timelapse whose source fails", .timeLimit(.minutes(5)))
struct RecoveryTests {
    private static let source = "videotestsrc is-live=true ! video/x-raw,width=160,height=120,framerate=30/1"

    @Test("A source that fails repeatedly is rebuilt each time, and every slot is accounted for")
    func failing() async throws {
        let command = try Command()
        let process = try command.start(
            "timelapse", "--source", "\(Self.source) ! identity error-after=20", "--interval", "100ms", "-o",
            "%03n.jpg", "--json")
        for _ in 0..<2 { _ = try await process.event("recovered") }
        // The camera may be lost again, so the picture shows that it delivered frames after the second time.
        _ = try await process.event("captured")
        process.finish()
        let outcome = await process.outcome()
        #expect(outcome.status == 0, "\(outcome.error)")
        let events = try outcome.events
        try check(events, command.files())
        let slots = events.flatMap(\.accountedSlots).sorted()
        #expect(slots == Array(0..<slots.count) && !events.contains { $0.name == "failed" })
    }

    @Test("A source that hangs on close ends the command with status 71, and all reported pictures exist")
    func wedged() async throws {
        let command = try Command()
        // The source fails, and a call in a branch beside it does not return for the next quarter of an hour.
        let hanging = "queue leaky=downstream ! identity sleep-time=1000000000 ! fakesink async=false"
        let outcome = try await command.run(
            "timelapse", "--source", "\(Self.source) ! identity error-after=50 ! tee name=t ! \(hanging) t.",
            "--interval", "250ms", "-o", "%03n.jpg", "--json")
        #expect(outcome.status == 71)
        #expect(outcome.error.contains("the driver hangs"), "\(outcome.error)")
        try check(outcome.events, command.files())
    }

    /// Checks that the files are the reported ones, and whole.
    private func check(_ events: [Event], _ files: [String]) throws {
        let captured: [String] = events.filter { $0.name == "captured" }.compactMap { $0["file"] }
        #expect(!captured.isEmpty)
        #expect(files == captured.sorted())
    }
}
