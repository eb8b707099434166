// Part of gst-capture. Apache License 2.0, see LICENSE.

/// Decides what the synchronization of one collection does next: when it pulls and pushes, when it tries again, and
/// when a person has to answer.
///
/// A value without effects: each input changes it, and returns what ``RecordSync`` has to do. A round lists the changes
/// of the backend, merges them, and pushes the changes of this device. A fault of the backend ends the round, and
/// another one begins after a pause. A fault of one record never holds up the others. No decision compares the clock of
/// this machine with that of the backend.
package struct SyncMachine: Sendable {
    package enum Input: Sendable, Hashable {
        /// The moment of ``SyncMachine/wake`` has come.
        case time
        /// A record changed here, or a broker says that the backend has a change.
        case changed
        /// A person wants the backend to be tried now.
        case retry
        /// A person answers the question.
        case answered(SyncAnswer)
        /// No pull has succeeded for so long that the backend may have forgotten deletions.
        case forgotten
        /// A page is stored, and another one follows.
        case paged
        /// All pages are stored.
        case listed(SyncListing)
        case listingFailed(RecordRemoteFault)
        /// Changes were merged; `false` if there are more.
        case merged(isLast: Bool)
        /// Records that changed here, and the place of the last one; none if there are no more.
        case dirty([RecordID], last: Int64)
        case pushed(RecordID, SyncPush)
        /// The pause between two rounds is another one, in nanoseconds: a broker reports changes, or no longer does.
        case poll(Int64)
        /// The store of this device cannot be written.
        case storeFailed(String)
    }

    package enum Effect: Sendable, Hashable {
        /// Store the first page of the backend's changes, and answer with ``Input/paged``, ``Input/listed(_:)`` or
        /// ``Input/listingFailed(_:)``. A full list has all records that exist.
        case list(isFull: Bool)
        /// Store the next page.
        case page
        /// Merge stored changes, and answer with ``Input/merged(isLast:)``. With an answer, merge as it says.
        case merge(SyncAnswer?)
        /// Discard the stored changes, and ask a person.
        case ask(SyncQuestion)
        /// Find records that changed here, after this place, and answer with ``Input/dirty(_:last:)``.
        case find(after: Int64)
        /// Push the files of a record and the record, and answer with ``Input/pushed(_:_:)``.
        case push(RecordID)
    }

    private enum Phase: Sendable, Hashable { case idle, listing, merging, pushing }

    /// A record that failed although the backend answers.
    private struct Suspect: Sendable, Hashable {
        var attempts = 0
        /// The moment of the next attempt.
        var due: Int64 = 0
    }

    /// The longest pause after a fault, in nanoseconds.
    private static let longestPause: Int64 = 3600 * second
    /// The longest pause that a backend can ask for.
    private static let longestWanted = Duration.seconds(6 * 3600)
    private static let second: Int64 = 1_000_000_000
    /// The number of attempts for a record that others change meanwhile, in one round.
    private static let mostAttempts = 4

    private var poll: Int64
    private var random: SyncRandom
    private var phase = Phase.idle
    /// The moment of the next round.
    private var due: Int64 = 0
    private var fault: SyncFault?
    private var question: SyncQuestion?
    private var answer: SyncAnswer?
    /// `true` if the next list has to be full, because the store has no ETag, or the backend may have forgotten
    /// deletions.
    private var needsFull: Bool
    /// `true` if the backend did not list changes that it had before.
    private var isSuspicious = false
    /// The pages that are stored; after a fault, the list continues with the next one.
    private var pages = 0
    /// `true` if the current list is full.
    private var isFull = false
    /// `true` if another round has to follow at once.
    private var isChanged = false

    // A round of pushes.
    private var queue: [RecordID] = []
    private var last: Int64 = 0
    /// The records that failed: they are pushed after all others.
    private var suspects: [RecordID: Suspect] = [:]
    private var isPushingSuspects = false
    private var attempts: [RecordID: Int] = [:]
    /// `true` if the backend took or refused a record in this round.
    private var hasAnswered = false
    /// The number of rounds in a row in which no push was answered, and the earliest moment of the next push. The
    /// rounds before it only pull.
    private var failures = 0, pushDue: Int64 = 0
    /// `true` if the next pull has a version that a push did not expect.
    private var needsPull = false
    /// The number of rounds in a row that ended with `needsPull`.
    private var pulls = 0

    /// - Parameters:
    ///   - hasETag: `true` if an earlier pull has succeeded.
    ///   - question: The question that a person has to answer.
    ///   - answer: The answer that has not been followed yet.
    ///   - poll: The pause between two rounds.
    ///   - seed: The seed of the random parts of pauses.
    package init(
        hasETag: Bool, question: SyncQuestion? = nil, answer: SyncAnswer? = nil, poll: Duration = .seconds(60),
        seed: UInt64
    ) {
        (needsFull, self.question, self.answer) = (!hasETag, question, answer)
        self.poll = max(Self.second, poll.nanoseconds)
        random = SyncRandom(seed: seed)
    }

    /// The state of the collection.
    package var condition: SyncCondition {
        if let question, answer == nil { return .stopped(question) }
        if let fault { return .failing(fault) }
        return .ready
    }

    /// The moment of the steady clock at which ``Input/time`` is due; `nil` if only another input can change anything.
    package var wake: Int64? { phase == .idle && !isStopped ? due : nil }

    /// `true` if no effect is being performed.
    package var isIdle: Bool { phase == .idle }

    private var isStopped: Bool { question != nil && answer == nil }
}

/// The result of a list whose pages are all stored.
package struct SyncListing: Sendable, Hashable {
    /// `true` if the ETag, or that of a record, is lower than before.
    package var isOlder = false
    /// `true` if all changes that were known are listed again.
    package var isComplete = true
    /// The records that exist, of a full list.
    package var present = 0
    /// The records that this device and the backend shared, and that a full list does not have.
    package var missing = 0
    /// The records of this device that are deleted, or missing in a full list.
    package var deletions = 0
    /// The records that this device and the backend shared.
    package var known = 0

    package init() {}
}

/// The result of a push.
package enum SyncPush: Sendable, Hashable {
    /// The backend has the version, or nothing had to be pushed.
    case done
    /// The version of the backend was merged, and the record has to be pushed again.
    case again
    /// The backend has a version that only the next pull shows.
    case needsPull
    /// The backend refuses the record.
    case refused
    case failed(RecordRemoteFault)
}

/// The state of a collection for people.
package enum SyncCondition: Sendable, Hashable {
    case ready
    /// The next round begins after a pause.
    case failing(SyncFault)
    /// A person has to answer.
    case stopped(SyncQuestion)
}

/// A fault that ended a round.
package struct SyncFault: Sendable, Hashable {
    /// The reason in words.
    package var reason: String
    /// `true` if the backend refuses the credentials or the collection: a person has to act.
    package var isOfAccess: Bool
    /// The number of rounds in a row that failed.
    package var attempts: Int
    /// The moment of the next round.
    package var until: Int64
}

// MARK: - Inputs

extension SyncMachine {
    /// Changes the state, and returns the effects in the order in which they have to happen.
    ///
    /// - Parameter now: A moment of a clock that never jumps, in nanoseconds.
    package mutating func handle(_ input: Input, at now: Int64) -> [Effect] {
        switch (input, phase) {
        case (.time, .idle): return due <= now ? begin(now) : []
        case (.time, _): return []
        case (.changed, .idle):
            // A record that fails does not hold up one that has just changed.
            pushDue = now
            return canBegin(now) ? begin(now) : []
        case (.changed, _): isChanged = true
        case (.retry, _):
            (fault, suspects, pushDue) = (nil, [:], now)
            if phase == .idle { return begin(now) }
            isChanged = true
        case (.answered(let answer), _):
            guard question != nil else { return [] }
            (self.answer, fault, pages) = (answer, nil, 0)
            if phase == .idle { return begin(now) }
        case (.forgotten, _): needsFull = true
        case (.poll(let span), _):
            poll = max(Self.second, span)
            // A shorter one begins now; a longer one after the next round.
            if phase == .idle, fault == nil { due = min(due, now + random.about(poll)) }
        case (.paged, .listing):
            pages += 1
            return [.page]
        case (.listed(let listing), .listing): return judge(listing)
        case (.listingFailed(let fault), .listing):
            // The pages that are stored stay valid only while the same list continues.
            if case .temporary = fault {} else { pages = 0 }
            end(with: fault, now)
        case (.merged(let isLast), .merging): return merged(isLast, now)
        case (.dirty(let ids, let last), .pushing): return push(ids, last, now)
        case (.pushed(let id, let result), .pushing): return pushed(id, result, now)
        case (.storeFailed(let reason), _):
            pages = 0
            end(with: .temporary(reason, pause: nil), now)
        default: break
        }
        return []
    }

    /// `true` if a change may begin a round: a fault of the backend ends by its pause.
    private func canBegin(_ now: Int64) -> Bool { fault == nil || failures > 0 || due <= now }

    private mutating func begin(_ now: Int64) -> [Effect] {
        guard !isStopped else { return [] }
        (isChanged, needsPull, hasAnswered, isPushingSuspects) = (false, false, false, false)
        (queue, last, attempts, phase) = ([], 0, [:], .listing)
        if pages > 0 { return [.page] }
        isFull = needsFull || isSuspicious || answer != nil
        return [.list(isFull: isFull)]
    }

    /// Checks that the backend still has what it had.
    private mutating func judge(_ listing: SyncListing) -> [Effect] {
        pages = 0
        if !isFull, listing.isOlder || !listing.isComplete {
            // Only a full list shows what the backend has lost.
            (isSuspicious, isFull) = (true, true)
            return [.list(isFull: true)]
        }
        if let found = Self.question(listing, isFull: isFull, isSuspicious: isSuspicious) {
            // Accepting is for the question that the person saw. Pushing deletes nothing.
            let isAnswered = answer == .push || answer == .accept && question?.isLike(found) ?? false
            guard isAnswered else { return stop(found) }
        }
        phase = .merging
        return [.merge(answer)]
    }

    private static func question(_ listing: SyncListing, isFull: Bool, isSuspicious: Bool) -> SyncQuestion? {
        if isFull, listing.present == 0, listing.known > 0 { return .emptied(known: listing.known) }
        if listing.isOlder || isFull && isSuspicious && listing.missing > 0 { return .older }
        let isMany = listing.deletions > 20 && listing.deletions * 10 > listing.known
        return isMany ? .deletions(listing.deletions, of: listing.known) : nil
    }

    private mutating func stop(_ question: SyncQuestion) -> [Effect] {
        (self.question, answer, phase, fault) = (question, nil, .idle, nil)
        return [.ask(question)]
    }

    private mutating func merged(_ isLast: Bool, _ now: Int64) -> [Effect] {
        guard isLast else { return [.merge(answer)] }
        (question, answer, needsFull, isSuspicious) = (nil, nil, false, false)
        // The backend answers. What follows is a fault of pushes.
        if failures == 0 { fault = nil }
        guard pushDue <= now else {
            endRound(now)
            return []
        }
        phase = .pushing
        return [.find(after: 0)]
    }
}

// MARK: - Pushing

extension SyncMachine {
    private mutating func push(_ ids: [RecordID], _ last: Int64, _ now: Int64) -> [Effect] {
        if ids.isEmpty { return pushSuspects(now) }
        self.last = last
        // The first one is pushed first. One that others change all the time waits for the next round.
        queue = ids.filter { suspects[$0] == nil && attempts[$0, default: 0] < Self.mostAttempts }.reversed()
        return next(now)
    }

    private mutating func next(_ now: Int64) -> [Effect] {
        if let id = queue.last { return [.push(id)] }
        guard isPushingSuspects else { return [.find(after: last)] }
        endRound(now)
        return isChanged ? begin(now) : []
    }

    private mutating func pushSuspects(_ now: Int64) -> [Effect] {
        isPushingSuspects = true
        queue = suspects.filter { $0.value.due <= now }.map(\.key).sorted().reversed()
        return next(now)
    }

    private mutating func pushed(_ id: RecordID, _ result: SyncPush, _ now: Int64) -> [Effect] {
        guard queue.last == id else { return [] }
        if result == .again {
            attempts[id, default: 0] += 1
            hasAnswered = true
            if attempts[id, default: 0] < Self.mostAttempts { return [.push(id)] }
        }
        queue.removeLast()
        if case .failed(let fault) = result { return failed(id, fault, now) }
        needsPull = needsPull || result == .again || result == .needsPull
        suspects[id] = nil
        (hasAnswered, failures, fault) = (true, 0, nil)
        return next(now)
    }

    private mutating func failed(_ id: RecordID, _ fault: RecordRemoteFault, _ now: Int64) -> [Effect] {
        if fault == .canceled {
            end(with: fault, now)
            return []
        }
        if case .unauthorized = fault {
            end(with: fault, now)
            return []
        }
        // In the next round, the others are pushed first: the fault may be that of this record.
        var suspect = suspects[id] ?? Suspect()
        suspect.attempts += 1
        suspect.due = now + pause(suspect.attempts, atLeast: fault.wantedPause)
        suspects[id] = suspect
        if isPushingSuspects, hasAnswered { return next(now) }
        failures += 1
        pushDue = now + pause(failures, atLeast: fault.wantedPause)
        self.fault = SyncFault(reason: fault.reason, isOfAccess: false, attempts: failures, until: pushDue)
        endRound(now)
        return []
    }

    private mutating func endRound(_ now: Int64) {
        phase = .idle
        due = now + random.about(poll)
        pulls = needsPull ? pulls + 1 : 0
        // The list does not show what pushes meet: the backend may have lost records without a trace.
        if pulls % Self.mostAttempts == Self.mostAttempts - 1 { isSuspicious = true }
        if needsPull { due = min(due, now + pause(pulls) / 10) }
        let retries = suspects.values.map { max($0.due, pushDue) }
        if let retry = retries.min() { due = min(due, max(now + Self.second, retry)) }
    }

    /// Ends a round after a fault that belongs to all records.
    private mutating func end(with fault: RecordRemoteFault, _ now: Int64) {
        (phase, due) = (.idle, now)
        guard fault != .canceled else { return }
        var isOfAccess = false
        if case .unauthorized = fault { isOfAccess = true }
        let attempts = (self.fault?.attempts ?? 0) + 1
        due = now + pause(isOfAccess ? attempts + 3 : attempts, atLeast: fault.wantedPause)
        failures = 0
        self.fault = SyncFault(reason: fault.reason, isOfAccess: isOfAccess, attempts: attempts, until: due)
    }

    /// Returns the pause after an attempt that failed, from 1: 5 s doubling to an hour, give or take a fifth, so that a
    /// thousand boards do not return at the same moment.
    private mutating func pause(_ attempt: Int, atLeast wanted: Duration = .zero) -> Int64 {
        let pause = random.about(min(5 * Self.second << Int64(min(attempt - 1, 20)), Self.longestPause))
        return max(pause, min(wanted, Self.longestWanted).nanoseconds)
    }
}

extension RecordRemoteFault {
    /// The pause that the backend asks for.
    var wantedPause: Duration { if case .temporary(_, let pause?) = self { pause } else { .zero } }
}

/// Random numbers that are the same in each run (SplitMix64).
private struct SyncRandom: Sendable, Hashable {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    /// Returns the span, give or take a fifth.
    mutating func about(_ span: Int64) -> Int64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        let fraction = Double((mixed ^ (mixed >> 31)) >> 11) * 0x1p-53
        return Int64(Double(span) * (0.8 + 0.4 * fraction))
    }
}
