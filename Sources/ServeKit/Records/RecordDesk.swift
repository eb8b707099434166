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

    /// Creates a desk; the first call opens the store, and creates it if it is missing.
    ///
    /// - Parameter emit: Receives an event of each change.
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
        if record.revision != revision { emit(ServiceEvent(record)) }
        return record
    }

    private func store() throws(CaptureError) -> RecordStore {
        if let opened { return opened }
        let store = try RecordStore(folder: folder, kinds: kinds, .create)
        opened = store
        return store
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
