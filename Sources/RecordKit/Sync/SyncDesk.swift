// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// One collection with its machine, and the effects that the machine wants.
///
/// A crash between two effects loses nothing: another desk on the same store continues. A desk belongs to one actor or
/// task at a time.
final class SyncDesk {
    /// The clocks of an effect.
    struct Clock: Sendable {
        /// Returns a moment of a clock that never jumps, in nanoseconds.
        var steady: @Sendable () -> Int64
        /// Returns the time of day, in milliseconds since 1970.
        var wall: @Sendable () -> Int64
    }

    /// The age of a pull after which the backend may have forgotten deletions, in milliseconds.
    private static let longestPull: Int64 = 30 * 86_400_000
    /// An age that no clock should show, in milliseconds: the clock was set back.
    private static let futureTolerance: Int64 = 2 * 86_400_000
    private static let mostMerged = 200, mostFound = 50, mostDamaged = 1000

    /// The ID of the kind.
    let kind: String
    private let store: RecordStore
    private let remote: any RecordRemote
    private let clock: Clock
    private(set) var machine: SyncMachine
    /// The effects that were not performed yet, in their order.
    private var effects: [SyncMachine.Effect] = []
    private var pull: SyncPull?
    private var known: SyncCollection
    /// The records that were reported as damaged.
    private var damaged: Set<RecordChanges.Damaged> = []
    /// The newest version that was pushed and not reported.
    private var pushed: Int?
    /// `true` while an effect is performed.
    var isBusy = false

    init(
        _ kind: String, _ store: RecordStore, _ remote: any RecordRemote, _ clock: Clock, poll: Duration, seed: UInt64
    ) throws(CaptureError) {
        (self.kind, self.store, self.remote, self.clock) = (kind, store, remote, clock)
        try store.discardList(of: kind)
        known = try store.collection(kind)
        machine = SyncMachine(
            hasETag: known.etag != nil, question: known.question, answer: known.answer, poll: poll, seed: seed)
    }

    /// `true` if effects have to be performed.
    var hasEffects: Bool { !effects.isEmpty }

    /// `true` if the next effect stores a question.
    var isAsking: Bool { if case .ask = effects.first { true } else { false } }

    /// Returns the newest version that was pushed since the last call; `nil` if there is none.
    func takePushed() -> Int? {
        defer { pushed = nil }
        return pushed
    }

    /// Gives an input to the machine.
    func handle(_ input: SyncMachine.Input) {
        if machine.isIdle, isForgotten { effects += machine.handle(.forgotten, at: clock.steady()) }
        effects += machine.handle(input, at: clock.steady())
    }

    /// `true` if the last pull was so long ago that the backend may have forgotten deletions.
    private var isForgotten: Bool {
        guard let pulled = known.pulled else { return false }
        return !(-Self.futureTolerance...Self.longestPull).contains(clock.wall() - pulled)
    }

    /// Looks for changes that another process made in the store.
    ///
    /// - Parameter isChanged: `true` if another connection has changed the store.
    func look(isChanged: Bool) throws(CaptureError) {
        guard isChanged, machine.isIdle else {
            if isChanged { handle(.changed) }
            return
        }
        if case .stopped = machine.condition {
            if let answer = try store.collection(kind).answer { handle(.answered(answer)) }
        } else if try store.isDirty(kind) {
            handle(.changed)
        }
    }

    /// Performs the first effect, and gives its result to the machine.
    ///
    /// - Returns: The events for people.
    func perform() async -> [RecordSyncEvent] {
        guard !effects.isEmpty else { return [] }
        let effect = effects.removeFirst()
        var events: [RecordSyncEvent] = []
        do throws(CaptureError) {
            if let input = try await perform(effect, &events) { handle(input) }
        } catch {
            events.append(.trouble(error))
            effects = []
            handle(.storeFailed(error.summary))
        }
        return events
    }

    private func perform(
        _ effect: SyncMachine.Effect, _ events: inout [RecordSyncEvent]
    ) async throws(CaptureError) -> SyncMachine.Input? {
        switch effect {
        case .list(let isFull): return try await list(isFull: isFull, &events)
        case .page:
            guard let pull else { return .listingFailed(.damaged("the list has no next page")) }
            return try await page(of: pull, &events)
        case .merge(let answer):
            guard let pull else { return .merged(isLast: true) }
            let result = try store.merge(pull, known, answer, most: Self.mostMerged, at: clock.wall())
            events += result.changes.map { .changed(kind, $0) }
            if result.isLast {
                self.pull = nil
                // A list without news has stored nothing.
                if !pull.isQuiet || isForgotten { known = try store.collection(kind) }
            }
            return .merged(isLast: result.isLast)
        case .ask(let question):
            pull = nil
            try store.ask(question, kind)
            return nil
        case .find(let place):
            let found = try store.dirty(kind, after: place, most: Self.mostFound)
            return .dirty(found.ids, last: found.last)
        case .push(let id): return .pushed(id, try await push(id, &events))
        }
    }

    // MARK: Pulling

    private func list(
        isFull: Bool, _ events: inout [RecordSyncEvent]
    ) async throws(CaptureError) -> SyncMachine.Input {
        try store.discardList(of: kind)
        known = try store.collection(kind)
        pull = nil
        return try await page(of: nil, isFull: isFull, &events)
    }

    private func page(
        of pull: SyncPull?, isFull: Bool = false, _ events: inout [RecordSyncEvent]
    ) async throws(CaptureError) -> SyncMachine.Input {
        let page: RecordChanges
        let since = since(isFull: pull?.isFull ?? isFull)
        do throws(RecordRemoteFault) {
            page = try await remote.changes(of: kind, since: since, page: pull?.next)
        } catch {
            return .listingFailed(error)
        }
        var next = pull ?? SyncPull(kind: kind, isFull: isFull, etag: page.etag)
        if pull == nil { next.witness = isFull ? nil : known.witness }
        let result = try store.stage(page, &next, known)
        if damaged.count > Self.mostDamaged { damaged = [] }
        for fault in result.damaged where damaged.insert(fault).inserted { events.append(.damaged(kind, fault)) }
        self.pull = next
        return result.listing.map(SyncMachine.Input.listed) ?? .paged
    }

    /// Returns the ETag from which a list begins.
    private func since(isFull: Bool) -> Int? {
        // With an ETag, a full list has the deletions, too. The first list needs none.
        if isFull { return known.etag == nil ? nil : 0 }
        // The last change is listed again: a backend that does not have it any more has lost others, too.
        return known.witness.map { $0.etag - 1 } ?? known.etag
    }

    // MARK: Pushing

    private func push(
        _ id: RecordID, _ events: inout [RecordSyncEvent]
    ) async throws(CaptureError) -> SyncPush {
        guard let item = try store.item(id) else { return .done }
        if let fault = await pushBlobs(of: item) { return try fail(item, fault, &events) }
        try store.markSent(item)
        switch await put(item) {
        case .success(let etag): return try end(item, etag)
        case .failure(.changed(let theirs?)):
            guard let result = try store.merge(theirs, instead: item, kind) else { return .needsPull }
            if let change = result.change { events.append(.changed(kind, change)) }
            return result.isDirty ? .again : .done
        case .failure(.changed(nil)): return .needsPull
        case .failure(.missing) where item.copy == .deleted: return try end(item, item.etag ?? 0)
        case .failure(let fault): return try fail(item, fault, &events)
        }
    }

    private func put(_ item: SyncItem) async -> Result<Int, RecordRemoteFault> {
        do throws(RecordRemoteFault) {
            if let content = item.copy.content {
                return .success(try await remote.put(item.id, content, of: kind, over: item.etag))
            }
            return .success(try await remote.delete(item.id, of: kind, over: item.etag ?? 0))
        } catch {
            return .failure(error)
        }
    }

    private func end(_ item: SyncItem, _ etag: Int) throws(CaptureError) -> SyncPush {
        try store.endPush(item, etag: etag)
        pushed = max(pushed ?? 0, etag)
        return .done
    }

    private func fail(
        _ item: SyncItem, _ fault: RecordRemoteFault, _ events: inout [RecordSyncEvent]
    ) throws(CaptureError) -> SyncPush {
        guard case .refused(let reason) = fault else { return .failed(fault) }
        try store.refuse(item, reason)
        events.append(.refused(kind, item.id, reason))
        return .refused
    }

    /// Pushes the files of a record: a reader never meets a record without its pictures.
    private func pushBlobs(of item: SyncItem) async -> RecordRemoteFault? {
        do throws(RecordRemoteFault) {
            for blob in item.blobs where try await !remote.hasBlob(blob.sha256) {
                guard let path = store.blobPath(blob.sha256) else {
                    return .refused("a picture of it is neither on this machine nor on the backend")
                }
                try await remote.putBlob(path, blob)
            }
            return nil
        } catch {
            return error
        }
    }
}
