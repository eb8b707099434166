// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Glibc
import StillKit
import Synchronization
import SystemBase

/// Keeps requests and their responses, so that a repeated request gets the same response: also after the service was
/// killed, if the request stored pictures or its response was recorded in a file.
///
/// A record is kept for 24 hours. If there are more than 10,000 records, or more than 256 MiB of them, the oldest with
/// a response are removed first. Brief responses are in memory only, for ten minutes. One process at a time uses a
/// folder. The actor runs on a thread that may block; the first call reads the folder.
public actor RequestJournal {
    /// The result of ``begin(_:fingerprint:isDurable:)``.
    public enum Beginning: Sendable, Hashable {
        /// The request is new, and is now being answered.
        case new
        /// The request was answered before.
        case known(RecordedResponse)
        /// The same request is being answered.
        case running
        /// Another request had the same name.
        case different
        /// The request was about to store pictures when the process ended, or failed after it had stored them.
        case interrupted
    }

    private let executor = BlockingExecutor("gst-capture.requests")
    /// Runs the actor's work on a thread that may block.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let folder: String?
    private let store = StillStore(overwrites: true, latest: nil, isPrivate: true)
    private let clock: @Sendable () -> AgeClock
    /// Limits the folder to one service.
    private var lock: FileLock?
    /// The records, by the hashes of their names.
    private var entries: [String: Entry] = [:]
    /// The records of requests that are being answered.
    private var running: [String: RequestRecord] = [:]
    /// The requests that are being answered after an interruption, with the callers that wait for the answer.
    private var resuming: [String: [CheckedContinuation<Void, Never>]] = [:]
    /// The bytes of all files, and of all bodies in memory.
    private var (byteCount, memoryCount) = (0, 0)
    private nonisolated let storageFault = Mutex(RecentFault())

    private struct Entry {
        var time: Int64
        /// The size of the file; 0 if there is none.
        var byteCount = 0
        var isAnswered = false
        var isBrief = false
        /// The record, if the file does not have it or is older.
        var record: RequestRecord?

        var memoryCount: Int { record?.response?.body.count ?? 0 }
    }

    /// How long a record is kept, in seconds.
    private static let (lifetime, briefLifetime): (Int64, Int64) = (24 * 3600, 600)
    private static let (mostEntries, mostBytes) = (10_000, 256 << 20)
    /// The maximum size of a record. A larger picture is returned, and not recorded.
    private static let mostRecordBytes = 64 << 20
    /// The maximum size of the bodies in memory.
    private static let mostMemoryBytes = 32 << 20
    /// Most records have a head of some hundred bytes.
    private static let headBytes = 64 << 10

    /// Prepares a journal; nothing is read yet.
    ///
    /// - Parameters:
    ///   - folder: The folder of the records, which is created when it is needed; `nil` for none.
    ///   - clock: Returns the clock; tests replace it.
    package init(_ folder: String?, clock: @escaping @Sendable () -> AgeClock = { .current() }) {
        (self.folder, self.clock) = (folder, clock)
    }

    /// The error of the last record that could not be written; `nil` after a success, and after five minutes. Any
    /// thread may read it.
    package nonisolated var fault: CaptureError? { storageFault.withLock { $0.error } }

    /// Begins a request. Nothing is written before the request has an effect, unless it must be: a picture does not wait
    /// for the disk of the journal. While the request is answered after an interruption, the call waits for the answer.
    ///
    /// - Parameters:
    ///   - name: The name that the client gave the request, in one line.
    ///   - fingerprint: Identifies the content of the request, in one line.
    ///   - isDurable: `true` to record the request in a file before the call returns.
    /// - Throws: `CaptureError` `.temporary` if there is no folder, if it cannot be used, or if another process uses it;
    ///   or if the record of the request is gone.
    public func begin(
        _ name: String, fingerprint: String, isDurable: Bool = false
    ) async throws(CaptureError) -> Beginning {
        try open()
        let id = Self.id(name)
        // Nothing else runs between the end of the wait and the rest: an answer that begins now would be refused.
        while resuming[id] != nil { await withCheckedContinuation { resuming[id]?.append($0) } }
        if let record = running[id] { return record.fingerprint == fingerprint ? .running : .different }
        removeOld()
        if let entry = entries[id] {
            let record = try self.record(id, entry)
            guard record.fingerprint == fingerprint else { return .different }
            if let response = record.response { return .known(response) }
            if !record.pictures.isEmpty { return .interrupted }
        }
        let record = RequestRecord(name: name, fingerprint: fingerprint, time: clock().time.seconds)
        if isDurable { try write(record, id) }
        running[id] = record
        return .new
    }

    /// Records the response of a request that has begun. A response that cannot be written stays in memory.
    ///
    /// - Parameter isBrief: `true` to keep the response in memory only, and for ten minutes: it has personal data, or a
    ///   picture that is not stored.
    /// - Throws: `CaptureError` if the response cannot be written.
    public func finish(_ name: String, _ response: RecordedResponse, isBrief: Bool = false) throws(CaptureError) {
        let id = Self.id(name)
        guard var record = running.removeValue(forKey: id) else { return }
        defer { endResumption(id) }
        record.response = response
        guard !isBrief else {
            remove(id)
            return keep(record, id, isBrief: true)
        }
        do throws(CaptureError) {
            try write(record, id)
        } catch {
            keep(record, id)
            throw error
        }
    }

    /// Ends a request that failed. Without pictures it had no effect, and the next one with this name is new; otherwise
    /// the next one is ``Beginning/interrupted``.
    public func release(_ name: String) {
        let id = Self.id(name)
        guard let record = running.removeValue(forKey: id) else { return }
        if record.pictures.isEmpty { remove(id) }
        endResumption(id)
    }

    /// Returns the record with a name: its response, or `nil` while it is being answered.
    ///
    /// - Throws: `CaptureError` `.noInput` if there is none.
    public func response(to name: String) throws(CaptureError) -> RecordedResponse? {
        try open()
        let id = Self.id(name)
        if running[id] != nil { return nil }
        guard let entry = entries[id] else { throw .unknown("request", name) }
        return try record(id, entry).response
    }

    /// Adds a picture that is about to be stored to a request. The record is durable on return; if it cannot be written,
    /// it stays in memory, and the picture is stored all the same: a full disk of the journal must not prevent it.
    func plan(_ picture: PlannedPicture, for name: String, replacing isAgain: Bool) {
        let id = Self.id(name)
        guard var record = running[id] else { return }
        if isAgain { _ = record.pictures.popLast() }
        record.pictures.append(picture)
        running[id] = record
        do throws(CaptureError) { try write(record, id) } catch { keep(record, id) }
    }

    // MARK: Requests that were interrupted

    /// Reads the folder, and returns the names of requests without a response that are not being answered.
    ///
    /// - Throws: As ``begin(_:fingerprint:isDurable:)``.
    func interrupted() throws(CaptureError) -> [String] {
        try open()
        return entries.filter { !$0.value.isAnswered && running[$0.key] == nil }
            .compactMap { try? record($0.key, $0.value).name }.sorted()
    }

    /// Begins a request that was interrupted; `nil` if it is being answered, has been answered or does not exist.
    func resume(_ name: String) throws(CaptureError) -> RequestRecord? {
        try open()
        let id = Self.id(name)
        guard running[id] == nil, let entry = entries[id], !entry.isAnswered else { return nil }
        let record = try record(id, entry)
        running[id] = record
        resuming[id] = []
        return record
    }

    private func endResumption(_ id: String) {
        for waiter in resuming.removeValue(forKey: id) ?? [] { waiter.resume() }
    }

    /// Forgets a request that stored nothing: the next one with this name is new.
    func forget(_ name: String) {
        let id = Self.id(name)
        running[id] = nil
        remove(id)
        endResumption(id)
    }

    /// Names of requests are of any characters; files have their hash.
    static func id(_ name: String) -> String { SHA256.digits(of: Array(name.utf8)) }
}

// MARK: - Records

extension RequestJournal {
    /// Returns a record from memory or from its file.
    private func record(_ id: String, _ entry: Entry) throws(CaptureError) -> RequestRecord {
        if let record = entry.record { return record }
        // A request that may have stored pictures must not capture again.
        guard let bytes = try? RegularFile(path(id)).bytes(most: Self.mostRecordBytes + 1),
            let record = RequestRecord(bytes)
        else {
            throw CaptureError(
                .temporary, "the record of the request is gone", subject: "Idempotency-Key",
                advice: "look for its pictures, then repeat it with another key")
        }
        return record
    }

    private func write(_ record: RequestRecord, _ id: String) throws(CaptureError) {
        let bytes = record.bytes
        guard bytes.count <= Self.mostRecordBytes else {
            throw CaptureError(.usage, "the response is too large to be kept", advice: "leave out Idempotency-Key")
        }
        do throws(CaptureError) {
            // The folder may have been removed.
            if let folder { try PrivateFolder.make(folder) }
            try store.write(bytes, to: path(id))
        } catch {
            storageFault.withLock { $0.error = error }
            throw error
        }
        storageFault.withLock { $0.error = nil }
        var entry = Entry(time: record.time)
        (entry.byteCount, entry.isAnswered) = (bytes.count, record.response != nil)
        replace(id, entry)
    }

    /// Keeps a record in memory. The oldest responses make room.
    private func keep(_ record: RequestRecord, _ id: String, isBrief: Bool = false) {
        var entry = Entry(time: record.time)
        (entry.byteCount, entry.isAnswered) = (entries[id]?.byteCount ?? 0, record.response != nil)
        (entry.isBrief, entry.record) = (isBrief, record)
        guard entry.memoryCount <= Self.mostMemoryBytes else { return }
        replace(id, entry)
        guard memoryCount > Self.mostMemoryBytes else { return }
        let old = entries.filter { $0.key != id && $0.value.memoryCount > 0 }.sorted { $0.value.time < $1.value.time }
        for (id, entry) in old where memoryCount > Self.mostMemoryBytes {
            // A file may still have the pictures.
            if entry.byteCount == 0 { remove(id) } else { restore(id, entry) }
        }
    }

    /// Forgets the response of a record that is in memory, and takes what the file has.
    private func restore(_ id: String, _ entry: Entry) {
        var entry = entry
        (entry.record, entry.isAnswered) = (nil, false)
        replace(id, entry)
    }

    private func replace(_ id: String, _ entry: Entry?) {
        let old = entries[id]
        byteCount += (entry?.byteCount ?? 0) - (old?.byteCount ?? 0)
        memoryCount += (entry?.memoryCount ?? 0) - (old?.memoryCount ?? 0)
        entries[id] = entry
    }

    private func remove(_ id: String) {
        guard let entry = entries[id] else { return }
        replace(id, nil)
        if entry.byteCount > 0 { unlink(path(id)) }
    }

    private func removeOld() {
        // A clock that jumped ahead must not forget a request: its repeat would capture again.
        let clock = clock()
        for (id, entry) in entries where running[id] == nil {
            guard let age = clock.age(of: entry.time) else { continue }
            if age > (entry.isBrief ? Self.briefLifetime : Self.lifetime) { remove(id) }
        }
        guard entries.count >= Self.mostEntries || byteCount > Self.mostBytes else { return }
        for (id, entry) in entries.sorted(by: { $0.value.time < $1.value.time }) where entry.isAnswered {
            remove(id)
            // Some room, so that the next requests need not sort again.
            if entries.count < Self.mostEntries * 9 / 10, byteCount < Self.mostBytes / 10 * 9 { return }
        }
    }
}

// MARK: - The folder

extension RequestJournal {
    private func open() throws(CaptureError) {
        guard lock == nil else { return }
        guard let folder else {
            throw CaptureError(
                .temporary, "requests cannot be recorded without a folder", subject: "--state",
                advice: "give one, such as --state /var/lib/gst-capture")
        }
        do throws(CaptureError) {
            try open(folder)
        } catch {
            // The client did nothing wrong, and may repeat the request.
            throw CaptureError(
                .temporary, error.message, subject: error.subject, advice: error.advice,
                systemError: error.systemError)
        }
    }

    private func open(_ folder: String) throws(CaptureError) {
        try PrivateFolder.make(StillFolder.path(of: folder))
        try PrivateFolder.make(folder)
        chmod(folder, 0o700)
        guard let lock = try FileLock(folder + "/lock") else {
            throw CaptureError(
                .temporary, "is used by another service", subject: folder,
                advice: "give each service its own folder, such as --state /var/lib/gst-capture-2")
        }
        self.lock = consume lock
        TemporaryFile.removeLeftovers(in: folder)
        for name in DeviceFiles.names(in: folder) where name.utf8.count == 64 { read(name) }
        removeOld()
    }

    /// Reads the head of a record. A record is written as a whole: damage means that the disk lost it.
    private func read(_ id: String) {
        do throws(RegularFile.Failure) {
            let file = try RegularFile(path(id))
            let size = Int(file.status.st_size)
            var bytes = try file.bytes(most: min(size, Self.headBytes))
            if RecordHead(bytes) == nil, (bytes.count..<Self.mostRecordBytes).contains(size) {
                bytes += try file.bytes(most: size - bytes.count)
            }
            guard let head = RecordHead(bytes), head.byteCount == size, Self.id(head.record.name) == id else {
                unlink(path(id))
                return
            }
            var entry = Entry(time: head.record.time)
            (entry.byteCount, entry.isAnswered) = (size, head.status != nil)
            replace(id, entry)
        } catch {
            // The file may be readable later.
        }
    }

    private func path(_ id: String) -> String { "\(folder ?? "")/\(id)" }
}
