// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

extension Ledger {
    /// The ledger of a capture; `nil` where it keeps none.
    init?(_ configuration: CaptureConfiguration, tell: @escaping @Sendable (String) -> Void) {
        guard let path = configuration.ledger else { return nil }
        self.init(
            path, series: SeriesDescription(configuration, LedgerPlace(path)), position: configuration.position,
            tell: tell)
    }

    /// Lets a capture go on with its series where that stands by the ledger; it begins one where there is none.
    ///
    /// - Throws: ``CaptureError`` `.usage` where the configuration has no ledger, `.noInput` where even the folder is
    ///   missing that the series would be in, such as of a disk that is not mounted, `.configuration` where the series
    ///   there is another one, and what ``LedgerReader`` throws.
    public static func goOn(with configuration: inout CaptureConfiguration) async throws(CaptureError) {
        let found = try await SeriesFinder().find(configuration)
        (configuration.position, configuration.earlierStills) = (found.position, found.stills)
    }

    /// Lets the limits of a capture that begins a new series be for the pictures of those before it in its ledger, too.
    ///
    /// - Throws: ``CaptureError``, what ``LedgerReader`` throws.
    public static func countEarlierStills(in configuration: inout CaptureConfiguration) async throws(CaptureError) {
        guard let path = configuration.ledger, !configuration.limits.isEmpty else { return }
        configuration.earlierStills = try await SeriesFinder().stills(path)
    }

    /// What the series of a configuration's ledger have stored; nothing where that cannot be read.
    static func storedStills(_ configuration: CaptureConfiguration) async -> [StoredStill] {
        guard let path = configuration.ledger else { return [] }
        return (try? await SeriesFinder().stills(path)) ?? []
    }

    /// Where the account of pictures of these names is kept, unless somebody says otherwise: in a hidden folder beside
    /// them.
    public static func standardPath(for template: FileNameTemplate) -> String { LedgerPlace(for: template).path }
}

/// Looks for a series where files may block.
private actor SeriesFinder {
    private let executor = BlockingExecutor("gst-capture.series")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    func find(
        _ configuration: CaptureConfiguration
    ) throws(CaptureError) -> (position: SeriesPosition?, stills: [StoredStill]) {
        guard let path = configuration.ledger else {
            throw CaptureError(
                .usage, "there is no ledger that says where the series stands", subject: "--resume",
                advice: "leave out --ledger off, or give --ledger a file")
        }
        let place = LedgerPlace(path)
        guard DeviceFiles.exists(path) else {
            guard DeviceFiles.exists(place.baseFolder) else { throw .missingSeries(place.baseFolder) }
            return (nil, [])
        }
        let reader = try LedgerReader(path)
        guard let series = try reader.series().last else { return (nil, []) }
        let differences = SeriesDescription(configuration, place).differences(from: series.description)
        guard differences.isEmpty else { throw .otherSeries(path, differences) }
        return (try reader.position(), configuration.limits.isEmpty ? [] : try reader.storedStills())
    }

    func stills(_ path: String) throws(CaptureError) -> [StoredStill] {
        // One that is empty is not begun yet.
        guard DeviceFiles.exists(path), try RegularFile.read(path, most: 1).count > 0 else { return [] }
        return try LedgerReader(path).storedStills()
    }
}

extension CaptureError {
    fileprivate static func missingSeries(_ folder: String) -> CaptureError {
        CaptureError(
            .noInput, "is not there, nor is a series to go on with in it", subject: RegularFile.display(folder),
            advice: "mount the disk, or make the folder to begin one")
    }
}
