// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import RecordKit
import SystemBase
import TransferKit
import UploadKit

/// Keeps the records of this machine and of a backend the same, and fetches the pictures of other devices.
struct RecordSynchronization: Sendable {
    /// How many of the records that changed last have their pictures here before a person looks at them.
    private static let mostRecords = 500

    private let sync: RecordSync
    private let pictures: AsyncStream<RecordID>
    private let wakeup: RecordWakeup?
    private let report: @Sendable (RecordSyncEvent) -> Void

    /// Opens the records, and creates their folder if it is missing. Blocks.
    ///
    /// - Parameters:
    ///   - configuration: Has the target that ``RecordsTarget/blobs`` names.
    ///   - state: The state folder; `nil` for that of this process.
    ///   - report: Receives events, on any thread.
    /// - Throws: `CaptureError` if a kind or the address is wrong, or the records or a secret cannot be used.
    init(
        _ target: RecordsTarget, of configuration: OutboxConfiguration, state: String?,
        report: @escaping @Sendable (RecordSyncEvent) -> Void
    ) throws(CaptureError) {
        let library = RecordKindLibrary()
        var kinds: [RecordKind] = []
        for name in target.kinds { kinds.append(try library.file(name).kind) }
        let (pictures, continuation) = AsyncStream<RecordID>.makeStream()
        self.pictures = pictures
        self.report = report
        let wakeup = try target.broker.map { [kinds] (broker) throws(CaptureError) in
            try RecordWakeup(broker, kinds.map(\.id), poll: target.poll)
        }
        self.wakeup = wakeup
        sync = try RecordSync(
            try RecordStore(folder: try RecordStore.folder(in: state), kinds: kinds, .create), kinds.map(\.id),
            try Self.remote(target, configuration), poll: target.poll
        ) { event in
            switch event {
            case .changed(_, let change): continuation.yield(change.id)
            case .pushed(let kind, let etag): wakeup?.tell(kind, etag)
            default: break
            }
            report(event)
        }
    }

    private static func remote(
        _ target: RecordsTarget, _ configuration: OutboxConfiguration
    ) throws(CaptureError) -> any RecordRemote {
        let backend = try BackendClient(RecordBackend(target))
        guard case .target(let id) = target.blobs else { return backend }
        return try SplitBackend(backend, try configuration.target(id).place, board: configuration.board)
    }

    /// Runs until the task is canceled.
    ///
    /// - Parameter once: `true` to return when all that can be exchanged now is exchanged, with the pictures.
    /// - Returns: `true` if the backend has all changes of this machine.
    func run(once: Bool) async -> Bool {
        if once {
            await sync.run(endsWhenIdle: true)
            await fetchNewestPictures()
        } else {
            await withTaskGroup { group in
                group.addTask { await sync.run() }
                group.addTask { await fetchPictures() }
                if let wakeup { group.addTask { await wakeup.run(sync, report: report) } }
            }
        }
        return await sync.isUpToDate
    }

    // MARK: Pictures

    /// Fetches the pictures that are missing: those of the records that changed last, then those of each record that the
    /// backend changes. One that fails is tried again when its record changes, at the next start, and when a person looks
    /// at it.
    private func fetchPictures() async {
        await fetchNewestPictures()
        for await id in pictures { await sync.fetchBlobs(of: id, ifAmong: Self.mostRecords) }
    }

    private func fetchNewestPictures() async {
        for id in await sync.newestRecords(most: Self.mostRecords) {
            await sync.fetchBlobs(of: id, ifAmong: Self.mostRecords)
        }
    }
}

extension RecordBackend {
    fileprivate init(_ target: RecordsTarget) {
        let blobs: String? = if case .address(let address) = target.blobs { address } else { nil }
        self.init(
            records: target.address, blobs: blobs,
            credentials: target.token.map(Credentials.token) ?? .login(target.login))
        authorityFile = target.authorityFile
    }
}

extension RecordSyncEvent {
    /// The subject of the event, if only a change of its line is news; `nil` if each event is.
    var key: String? {
        switch self {
        case .condition(let kind, _): "records of \(kind)"
        case .broker: "broker of records"
        default: nil
        }
    }

    /// The event as a line for people; `nil` if it needs none.
    var line: (text: String, isWarning: Bool)? {
        switch self {
        case .condition(let kind, let condition):
            switch condition {
            case .ready: ("\(kind): up to date", false)
            case .failing(let fault): ("\(kind): \(fault.reason)", true)
            case .stopped(let question): ("\(kind): \(question.text)", true)
            }
        case .changed(let kind, let change):
            change.isConflict
                ? ("\(kind): \(change.id) was changed here and elsewhere; gst-capture records conflicts lists it", true)
                : nil
        case .pushed: nil
        case .broker(let host, nil): ("records: \(host) is connected, and reports changes at once", false)
        case .broker(let host, let fault?): ("records: \(host) reports no changes: \(fault)", true)
        // The reason may quote personal values, and lines go to logs.
        case .refused(let kind, let id, _):
            ("\(kind): the backend refuses \(id); gst-capture records show \(id) says why", true)
        case .damaged(let kind, let damage):
            (
                "\(kind): a record of the backend cannot be read: \(damage.id.map { "\($0): " } ?? "")\(damage.reason)",
                true
            )
        case .pictures(let reason): ("pictures of records: \(reason ?? "up to date")", reason != nil)
        case .trouble(let error): (error.description, true)
        }
    }

    /// The event as an object for programs.
    var json: JSONValue {
        switch self {
        case .condition(let kind, let condition):
            switch condition {
            case .ready: .event("records", ["kind": .string(kind), "state": .string("ready")])
            case .failing(let fault):
                .event(
                    "records", ["kind": .string(kind), "state": .string("failing"), "reason": .string(fault.reason)])
            case .stopped(let question):
                .event(
                    "records", ["kind": .string(kind), "state": .string("stopped"), "reason": .string(question.text)])
            }
        case .changed(let kind, let change):
            .event(
                "record",
                ["kind": .string(kind), "id": .string("\(change.id)"), "conflict": .bool(change.isConflict)])
        case .pushed(let kind, let etag):
            .event("pushed", ["kind": .string(kind), "etag": .integer(etag)])
        case .broker(let host, let fault):
            .event("broker", ["host": .string(host), "reason": .optional(fault)])
        case .refused(let kind, let id, _): .event("refused", ["kind": .string(kind), "id": .string("\(id)")])
        case .damaged(let kind, let damage):
            .event(
                "damaged",
                [
                    "kind": .string(kind), "id": .optional(damage.id.map { "\($0)" }),
                    "reason": .string(damage.reason),
                ])
        case .pictures(let reason):
            .event(
                "record-pictures",
                ["state": .string(reason == nil ? "ready" : "failing"), "reason": .optional(reason)])
        case .trouble(let error): .event("error", ["error": error.json])
        }
    }
}
#endif
