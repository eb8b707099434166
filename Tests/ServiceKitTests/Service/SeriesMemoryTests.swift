// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import DatabaseKit
import Testing

@testable import ServiceKit

@Suite("Series with limits that continue", .timeLimit(.minutes(2)))
struct SeriesMemoryTests {
    private static let cameras = """
          garden:
            source: FRAMES
            series:
              quick: { interval: 100ms, output: FOLDER/%n.jpg, max-size: 100GB }
        """

    /// Makes the first picture of the paused series exceed the limit: a series that reads its whole ledger then ends.
    private func enlargeFirstPicture(_ test: TestService) async throws {
        let ledger = try #require(await test.service.allSeries.first?.series.ledger)
        let database = try Database(ledger, .write)
        try database.run("DROP TRIGGER slots_no_update")
        try database.run("UPDATE slots SET bytes = 1000000000000000 WHERE id = 1")
        try database.run(
            """
            CREATE TRIGGER slots_no_update BEFORE UPDATE ON slots
            BEGIN SELECT RAISE(ABORT, 'a ledger is only added to'); END
            """)
    }

    @Test("A series that is resumed does not read its whole ledger again")
    func resumed() async throws {
        try await TestService.run(Self.cameras) { test in
            try await test.next("captured")
            try await test.service.pause("quick")
            try await test.state(.paused, of: "quick")
            try await enlargeFirstPicture(test)
            try await test.service.resume("quick")
            try await test.state(.running, of: "quick")
            try await test.next("captured")
        }
    }

    @Test("Pictures that another process removed meanwhile do not count")
    func changed() async throws {
        let cameras = Self.cameras.replacing("max-size: 100GB", with: "max-count: 3")
        try await TestService.run(cameras) { test in
            // The series ends when its limit is reached, and is tried again.
            try await test.state(.waiting, of: "quick")
            let ledger = try #require(await test.service.allSeries.first?.series.ledger)
            do {
                let database = try Database(ledger, .write)
                try database.run(
                    """
                    INSERT INTO removals(slot, file, removed_ns, removed_zone, reason)
                    SELECT id, file, due_ns, due_zone, 'test' FROM slots WHERE outcome = 'captured'
                    """)
            }
            try await test.service.resume("quick")
            try await test.next("captured")
        }
    }
}
