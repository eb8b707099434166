// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation
import PipelineKit
import PresetKit
import SessionKit
import Testing

@testable import CaptureKit
@testable import HookKit

@Suite("Hooks and their slots", .timeLimit(.minutes(5)))
struct HookSlotTests {
    private func slot(_ index: Int) -> Slot {
        Slot(index: index, due: ClockTime(nanoseconds: UInt64(index + 1) * 1_000_000_000))
    }

    private func still(_ slot: Slot, _ name: String) -> Still {
        Still(
            slot: slot, burstIndex: 0, path: "/\(name)", sequence: 1, byteCount: 1, width: 1, height: 1,
            captured: .now(), offset: .zero, isLate: false, encodingTime: .zero, storingTime: .zero, bytes: nil)
    }

    /// The slot and the number of pictures of each command that ran.
    private func lines(_ events: [CaptureEvent]) async throws -> [String] {
        let log = FileManager.default.temporaryDirectory.appendingPathComponent("gst-capture-\(UUID())")
        defer { try? FileManager.default.removeItem(at: log) }
        var settings = CaptureSettings()
        settings.execLimit = .seconds(3600)
        settings.execAfter = "echo $CAPTURE_SLOT $CAPTURE_COUNT >>'\(log.path)'"
        let runner = HookRunner(HookCommands(settings, .fragment("videotestsrc"))) { Issue.record("\($0)") }
        for event in events { await runner.follow(event) }
        await runner.finish()
        return try String(contentsOf: log, encoding: .utf8).split(separator: "\n").map(String.init)
    }

    @Test("The hook of each slot gets the pictures of that slot")
    func own() async throws {
        let events: [CaptureEvent] = [
            .captured(still(slot(0), "a")), .captured(still(slot(1), "b")), .captured(still(slot(0), "c")),
            .stored(slot(0)), .stored(slot(1)),
        ]
        #expect(try await lines(events) == ["0 2", "1 1"])
    }

    @Test("Pictures that waited for the disk run the hooks of their slots")
    func late() async throws {
        let events: [CaptureEvent] = [
            .stored(slot(0)), .stored(slot(1)), .captured(still(slot(0), "a")), .captured(still(slot(0), "b")),
            .captured(still(slot(1), "c")), .storageResumed(stored: 3), .captured(still(slot(2), "d")),
            .stored(slot(2)),
        ]
        #expect(try await lines(events) == ["0 2", "1 1", "2 1"])
    }
}
