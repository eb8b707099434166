// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import SystemBase

/// The series that clients created: in memory, and in the files of a ``SeriesFolder``.
struct CreatedSeriesList: Sendable {
    private let folder: SeriesFolder?
    private var series: [CreatedSeries] = []

    /// The maximum number of series in a configuration.
    static let most = 64

    /// - Parameter state: The folder of the service's state; `nil` if clients cannot create series.
    init(state: String?) { folder = state.map(SeriesFolder.init(state:)) }

    /// Reads the files of an earlier process.
    ///
    /// - Returns: An error for each file that cannot be read; it stays.
    mutating func read() async -> [CaptureError] {
        guard let folder else { return [] }
        let (found, errors) = await BlockingWork.run { folder.read() }
        series = found
        return errors
    }

    /// Returns a configuration with the series, and an error for each that does not fit into it.
    func added(to configuration: ServiceConfiguration) -> (ServiceConfiguration, errors: [CaptureError]) {
        folder.map { configuration.adding(series, in: $0.pictures) } ?? (configuration, [])
    }

    /// `true` if clients created the series, which runs in the configuration or waits for its camera.
    func contains(_ id: String, in configuration: ServiceConfiguration) -> Bool {
        guard let created = series.first(where: { $0.id == id }) else { return false }
        let camera = configuration.cameras.first { $0.series.contains { $0.id == id } }
        return camera == nil || camera?.id == created.camera
    }

    /// Adds a series to a configuration. It is durable on return.
    ///
    /// - Returns: The configuration with the series.
    /// - Throws: As ``CaptureService/create(_:)``.
    mutating func create(
        _ new: CreatedSeries, in configuration: ServiceConfiguration
    ) async throws(CaptureError) -> ServiceConfiguration {
        guard let folder else {
            throw CaptureError(.temporary, "has no state folder", subject: "series", advice: "give one with --state")
        }
        // A series whose camera is gone does not run.
        let count = series.count { series in configuration.cameras.contains { $0.id == series.camera } }
        guard count < Self.most else {
            throw CaptureError(
                .cannotCreate, "there are \(Self.most) already", subject: "series", advice: "delete one")
        }
        var next = configuration
        try next.add(new, in: folder.pictures)
        try await BlockingWork.run { () throws(CaptureError) in try folder.write(new) }
        series.removeAll { $0.id == new.id }
        series.append(new)
        return next
    }

    /// Removes a series durably. Its pictures stay.
    mutating func remove(_ id: String) async throws(CaptureError) {
        if let folder { try await BlockingWork.run { () throws(CaptureError) in try folder.remove(id) } }
        series.removeAll { $0.id == id }
    }
}
