// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Glibc
import StillKit
import SystemBase

/// Keeps requests and their responses in files, so that a repeated request gets the same response: also after the
/// service was killed. Each record is durable when a call returns.
///
/// A record is kept for 24 hours. If there are more than 10,000 records, or more than 256 MiB of them, the oldest with
/// a response are removed first. One process at a time uses a folder. The actor runs on a thread that may block.
public actor RequestJournal {
    /// The result of ``begin(_:fingerprint:)``.
    public enum Beginning: Sendable, Hashable {
        /// The request is new, and now recorded.
        case new
        /// The request was answered before.
        case known(RecordedResponse)
        /// The same request is being answered.
        case running
        /// Another request had the same name.
        case different
    }

    private let executor = BlockingExecutor("gst-capture.requests")
    /// Runs the actor's work on a thread that may block.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let folder: String?
    private let store = StillStore(overwrites: true, latest: nil, isPrivate: true)
    private let now: @Sendable () -> Int64
    /// Limits the folder to one service.
    private var lock: FileLock?
    /// The records in the folder, by name.
    private var entries: [String: Entry] = [:]
    /// The records of requests that are being answered.
    private var running: [String: RequestRecord] = [:]
    private var byteCount = 0

    private struct Entry {
        var time: Int64
        var byteCount: Int
        var isAnswered: Bool
    }

    /// How long a record is kept, in seconds.
    private static let lifetime: Int64 = 24 * 3600
    private static let (mostEntries, mostBytes) = (10_000, 256 << 20)
    /// The maximum size of a record. A larger picture is returned, and not recorded.
    private static let mostRecordBytes = 64 << 20

    /// Prepares a journal; nothing is read yet.
    ///
    /// - Parameters:
    ///   - folder: The folder of the records, which is created when it is needed; `nil` for none.
    ///   - now: The time in seconds since 1970.
    public init(_ folder: String?, now: @escaping @Sendable () -> Int64 = { WallTime.now().seconds }) {
        (self.folder, self.now) = (folder, now)
    }

    /// Records that a request was received.
    ///
    /// - Parameters:
    ///   - name: The name that the client gave the request, in one line.
    ///   - fingerprint: Identifies the content of the request, in one line.
    /// - Throws: `CaptureError` `.temporary` if another process uses the folder, or if there is none, and the errors of files.
    public func begin(_ name: String, fingerprint: String) throws(CaptureError) -> Beginning {
        try open()
        let id = Self.id(name)
        if let record = running[id] { return record.fingerprint == fingerprint ? .running : .different }
        removeOld()
        if entries[id] != nil, let record = read(id) {
            guard record.fingerprint == fingerprint else { return .different }
            if let response = record.response { return .known(response) }
        }
        let record = RequestRecord(name: name, fingerprint: fingerprint, time: now())
        try write(record, id)
        running[id] = record
        return .new
    }

    /// Records the response of a request that has begun. A response that is too large, or that cannot be written,
    /// is not recorded: the picture exists, and the client gets it.
    ///
    /// - Throws: `CaptureError` if the response cannot be written.
    public func finish(_ name: String, _ response: RecordedResponse) throws(CaptureError) {
        let id = Self.id(name)
        guard var record = running.removeValue(forKey: id) else { return }
        record.response = response
        try write(record, id)
    }

    /// Forgets a request that had no effect: the next one with this name is new.
    public func abandon(_ name: String) {
        let id = Self.id(name)
        running[id] = nil
        remove(id)
    }

    /// Returns the record with a name: its response, or `nil` while it is being answered.
    ///
    /// - Throws: `CaptureError` `.noInput` if there is none.
    public func response(to name: String) throws(CaptureError) -> RecordedResponse? {
        try open()
        let id = Self.id(name)
        if running[id] != nil { return nil }
        guard entries[id] != nil, let record = read(id) else { throw .unknown("request", name) }
        return record.response
    }

    /// Adds a picture that is about to be stored to a request. The record is durable on return.
    func plan(_ picture: PlannedPicture, for name: String, replacing isAgain: Bool) throws(CaptureError) {
        let id = Self.id(name)
        guard var record = running[id] else { return }
        if isAgain { record.pictures.removeLast() }
        record.pictures.append(picture)
        try write(record, id)
        running[id] = record
    }

    /// Opens the folder.
    ///
    /// - Returns: The requests that an earlier process left without a response, by ID.
    /// - Throws: As ``begin(_:fingerprint:)``.
    func unanswered() throws(CaptureError) -> [String: RequestRecord] {
        try open()
        var found: [String: RequestRecord] = [:]
        for (id, entry) in entries where !entry.isAnswered && running[id] == nil { found[id] = read(id) }
        return found
    }

    /// Answers a request that an earlier process left, or removes it without a response.
    func settle(_ id: String, _ record: RequestRecord, _ response: RecordedResponse?) throws(CaptureError) {
        guard let response else { return remove(id) }
        var record = record
        record.response = response
        try write(record, id)
    }

    /// Names of requests are of any characters; files have their hash.
    static func id(_ name: String) -> String { SHA256.digits(of: Array(name.utf8)) }
}

// MARK: - Files

extension RequestJournal {
    private func open() throws(CaptureError) {
        guard lock == nil else { return }
        guard let folder else {
            throw CaptureError(
                .temporary, "requests cannot be recorded without a folder", subject: "--state",
                advice: "give one, such as --state /var/lib/gst-capture")
        }
        try StillFolder.make(folder)
        chmod(folder, 0o700)
        guard let lock = try FileLock(folder + "/lock") else {
            throw CaptureError(
                .temporary, "is used by another service", subject: folder,
                advice: "give each service its own folder, such as --state /var/lib/gst-capture-2")
        }
        self.lock = consume lock
        TemporaryFile.removeLeftovers(in: folder)
        for name in DeviceFiles.names(in: folder) where name.utf8.count == 64 {
            guard let bytes = try? RegularFile(path(name)).bytes(most: Self.mostRecordBytes),
                let record = RequestRecord(bytes)
            else {
                // A record is written as a whole. Damage means that the disk lost it.
                unlink(path(name))
                continue
            }
            add(name, record, bytes.count)
        }
        removeOld()
    }

    private func path(_ id: String) -> String { "\(folder ?? "")/\(id)" }

    private func add(_ id: String, _ record: RequestRecord, _ count: Int) {
        byteCount += count - (entries[id]?.byteCount ?? 0)
        entries[id] = Entry(time: record.time, byteCount: count, isAnswered: record.response != nil)
    }

    private func read(_ id: String) -> RequestRecord? {
        (try? RegularFile(path(id)).bytes(most: Self.mostRecordBytes)).flatMap { RequestRecord($0) }
    }

    private func write(_ record: RequestRecord, _ id: String) throws(CaptureError) {
        let bytes = record.bytes
        guard bytes.count <= Self.mostRecordBytes else {
            throw CaptureError(.usage, "the response is too large to be kept", advice: "leave out Idempotency-Key")
        }
        try store.write(bytes, to: path(id))
        add(id, record, bytes.count)
    }

    private func remove(_ id: String) {
        guard let entry = entries.removeValue(forKey: id) else { return }
        byteCount -= entry.byteCount
        unlink(path(id))
    }

    private func removeOld() {
        let limit = now() - Self.lifetime
        for (id, entry) in entries where entry.isAnswered && entry.time < limit { remove(id) }
        guard entries.count >= Self.mostEntries || byteCount > Self.mostBytes else { return }
        for (id, entry) in entries.sorted(by: { $0.value.time < $1.value.time }) where entry.isAnswered {
            remove(id)
            // Some room, so that the next requests need not sort again.
            if entries.count < Self.mostEntries * 9 / 10, byteCount < Self.mostBytes / 10 * 9 { return }
        }
    }
}
