// Part of gst-capture. Apache License 2.0, see LICENSE.

import StillKit
import Testing

@Suite("Limits of storage, and reports on it")
struct StorageLimitsTests {
    @Test("The space that stays free is a number of bytes, or a share of the disk up to all of it")
    func floors() {
        #expect(FreeSpaceFloor.share(0.1).bytes(of: 1000) == 100)
        #expect(FreeSpaceFloor.share(.infinity).bytes(of: 1000) == 1000)
        // The size of a file system that reports more than an `Int` holds.
        #expect(FreeSpaceFloor.share(1).bytes(of: .max) == .max)
        #expect(FreeSpaceFloor.share(.nan).bytes(of: .max) == 0)
        #expect(FreeSpaceFloor.bytes(7).bytes(of: 1000) == 7)
    }

    @Test("A report is news after a change of a twentieth of the space, or a tenth of the time")
    func news() {
        func report(_ free: Int, _ left: Duration?) -> StorageReport {
            StorageReport(folder: "p", freeBytes: free, usedBytes: 0, timeLeft: left)
        }
        let first = report(1000, .seconds(100))
        #expect(first.isNews(after: nil))
        #expect(!report(960, .seconds(95)).isNews(after: first))
        #expect(report(940, .seconds(95)).isNews(after: first))
        #expect(report(1060, .seconds(95)).isNews(after: first))
        #expect(report(1000, .seconds(80)).isNews(after: first))
        #expect(report(1000, nil).isNews(after: first))
    }
}
