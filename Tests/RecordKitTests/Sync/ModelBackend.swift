// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureTestSupport
import Foundation
import RecordKit
import Synchronization

/// A backend in memory that fails at any moment, also after it has made a change.
final class ModelBackend: RecordRemote {
    /// The faults of the backend.
    struct Faults: Sendable {
        /// How many of 100 requests fail before they have an effect.
        var before = 0
        /// How many of 100 requests have their effect, and the answer is lost.
        var after = 0
        var isDown = false
        var isUnauthorized = false
        /// `true` if it takes no change.
        var isReadOnly = false
        /// The records that it refuses.
        var refused: Set<RecordID> = []
        /// The records on which it breaks.
        var broken: Set<RecordID> = []
        /// The files that it does not erase.
        var kept: Set<String> = []
    }

    /// All that the backend has.
    struct Content: Sendable {
        var records: [String: [RecordID: RemoteRecord]] = [:]
        var etags: [String: Int] = [:]
        var blobs: Set<String> = []
    }

    fileprivate struct State {
        var generator: SplitMix
        var faults = Faults()
        var content = Content()
        /// The clock of the backend, which gives the ETags.
        var clock = 1_000_000
        var problems: [String] = []
        var requests: [String] = []
        /// Called once before the next request that changes a record.
        var beforeChange: (@Sendable () -> Void)?
        /// Called once before the next file is erased.
        var beforeErasure: (@Sendable () -> Void)?
        var needsErasure = true
        /// Told of each change.
        var readers: [AsyncStream<Void>.Continuation] = []
    }

    private let state: Mutex<State>
    /// The number of records of a page.
    private let pageSize: Int

    init(seed: UInt64 = 0, pageSize: Int = 3) {
        state = Mutex(State(generator: SplitMix(seed)))
        self.pageSize = pageSize
    }

    // MARK: For tests

    var faults: Faults {
        get { state.withLock { $0.faults } }
        set { state.withLock { $0.faults = newValue } }
    }

    var content: Content {
        get { state.withLock { $0.content } }
        set { state.withLock { $0.content = newValue } }
    }

    var problems: [String] { state.withLock { $0.problems } }

    /// The requests since the last call.
    func takeRequests() -> [String] {
        state.withLock { state in
            defer { state.requests = [] }
            return state.requests
        }
    }

    /// Calls a closure once before the next request that changes a record.
    func beforeNextChange(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.beforeChange = body } }

    /// Calls a closure once before the next file is erased.
    func beforeNextErasure(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.beforeErasure = body } }

    /// `false` makes the backend one that removes files itself.
    var needsErasure: Bool {
        get { state.withLock { $0.needsErasure } }
        set { state.withLock { $0.needsErasure = newValue } }
    }

    /// Returns a stream with an element for each change that a device makes from now on, and for each file that it fetches.
    func arrivals() -> AsyncStream<Void> {
        let (stream, inlet) = AsyncStream.makeStream(of: Void.self)
        state.withLock { $0.readers.append(inlet) }
        return stream
    }

    /// Drops all records. Like Kinto, the collection then has a larger ETag.
    func empty(hasOldETag: Bool) {
        state.withLock { state in
            for kind in state.content.etags.keys {
                state.content.records[kind] = [:]
                state.content.etags[kind] = hasOldETag ? 0 : state.next()
            }
        }
    }

    /// Forgets deletions.
    func purge() {
        state.withLock { state in
            for kind in state.content.records.keys {
                state.content.records[kind] = state.content.records[kind]?.filter { $0.value.content != nil }
            }
        }
    }

    /// The content of a record; `nil` if there is none.
    func content(of id: RecordID, _ kind: String = "card") -> RecordContent? {
        state.withLock { $0.content.records[kind]?[id]?.content }
    }

    /// Changes a record as another device does.
    func change(_ id: RecordID, _ kind: String = "card", to content: RecordContent?) {
        state.withLock { state in
            let etag = state.next()
            state.content.records[kind, default: [:]][id] = RemoteRecord(id: id, etag: etag, content: content)
            state.content.etags[kind] = etag
        }
    }

    // MARK: Requests

    func changes(
        of kind: String, since etag: Int?, page: RecordChanges.Next?
    ) async throws(RecordRemoteFault) -> RecordChanges {
        try attempt("list \(kind) \(etag.map(String.init) ?? "all")") { state throws(RecordRemoteFault) in
            let current = state.content.etags[kind] ?? 0
            let first = page?.etag ?? current
            let known = Array((state.content.records[kind] ?? [:]).values)
            let listed = known.filter { record in
                record.etag > page?.last ?? etag ?? -1 && (etag != nil || record.content != nil)
            }.sorted { $0.etag < $1.etag }
            var changes = RecordChanges(records: Array(listed.prefix(pageSize)), etag: first)
            if page == nil, etag == current { changes.isUnchanged = true }
            let last = changes.records.last?.etag ?? page?.last ?? etag ?? first
            if listed.count > pageSize {
                changes.next = RecordChanges.Next(query: "", etag: first, last: last, number: (page?.number ?? 0) + 1)
            } else if etag != nil {
                changes.hasGap = first > last
            }
            return changes
        }
    }

    func put(
        _ id: RecordID, _ content: RecordContent, of kind: String, over etag: Int?
    ) async throws(RecordRemoteFault) -> Int {
        interrupt()
        return try attempt("put \(id)", id) { state throws(RecordRemoteFault) in
            let missing = content.hashes.subtracting(state.content.blobs)
            if !missing.isEmpty { state.problems.append("\(id) arrives before its pictures") }
            let existing = state.content.records[kind]?[id]
            if let found = existing, found.content != nil {
                guard found.etag == etag else { throw .changed(found) }
            } else if etag != nil {
                throw .changed(nil)
            }
            return state.store(id, kind, content)
        }
    }

    func delete(_ id: RecordID, of kind: String, over etag: Int) async throws(RecordRemoteFault) -> Int {
        interrupt()
        return try attempt("delete \(id)", id) { state throws(RecordRemoteFault) in
            guard let found = state.content.records[kind]?[id], found.content != nil else {
                throw .missing("the record is missing")
            }
            guard found.etag == etag else { throw .changed(found) }
            return state.store(id, kind, nil)
        }
    }

    func hasBlob(_ sha256: String) async throws(RecordRemoteFault) -> Bool {
        try attempt("head \(sha256)") { state throws(RecordRemoteFault) in state.content.blobs.contains(sha256) }
    }

    func putBlob(_ path: String, _ blob: RecordBlob) async throws(RecordRemoteFault) {
        try attempt("blob \(blob.sha256)") { state throws(RecordRemoteFault) in
            guard FileManager.default.fileExists(atPath: path) else { throw .refused("the file is missing") }
            state.content.blobs.insert(blob.sha256)
        }
    }

    func getBlob(_ blob: RecordBlob, to path: String) async throws(RecordRemoteFault) {
        try attempt("get \(blob.sha256)") { state throws(RecordRemoteFault) in
            guard state.content.blobs.contains(blob.sha256) else { throw .missing("the picture is missing") }
            _ = FileManager.default.createFile(atPath: path, contents: Data("picture".utf8))
            for reader in state.readers { reader.yield() }
        }
    }

    func eraseBlob(_ sha256: String) async throws(RecordRemoteFault) {
        interrupt(\.beforeErasure)
        try attempt("erase \(sha256)") { state throws(RecordRemoteFault) in
            if state.faults.kept.contains(sha256) { throw .refused("the server keeps the file") }
            state.content.blobs.remove(sha256)
            for reader in state.readers { reader.yield() }
        }
    }

    private func interrupt(
        _ hook: WritableKeyPath<State, (@Sendable () -> Void)?> & Sendable = \.beforeChange
    ) {
        let body = state.withLock { state in
            defer { state[keyPath: hook] = nil }
            return state[keyPath: hook]
        }
        body?()
    }

    private func attempt<Answer: Sendable>(
        _ request: String, _ id: RecordID? = nil, _ effect: (inout State) throws(RecordRemoteFault) -> Answer
    ) throws(RecordRemoteFault) -> Answer {
        try state.withLock { state throws(RecordRemoteFault) in
            state.requests.append(request)
            try state.fail(id)
            let answer = try effect(&state)
            if Int.random(in: 0..<100, using: &state.generator) < state.faults.after {
                throw RecordRemoteFault.temporary("the answer was lost", pause: nil)
            }
            return answer
        }
    }
}

extension ModelBackend.State {
    fileprivate mutating func next() -> Int {
        clock += Int.random(in: 1...5, using: &generator)
        return clock
    }

    fileprivate mutating func store(_ id: RecordID, _ kind: String, _ content: RecordContent?) -> Int {
        let etag = next()
        self.content.records[kind, default: [:]][id] = RemoteRecord(id: id, etag: etag, content: content)
        self.content.etags[kind] = etag
        for reader in readers { reader.yield() }
        return etag
    }

    /// Throws the faults that have no effect.
    fileprivate mutating func fail(_ id: RecordID?) throws(RecordRemoteFault) {
        if faults.isDown { throw .temporary("the server does not answer", pause: nil) }
        if faults.isUnauthorized { throw .unauthorized("the server refuses the token") }
        if id != nil, faults.isReadOnly { throw .temporary("the server is read-only", pause: nil) }
        if let id, faults.refused.contains(id) { throw .refused("the server refuses the record") }
        if let id, faults.broken.contains(id) { throw .temporary("the server answers 500", pause: nil) }
        guard Int.random(in: 0..<100, using: &generator) < faults.before else { return }
        let kinds: [RecordRemoteFault] = [
            .temporary("the server does not answer", pause: nil),
            .temporary("the server answers 409", pause: .seconds(1)),
            .temporary("the server answers 500", pause: nil), .damaged("the answer is not JSON"),
        ]
        throw kinds[Int.random(in: kinds.indices, using: &generator)]
    }
}
