// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import StillKit

extension StillStorage {
    /// Finishes the work after pictures were stored: points the link to the newest one, removes pending side files,
    /// enforces the limits, and emits the report. It does nothing if no picture was stored since the last call.
    ///
    /// - Returns: The error of the limit that ends the series; `nil` if the series continues.
    mutating func tidy() -> CaptureError? {
        // If the disk is gone, the file system in its place stays untouched.
        guard let newest, (try? checkDisk()) != nil else { return folder.blockade }
        self.newest = nil
        pointLatest(at: newest.path)
        folder.dropUnwanted()
        folder.keepLimits()
        report()
        return folder.blockade ?? folder.reached(next: newest.byteCount)
    }

    private mutating func pointLatest(at path: String) {
        do throws(CaptureError) {
            try store.pointLatest(at: path)
        } catch {
            if error != linkError { emit(.notice(Notice(.linkNotUpdated, error))) }
            linkError = error
        }
    }

    // MARK: Forecast

    /// Emits a report of the disk if it differs enough from the last one.
    mutating func report() {
        guard let space = folder.space else { return }
        let report = StorageReport(
            folder: folder.path, freeBytes: space.free, usedBytes: inventory.byteCount, timeLeft: timeLeft(space))
        guard report.isNews(after: lastReport) else { return }
        lastReport = report
        emit(.storage(report))
    }

    private func timeLeft(_ space: DiskSpace) -> Duration? {
        let limits = folder.limits
        let room = max(0, space.free - limits.floor(space))
        let growth = limits.growth(of: inventory, forecast)
        // Older pictures make room before the disk is full.
        if limits.policy.removes, limits.keepFree != nil || growth.map({ $0 <= room }) ?? false { return nil }
        return forecast.time(for: min(room, growth ?? .max))
    }
}

extension StorageLimits {
    /// The bytes by which a series can still grow; `nil` if only the disk limits it.
    fileprivate func growth(of inventory: SeriesInventory, _ forecast: DiskForecast) -> Int? {
        let bySize = maxSize.map { $0 - inventory.byteCount }
        let byCount = maxCount.map {
            Double($0 - inventory.count) * Double(inventory.byteCount) / Double(max(1, inventory.count))
        }
        let byAge = maxAge.flatMap { age in
            forecast.bytesPerSecond.map { $0 * Double(age.components.seconds) - Double(inventory.byteCount) }
        }
        return ([bySize] + [byCount, byAge].map { $0.map { Int(min($0, 1e18)) } }).compactMap { $0 }.min().map {
            max(0, $0)
        }
    }
}
