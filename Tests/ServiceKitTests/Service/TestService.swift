// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import OverlayCompositor
import PresetKit
import Testing

@testable import ServiceKit

/// A service of test frames that runs during a test, and the folder of its pictures.
struct TestService: Sendable {
    let service: CaptureService
    let folder: TemporaryFolder
    private let events: AsyncStream<NumberedEvent<ServiceEvent>>

    /// Runs a service during `body`, and stops it.
    ///
    /// - Parameters:
    ///   - cameras: The section `cameras`, in which `FOLDER` stands for the folder of pictures, and `FRAMES` for the
    ///     source of test frames.
    ///   - rasterizer: Draws layers.
    ///   - patience: How long a change of the configuration waits for jobs to end.
    static func run(
        _ cameras: String, rasterizer: (any Rasterizer)? = nil, patience: Duration = .seconds(60),
        _ body: @Sendable (TestService) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        let service = CaptureService(
            try configuration(cameras, in: folder), rasterizer: rasterizer, retryDelay: .seconds(3600),
            patience: patience, state: folder.path + "/state")
        let test = TestService(service: service, folder: folder, events: service.listen(after: 0))
        async let failure = service.run()
        let result: Result<Void, any Error>
        do {
            result = .success(try await body(test))
        } catch {
            result = .failure(error)
        }
        await service.stop()
        #expect(await failure == nil)
        try result.get()
    }

    /// Reads a configuration as ``run(_:_:)`` does.
    static func configuration(_ cameras: String, in folder: TemporaryFolder) throws -> ServiceConfiguration {
        // A machine that stands still for some seconds is no lost camera.
        let (source, patience) = ("source: \"\(CaptureRecord.source)\"", "stall-after: 5m")
        let text =
            "cameras:\n"
            + cameras.replacing("FOLDER", with: folder.path)
            .replacing(/(?m)^( *)source: FRAMES$/) { "\($0.1)\(source)\n\($0.1)\(patience)" }
            .replacing("source: FRAMES", with: "\(source), \(patience)")
        return try ServiceConfiguration(path: "serve.yaml", bytes: Array(text.utf8))
    }

    /// Waits for an event of this kind.
    @discardableResult
    func next(
        _ kind: String, of series: String? = nil, where isIt: (ServiceEvent) -> Bool = { _ in true }
    ) async throws
        -> ServiceEvent
    {
        for await event in events {
            let event = event.event
            if event.kind == kind, series == nil || event.series == series, isIt(event) { return event }
        }
        throw CaptureError(.software, "the service ended before the event \(kind)")
    }

    /// Returns the kinds of the next events up to one of this kind.
    func kinds(upTo last: String) async throws -> [String] {
        var kinds: [String] = []
        for await event in events {
            kinds.append(event.event.kind)
            if event.event.kind == last { return kinds }
        }
        throw CaptureError(.software, "the service ended before the event \(last)")
    }

    /// Waits until a series has this state.
    func state(_ state: SeriesStatus.State, of series: String) async throws {
        _ = try await next("series", of: series) { $0["state"] == state.rawValue }
    }

    /// Waits until all of these series have had this state, in any order: jobs run side by side.
    func state(_ state: SeriesStatus.State, ofAll series: Set<String>) async throws {
        var missing = series
        while !missing.isEmpty {
            let event = try await next("series") { $0["state"] == state.rawValue }
            if let id = event.series { missing.remove(id) }
        }
    }

    /// The state of a series.
    func status(_ series: String) async throws -> SeriesStatus {
        try #require(await service.status.series.first { $0.id == series })
    }
}

extension ServiceEvent {
    /// The text of a member.
    subscript(_ name: String) -> String? {
        guard case .object(let members) = json,
            case .string(let text)? = members.first(where: { $0.name == name })?.value
        else { return nil }
        return text
    }
}

/// Returns the error that `body` throws; `nil` if it returns.
func failure(_ body: @Sendable () async throws -> some Sendable) async -> CaptureError? {
    do {
        _ = try await body()
        return nil
    } catch {
        return error as? CaptureError ?? CaptureError(.software, "\(error)")
    }
}
