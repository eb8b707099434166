// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import LedgerKit
import ScheduleKit
import StillKit

extension Ledger {
    /// Creates the ledger of a capture; `nil` if the capture keeps none.
    ///
    /// - Parameter executor: The executor of the capture's ``StillWriter``.
    init?(
        _ configuration: CaptureConfiguration, on executor: BlockingExecutor,
        report: @escaping @Sendable (Notice) -> Void
    ) {
        guard let path = configuration.ledger else { return nil }
        self.init(
            path, series: SeriesDescription(configuration, LedgerPlace(path)), position: configuration.position,
            on: executor, report: report)
    }

    /// Queues the lines of an event other than ``CaptureEvent/captured(_:)``; nothing waits for them.
    nonisolated func record(_ event: CaptureEvent) {
        switch event {
        case .missed(let slots, let reason): record(LedgerEntry(missed: slots, reason))
        case .failed(let slot, let error): record(LedgerEntry(failed: slot, error))
        case .removed(let stills): record(stills.map { LedgerRemoval($0) })
        default: break
        }
    }

    /// Makes a capture resume the last series of its ledger. If there is none, the capture begins a series.
    ///
    /// - Throws: `CaptureError` `.usage` if the configuration has no ledger, `.noInput` if even the folder of the
    ///   series is missing, such as on a disk that is not mounted, `.configuration` if the series there has other
    ///   settings, and the errors of `LedgerReader`.
    public static func resumeSeries(in configuration: inout CaptureConfiguration) async throws(CaptureError) {
        let found = try await SeriesFinder().find(configuration)
        (configuration.position, configuration.inventory) = (found.position, found.inventory)
    }

    /// Makes a capture resume the last series of its ledger if that series has the same settings. Otherwise the capture
    /// begins a new series, whose limits also count the pictures of earlier ones.
    ///
    /// - Parameter memory: The pictures that an earlier capture of this process left. If the ledger has not
    ///   changed since then, the capture does not read it again.
    /// - Throws: As ``resumeSeries(in:)``, except for other settings.
    package static func continueSeries(
        in configuration: inout CaptureConfiguration, after memory: SeriesMemory? = nil
    ) async throws(CaptureError) {
        if try await SeriesFinder().hasOtherSettings(configuration) {
            try await countEarlierStills(in: &configuration)
        } else {
            let found = try await SeriesFinder().find(configuration, memory)
            (configuration.position, configuration.inventory) = (found.position, found.inventory)
        }
    }

    /// Applies the limits of a capture that begins a new series also to the pictures of earlier series in its ledger.
    ///
    /// - Throws: `CaptureError`, as `LedgerReader` does.
    public static func countEarlierStills(in configuration: inout CaptureConfiguration) async throws(CaptureError) {
        guard let path = configuration.ledger, !configuration.limits.isEmpty else { return }
        configuration.inventory = try await SeriesFinder().inventory(path, configuration)
    }

    /// Returns the pictures in a ledger, to the extent that the limits of a configuration need them; `nil` if there is
    /// no ledger, or it cannot be read.
    static func inventory(at path: String?, for configuration: CaptureConfiguration) async -> SeriesInventory? {
        guard let path else { return nil }
        return try? await SeriesFinder().inventory(path, configuration)
    }

    /// Returns the default path of the ledger for pictures with these names: in a hidden folder beside them.
    public static func standardPath(for template: FileNameTemplate) -> String { LedgerPlace(for: template).path }
}

/// The pictures of a series when a capture has ended, and the newest line of their ledger.
package struct SeriesMemory: Sendable {
    fileprivate let inventory: SeriesInventory
    fileprivate let ledger: String
    fileprivate let mark: LedgerMark

    /// `nil` if the ledger cannot be read.
    init?(_ inventory: SeriesInventory, ledger: String) async {
        guard let mark = await BlockingWork.run({ try? LedgerReader(ledger).mark() }) else { return nil }
        (self.inventory, self.ledger, self.mark) = (inventory, ledger, mark)
    }

    /// Returns the pictures, if they are still all of the ledger and enough for a configuration. Blocks.
    fileprivate func pictures(
        for configuration: CaptureConfiguration, in reader: LedgerReader
    ) throws(CaptureError) -> SeriesInventory? {
        guard ledger == reader.path, inventory.keepsStills || !configuration.limits.removes,
            configuration.sentPictures == nil || !inventory.lacksLines,
            try reader.mark() == mark
        else { return nil }
        return inventory
    }
}

/// Finds a series, on an executor on which file calls may block.
private actor SeriesFinder {
    private let executor = BlockingExecutor("gst-capture.series")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    func find(
        _ configuration: CaptureConfiguration, _ memory: SeriesMemory? = nil
    ) throws(CaptureError) -> (position: SeriesPosition?, inventory: SeriesInventory?) {
        guard let path = configuration.ledger else {
            throw CaptureError(
                .usage, "needs the ledger of the series", subject: "--resume",
                advice: "leave out --ledger off, or give --ledger a file")
        }
        let place = LedgerPlace(path)
        // Lines that cannot be added now stay for a later start.
        _ = try? Ledger.recover(path)
        guard DeviceFiles.exists(path) else {
            guard DeviceFiles.exists(place.baseFolder) else { throw .missingSeries(place.baseFolder) }
            return (nil, nil)
        }
        let reader = try LedgerReader(path)
        guard let series = try reader.lastSeries() else { return (nil, nil) }
        let differences = SeriesDescription(configuration, place).differences(from: series.description)
        guard differences.isEmpty else { throw .otherSeries(path, differences) }
        let position = try reader.position()
        guard !configuration.limits.isEmpty else { return (position, nil) }
        if let known = try memory?.pictures(for: configuration, in: reader) { return (position, known) }
        return (position, try SeriesInventory(configuration, reading: reader))
    }

    /// `true` if the last series in the ledger has other settings than this one.
    func hasOtherSettings(_ configuration: CaptureConfiguration) throws(CaptureError) -> Bool {
        guard let path = configuration.ledger, DeviceFiles.exists(path) else { return false }
        // The last series may be one that was killed before its first line.
        _ = try? Ledger.recover(path)
        guard let series = try LedgerReader(path).lastSeries() else { return false }
        return !SeriesDescription(configuration, LedgerPlace(path)).differences(from: series.description).isEmpty
    }

    func inventory(
        _ path: String, _ configuration: CaptureConfiguration
    ) throws(CaptureError) -> SeriesInventory? {
        // An empty file contains no series yet. Closing it would drop the lock of the ledger that is open.
        guard DeviceFiles.exists(path), try RegularFile.sizeWithoutOpening(path) > 0 else { return nil }
        _ = try? Ledger.recover(path)
        return try SeriesInventory(configuration, reading: LedgerReader(path))
    }
}

extension SeriesInventory {
    fileprivate init(_ configuration: CaptureConfiguration, reading reader: LedgerReader) throws(CaptureError) {
        self.init(configuration)
        try reader.eachStoredStill { append($0) }
    }
}

extension CaptureError {
    fileprivate static func missingSeries(_ folder: String) -> CaptureError {
        CaptureError(
            .noInput, "does not exist, so there is no series to resume", subject: RegularFile.display(folder),
            advice: "mount the disk, or create the folder to begin a series")
    }
}
