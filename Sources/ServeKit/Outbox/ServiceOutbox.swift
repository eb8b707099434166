// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import LibraryFeed
import LibraryKit
import ServiceKit
import SystemBase
import UploadKit

/// The outbox that a service shows. Its sender is another process, which follows the requests that are added here.
struct ServiceOutbox: Sendable {
    private let configuration: OutboxConfiguration
    private let path: String
    private let folder: String
    /// Reports changes of the store.
    let watch: OutboxWatch

    /// Reads the configuration of an outbox, and opens its store. Blocks.
    ///
    /// - Parameter state: The state folder, which the sender uses, too.
    init(path: String, state: String) throws(CaptureError) {
        (configuration, self.path) = (try OutboxConfiguration(path: path), path)
        folder = state + "/outbox"
        watch = OutboxWatch(folder: folder)
        _ = try OutboxStore(folder: folder)
    }

    /// Finds the pictures of series that are sent.
    var sentPictures: SentPicturesSource { Self.sentPictures(configuration, file: path, store: folder) }

    /// Checks that an outbox sends the pictures of all series that need it. Blocks.
    ///
    /// - Throws: `CaptureError` with a line for each mistake.
    static func check(_ service: ServiceConfiguration) throws(CaptureError) {
        guard let path = service.outbox else { return try service.checkOutbox(nil) }
        // Nothing is read in the folder.
        try service.checkOutbox(sentPictures(try OutboxConfiguration(path: path), file: path, store: "/"))
    }

    private static func sentPictures(
        _ configuration: OutboxConfiguration, file: String, store: String
    ) -> SentPicturesSource {
        { request throws(CaptureError) in
            do throws(CaptureError) {
                return try configuration.sentPictures(request, file: file, store: store)
            } catch {
                // The outbox need not send a series that only prunes.
                guard request.setting == SentPicturesRequest.pruning else { throw error }
                return nil
            }
        }
    }

    /// The state of each target.
    func reports() async throws(CaptureError) -> [TargetReport] {
        try await perform { store throws(CaptureError) in try TargetReport.all(configuration, store) }
    }

    /// Returns the jobs of a target; `nil` if there is no such target.
    func jobs(of target: String, isDead: Bool, most: Int) async throws(CaptureError) -> [UploadJob]? {
        guard has(target) else { return nil }
        return try await perform { store throws(CaptureError) in
            try store.jobs(of: target, isDead: isDead, most: most)
        }
    }

    /// Returns the state of a picture at each target to which it goes.
    func uploads(
        of item: LibraryItem, in library: ServiceLibrary
    ) async throws(CaptureError) -> [UploadState] {
        switch item.id.origin {
        case .series(_, let number):
            let ledger = try await library.read { index throws(CaptureError) in try index.ledger(of: item.id) }
            guard let ledger else { return [] }
            let line = UploadLine(
                number, of: ledger.path, identity: ledger.identity, fileName: item.facts.fileName)
            return try await perform { [configuration] store throws(CaptureError) in
                try store.states(of: line, configuration)
            }
        case .session:
            let found = try await library.read { index throws(CaptureError) in try index.item(item.id) }
            guard let place = found?.places.first(where: { $0.role == .shown }) else { return [] }
            return try await perform { [configuration] store throws(CaptureError) in
                try store.states(ofPicture: place.name, in: place.folder, configuration)
            }
        default: return []
        }
    }

    /// Asks the sender for something.
    ///
    /// - Returns: `false` if there is no such target, or no such job of it.
    func add(_ request: OutboxRequest) async throws(CaptureError) -> Bool {
        guard has(request.target) else { return false }
        return try await perform { store throws(CaptureError) in
            if let job = request.job, try store.job(job)?.lane.target != request.target { return false }
            try store.add(request)
            return true
        }
    }

    private func has(_ target: String) -> Bool { configuration.targets.contains { $0.id == target } }

    /// Runs `body` with the store on a thread that may block. Each call opens the store.
    private func perform<Result: Sendable>(
        _ body: @escaping @Sendable (OutboxStore) throws(CaptureError) -> Result
    ) async throws(CaptureError) -> Result {
        try await BlockingWork.run { [folder] () throws(CaptureError) in try body(try OutboxStore(folder: folder)) }
    }
}
#endif
