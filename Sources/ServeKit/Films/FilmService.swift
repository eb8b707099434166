// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import FilmKit
import FilmStore
import LibraryFeed
import OverlayCompositor
import ServiceKit
import ServiceLifecycle

/// Runs the desk of the films that clients order, and finds their pictures.
struct FilmService: Service {
    let desk: FilmDesk

    /// - Parameter state: The folder of the service's state.
    init(
        _ service: CaptureService, _ library: ServiceLibrary?, state: String, _ rasterizer: (any Rasterizer)?
    ) throws(CaptureError) {
        desk = try FilmDesk(state + "/films", rasterizer) { source throws(CaptureError) in
            try await Self.pictures(of: source, service, library)
        } report: { report in
            service.emit(ServiceEvent(report))
        }
    }

    func run() async throws {
        await withTaskGroup { group in
            group.addTask { [desk] in await desk.run() }
            try? await gracefulShutdown()
            await desk.finish()
        }
    }

    /// Returns the pictures of a series or of an album.
    ///
    /// - Throws: `CaptureError` `.noInput` if there is no such series or album; it names no path of this machine.
    static func pictures(
        of source: FilmOrder.Source, _ service: CaptureService, _ library: ServiceLibrary?
    ) async throws(CaptureError) -> FilmSource {
        let path: String
        switch source {
        case .series(let id):
            guard let ledger = try await service.pictures(of: id).ledger else { throw .unknown("series", id) }
            path = ledger
        case .album(let id):
            guard let library else { throw .unknown("album", id) }
            path = try await library.read { index throws(CaptureError) in try index.album(id).path }
        }
        do throws(CaptureError) {
            return try await BlockingWork.run { () throws(CaptureError) in try FilmSource(path, isConfined: true) }
        } catch {
            throw CaptureError(error.code, error.message, subject: source.id, advice: error.advice)
        }
    }
}

extension FilmOrder.Source {
    /// The ID of the series or the album.
    fileprivate var id: String {
        switch self {
        case .series(let id), .album(let id): id
        }
    }
}
#endif
