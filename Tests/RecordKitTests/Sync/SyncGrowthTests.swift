// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureTestSupport
import Foundation
import Testing

@testable import RecordKit

@Suite("The costs of a synchronization")
struct SyncGrowthTests {
    /// The numbers of records that are compared; `make soak` sets larger ones.
    private static let sizes =
        ProcessInfo.processInfo.environment["SYNC_RECORDS"]?.split(separator: " ").compactMap { Int($0) } ?? [
            100, 2000,
        ]

    @Test("The work of a round does not grow with the number of records")
    func growth() async throws {
        StatementLog.install()
        var steps: [[Int]] = []
        for count in Self.sizes { steps.append(try await Self.steps(count)) }
        for (small, large) in zip(steps[0], steps[steps.count - 1]) {
            // The words of the full-text index are in more pages.
            #expect(Double(large) < Double(small) * 1.5 + 100, "\(Self.sizes): \(steps)")
        }
    }

    /// Returns the steps of SQLite for a round without news, for a push, and for a change of the backend.
    private static func steps(_ count: Int) async throws -> [Int] {
        // The task waits for each body that uses it.
        nonisolated(unsafe) let device = try SyncDevice(ModelBackend(pageSize: 500))
        for number in 0..<count {
            device.backend.change(.random(), to: RecordContent(values: ["a": "\(number)"]))
        }
        await device.round()
        await device.round()
        let path = device.store.path
        let quiet = try await StatementLog.statements(on: path) { await device.round() }
        #expect(quiet.scannedRows == 0)
        let id = try device.create(["a": "new"])
        let push = try await StatementLog.statements(on: path) {
            await device.round()
            await device.round()
        }
        #expect(device.backend.content(of: id) != nil)
        device.backend.change(id, to: RecordContent(values: ["a": "newer"]))
        let pull = try await StatementLog.statements(on: path) { await device.round() }
        #expect(try device.values(id) == ["a": "newer"])
        return [quiet.steps, push.steps, pull.steps]
    }
}
