// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import RecordKit
import ServiceKit
import SystemBase

/// The records of a service. The command may change them at the same time. Any task may use it; no call blocks its thread.
actor RecordDesk {
    /// The kinds that the configuration names. Records of others are not served.
    nonisolated let kinds: [RecordKind]

    private let folder: String
    private let emit: @Sendable (ServiceEvent) -> Void
    private let executor = BlockingExecutor("gst-capture.records")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    private var opened: RecordStore?
    private var watch: RecordStoreWatch?
    /// The place in the store at which the next look for changes of other programs continues.
    private var place: Int64?
    /// The revisions that this service has reported and not seen in the store yet.
    private var reported: [RecordID: Int] = [:]
    /// The changes of others that are reported at once: a client reads the list again after the first one anyway.
    private static let mostEvents = 100
    /// The pictures that clients have requested, and that are not here yet.
    private var requested: Set<String> = []
    private static let mostRequested = 1000

    /// Creates a desk; the first call opens the store, and creates it if it is missing.
    ///
    /// - Parameter emit: Receives an event of each change, also of one that another program made.
    init(_ kinds: [RecordKind], folder: String, emit: @escaping @Sendable (ServiceEvent) -> Void) {
        (self.kinds, self.folder, self.emit) = (kinds, folder, emit)
    }

    /// Calls `body` with the store.
    ///
    /// - Throws: `CaptureError` if the store cannot be used, and the errors of `body`. Errors name no paths below the folder,
    ///   as clients see them.
    func perform<Result: Sendable>(_ body: @Sendable (RecordStore) throws -> Result) throws -> Result {
        do {
            return try body(try store())
        } catch let error as CaptureError {
            throw shown(error)
        } catch RecordRefusal.other(let error) {
            throw shown(error)
        }
    }

    /// Changes a record, and emits the event if it has another revision then.
    ///
    /// - Parameter revision: The revision before; `nil` if the record is new.
    /// - Throws: `RecordRefusal`, and as ``perform(_:)``.
    func change(from revision: Int?, _ body: @Sendable (RecordStore) throws -> Record) throws -> Record {
        let record = try perform(body)
        if record.revision != revision {
            reported[record.id] = record.revision
            emit(ServiceEvent(record))
        }
        return record
    }

    /// Returns the path of a picture. If only the backend has it, the sender is asked to fetch it, and an event follows
    /// when it is here.
    ///
    /// - Throws: `CaptureError` `.temporary` if it is being fetched, and `.noInput` if no record or no backend has it.
    func path(ofPicture sha256: String) throws -> String {
        let now = WallTime.now().millisecondsSince1970
        switch try perform({ try $0.request(sha256, at: now) }) {
        case .here(let path): return path
        case .requested:
            // Further ones arrive without an event.
            if requested.count < Self.mostRequested { requested.insert(sha256) }
            throw CaptureError(
                .temporary, "the picture is being fetched from the backend",
                advice: "wait for the event record-picture, or ask again")
        case .missing: throw CaptureError(.noInput, "the picture is neither on this machine nor at the backend")
        case .unknown: throw CaptureError.unknown("picture of records", sha256)
        }
    }

    private func store() throws(CaptureError) -> RecordStore {
        if let opened { return opened }
        let store = try RecordStore(folder: folder, kinds: kinds, .create)
        opened = store
        place = try store.changes(since: nil, most: 0).place
        watch = RecordStoreWatch(store) { [weak self] in await self?.reportOthers() }
        return store
    }

    /// Emits events of the changes that other programs made: the command, and the sender with those of a backend.
    private func reportOthers() {
        guard let store = opened, let changes = try? store.changes(since: place, most: Self.mostEvents) else { return }
        place = changes.place
        for record in changes.records where reported[record.id] != record.revision {
            guard kinds.contains(where: { $0.id == record.kind }) else { continue }
            emit(ServiceEvent(record))
        }
        reported = [:]
        reportPictures(store)
    }

    /// Emits events of the requested pictures that are here now.
    private func reportPictures(_ store: RecordStore) {
        for sha256 in requested {
            guard let state = try? store.pictureState(sha256), state != .requested else { continue }
            requested.remove(sha256)
            if case .here = state { emit(ServiceEvent(recordPicture: sha256)) }
        }
    }

    private func shown(_ error: CaptureError) -> CaptureError {
        guard let subject = error.subject, subject.hasPrefix(folder) else { return error }
        return CaptureError(
            error.code, error.message, subject: "records", advice: error.advice, systemError: error.systemError)
    }
}

extension ServiceEvent {
    /// Creates the event of a change of a record.
    fileprivate init(_ record: Record) {
        self.init(
            record: record.id.description, kind: record.kind, revision: record.revision,
            state: record.isTrashed ? "trash" : "present")
    }
}
#endif
