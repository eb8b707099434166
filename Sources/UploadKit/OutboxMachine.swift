// Part of gst-capture. Apache License 2.0, see LICENSE.

/// Decides what the outbox does next at one target: which picture it sends, when it tries again, and when it gives up.
///
/// A value without effects: each input changes it, and returns what the sender has to do. A fault of the target pauses
/// the target, which is tried with one picture; a fault of a picture never keeps the next one.
///
/// A picture is anything that a target gets once: product events are delivered by this machine, too.
package struct OutboxMachine: Sendable {
    /// The options of the pictures of one source at this target.
    package struct Lane: Sendable, Hashable {
        package var order: UploadOrder
        /// Older pictures are not sent; `nil` sends all.
        package var skipOlder: Duration?

        package init(order: UploadOrder = .oldest, skipOlder: Duration? = nil) {
            (self.order, self.skipOlder) = (order, skipOlder)
        }
    }

    /// A picture that is not at the target yet.
    package struct Job: Sendable, Hashable {
        package let id: Int64
        /// The index of its lane.
        package let lane: Int
        /// The moment of the picture, in milliseconds since 1970.
        package let captured: Int64
        /// How often this picture alone has failed.
        package var failures: Int
        /// `true` if the target has the picture, and has to confirm it.
        package var isStored: Bool

        package init(id: Int64, lane: Int, captured: Int64, failures: Int = 0, isStored: Bool = false) {
            (self.id, self.lane, self.captured) = (id, lane, captured)
            (self.failures, self.isStored) = (failures, isStored)
        }
    }

    package enum Input: Sendable, Hashable {
        /// Jobs of a lane; more of them than the lane has are in its source unless it is drained.
        case jobs([Job], lane: Int, isDrained: Bool)
        /// The source of a lane has more pictures.
        case grew(lane: Int)
        case delivered(Int64, Delivery)
        case confirmed(Int64, Confirmation)
        case failed(Int64, TransferFault)
        /// The moment of ``OutboxMachine/wake`` has come.
        case time
        /// A person wants the target to be tried now.
        case retry
        /// A person does not want a picture to be sent.
        case drop(Int64)
        /// A person pauses the target, or resumes it.
        case pause(Bool)
        /// The hours of the target begin or end.
        case open(Bool)
        /// The clock of this machine was set.
        case clockStepped
        /// The password or key of the target has changed.
        case credentialsChanged
        /// The routes of this machine have changed.
        case networkChanged
    }

    package enum Effect: Sendable, Hashable {
        /// Take further pictures from the source of a lane, at most so many, and answer with
        /// ``Input/jobs(_:lane:isDrained:)``.
        case refill(lane: Int, most: Int)
        case deliver(Int64)
        case confirm(Int64)
        /// The target has the picture, and has to confirm it.
        case markStored(Int64)
        /// The target has confirmed the picture.
        case finish(Int64, Confirmation)
        /// The picture stays unsent until a person wants it to be sent.
        case bury(Int64, String)
        /// The picture is too old to be sent, is gone, or a person does not want it to be sent.
        case skip(Int64)
        /// The picture has failed so many times.
        case note(Int64, failures: Int, String)
        /// The name of the picture belongs to another file at the target: give it another one.
        case rename(Int64)
    }

    /// The clocks of an input.
    package struct Moment: Sendable, Hashable {
        /// A clock that never jumps, in nanoseconds.
        package var steady: Int64
        /// The time of day, in milliseconds since 1970; `nil` if the clock is in doubt.
        package var wall: Int64?

        package init(steady: Int64, wall: Int64?) { (self.steady, self.wall) = (steady, wall) }
    }

    private enum Phase: Sendable, Hashable { case waiting, delivering, confirming }

    private struct Entry: Sendable, Hashable {
        var job: Job
        var phase = Phase.waiting
        /// The earliest moment of the next attempt.
        var due: Int64 = 0
        /// How often it was tried since the target has answered.
        var tries = 0
        /// How often the target had answered when this picture failed last.
        var answersAtFailure: Int?
        var isDropped = false
    }

    private struct LaneState: Sendable, Hashable {
        let lane: Lane
        var isDrained = false
        var isRefilling = false
        var waiting = 0
    }

    /// The maximum number of waiting pictures of a lane after a refill.
    package static let mostWaiting = 256
    /// A picture that fails so often, although others arrive, is dead.
    package static let mostFailures = 10
    /// The names that a picture tries.
    private static let mostNames = 5

    private let parallel: Int
    private var lanes: [LaneState]
    private var entries: [Int64: Entry] = [:]
    private var running = 0
    private var lastLane = 0
    private var backoff: Backoff
    private var fault: TargetFault?
    private var isProbing = false
    private var answers = 0
    private var isPaused = false
    private var isOpen = true

    /// - Parameters:
    ///   - parallel: The maximum number of transfers at a time.
    ///   - seed: The seed of the random parts of pauses.
    package init(lanes: [Lane] = [], parallel: Int, seed: UInt64) {
        self.lanes = lanes.map { LaneState(lane: $0) }
        self.parallel = max(1, parallel)
        backoff = Backoff(seed: seed)
    }

    /// Adds a lane, and returns its index.
    package mutating func add(_ lane: Lane) -> Int {
        lanes.append(LaneState(lane: lane))
        return lanes.count - 1
    }

    /// The state of the target.
    package var condition: TargetCondition {
        if isPaused { return .paused }
        if let fault { return .failing(fault) }
        return isOpen ? .ready : .closed
    }

    /// `true` if nothing is being sent, and nothing can be until an input from outside: no picture waits, or the target
    /// fails, is paused or closed.
    package var isIdle: Bool {
        guard running == 0 else { return false }
        if !canStart || fault != nil { return true }
        return entries.isEmpty && lanes.allSatisfy { $0.isDrained && !$0.isRefilling }
    }

    /// The number of pictures that are being sent, or wait in memory.
    package var count: Int { entries.count }

    /// The moment of the steady clock at which ``Input/time`` is due; `nil` if only another input can change anything.
    package var wake: Int64? {
        // The end of a transfer is an input, too.
        guard canStart, running < (fault == nil ? parallel : 1) else { return nil }
        let moment = entries.values.lazy.filter { $0.phase == .waiting }.map(\.due).min()
        return moment.map { max($0, fault?.until ?? $0) }
    }

    private var canStart: Bool { !isPaused && isOpen }
}

// MARK: - Inputs

extension OutboxMachine {
    /// Changes the state, and returns the effects in the order in which they have to happen.
    package mutating func handle(_ input: Input, at now: Moment) -> [Effect] {
        var effects: [Effect] = []
        switch input {
        case .jobs(let jobs, let lane, let isDrained): add(jobs, lane, isDrained, now)
        case .grew(let lane): lanes[lane].isDrained = false
        case .delivered(let id, let delivery): delivered(id, delivery, now, &effects)
        case .confirmed(let id, let confirmation): confirmed(id, confirmation, &effects)
        case .failed(let id, let fault): failed(id, fault, now, &effects)
        case .time: break
        case .retry: retry(now)
        case .drop(let id): drop(id, &effects)
        case .pause(let isPaused): self.isPaused = isPaused
        case .open(let isOpen): self.isOpen = isOpen
        case .clockStepped: tryAgain([.clock], now)
        case .credentialsChanged: tryAgain([.access, .missing], now)
        case .networkChanged: tryAgain([.unreachable], now)
        }
        start(now, &effects)
        refill(&effects)
        return effects
    }

    private mutating func add(_ jobs: [Job], _ lane: Int, _ isDrained: Bool, _ now: Moment) {
        (lanes[lane].isRefilling, lanes[lane].isDrained) = (false, isDrained)
        for job in jobs where entries[job.id] == nil {
            entries[job.id] = Entry(job: job, due: now.steady)
            lanes[lane].waiting += 1
        }
    }

    private mutating func delivered(_ id: Int64, _ delivery: Delivery, _ now: Moment, _ effects: inout [Effect]) {
        guard var entry = end(id, .delivering) else { return }
        answered()
        switch delivery {
        case .confirmed(let confirmation): finish(id, confirmation, &effects)
        case .stored:
            (entry.job.isStored, entry.due) = (true, now.steady)
            effects.append(.markStored(id))
            wait(entry)
        }
    }

    private mutating func confirmed(_ id: Int64, _ confirmation: Confirmation, _ effects: inout [Effect]) {
        guard end(id, .confirming) != nil else { return }
        answered()
        finish(id, confirmation, &effects)
    }

    private mutating func finish(_ id: Int64, _ confirmation: Confirmation, _ effects: inout [Effect]) {
        entries[id] = nil
        effects.append(.finish(id, confirmation))
    }

    private mutating func drop(_ id: Int64, _ effects: inout [Effect]) {
        guard let entry = entries[id] else { return }
        // A transfer ends first: it may already be at the target.
        guard entry.phase == .waiting else {
            entries[id]?.isDropped = true
            return
        }
        remove(entry)
        effects.append(.skip(id))
    }

    private mutating func retry(_ now: Moment) {
        tryAgain(Set(TargetFault.Kind.allCases), now)
        for (id, entry) in entries where entry.phase == .waiting { entries[id]?.due = now.steady }
    }

    /// Lets the next attempt begin now if one of these faults keeps the target.
    private mutating func tryAgain(_ kinds: Set<TargetFault.Kind>, _ now: Moment) {
        guard let fault, kinds.contains(fault.kind) else { return }
        self.fault?.until = min(fault.until, now.steady)
    }
}

// MARK: - Failures

extension OutboxMachine {
    private mutating func failed(_ id: Int64, _ fault: TransferFault, _ now: Moment, _ effects: inout [Effect]) {
        guard let phase = entries[id]?.phase, phase != .waiting, var entry = end(id, phase) else { return }
        // The picture has to be sent again.
        if case .damaged = fault { entry.job.isStored = false }
        if entry.isDropped {
            entries[id] = nil
            return effects.append(.skip(id))
        }
        if let kind = TargetFault.Kind(fault) { return hold(kind, fault, entry, now, &effects) }
        switch fault {
        case .canceled:
            isProbing = false
            wait(entry)
        case .gone:
            // The target was not asked.
            isProbing = false
            entries[id] = nil
            effects.append(.skip(id))
        case .nameTaken(let reason) where entry.job.failures < Self.mostNames:
            answered()
            // Another program has replaced a picture that was stored.
            (entry.job.failures, entry.job.isStored) = (entry.job.failures + 1, false)
            effects += [.note(id, failures: entry.job.failures, reason), .rename(id)]
            entry.due = now.steady
            wait(entry)
        case .damaged(let reason):
            answered()
            blame(&entry, reason, now, &effects)
        default:
            answered()
            bury(entry, fault.reason, &effects)
        }
    }

    /// Pauses the target after a fault that belongs to it.
    private mutating func hold(
        _ kind: TargetFault.Kind, _ fault: TransferFault, _ entry: Entry, _ now: Moment, _ effects: inout [Effect]
    ) {
        var entry = entry
        entry.tries += 1
        let answersBefore = entry.answersAtFailure
        if kind != .clock { entry.answersAtFailure = answers }
        if self.fault == nil || isProbing {
            let attempt = (self.fault?.attempts ?? 0) + 1
            let pause = backoff.pause(kind, attempt, atLeast: fault.wantedPause)
            self.fault = TargetFault(
                kind: kind, reason: fault.reason, attempts: attempt, until: now.steady + pause)
        }
        isProbing = false
        // Others have arrived since it failed last: the fault is this picture's.
        if kind != .clock, let answersBefore, answersBefore < answers {
            blame(&entry, fault.reason, now, &effects)
        } else {
            wait(entry)
        }
    }

    private mutating func blame(_ entry: inout Entry, _ reason: String, _ now: Moment, _ effects: inout [Effect]) {
        entry.job.failures += 1
        guard entry.job.failures < Self.mostFailures else { return bury(entry, reason, &effects) }
        entry.due = now.steady + backoff.pause(.unreachable, entry.job.failures)
        effects.append(.note(entry.job.id, failures: entry.job.failures, reason))
        wait(entry)
    }

    private mutating func bury(_ entry: Entry, _ reason: String, _ effects: inout [Effect]) {
        entries[entry.job.id] = nil
        effects.append(.bury(entry.job.id, reason))
    }

    /// The target works.
    private mutating func answered() {
        answers += 1
        isProbing = false
        if fault != nil {
            fault = nil
            // The newest pictures have come meanwhile.
            for index in lanes.indices where lanes[index].lane.order == .newest { lanes[index].isDrained = false }
        }
        for (id, entry) in entries where entry.tries > 0 { entries[id]?.tries = 0 }
    }
}

// MARK: - Starting

extension OutboxMachine {
    private mutating func start(_ now: Moment, _ effects: inout [Effect]) {
        while canStart, hasRoom(now), let entry = next(now, &effects) {
            lanes[entry.job.lane].waiting -= 1
            lastLane = entry.job.lane
            running += 1
            isProbing = fault != nil
            entries[entry.job.id]?.phase = entry.job.isStored ? .confirming : .delivering
            effects.append(entry.job.isStored ? .confirm(entry.job.id) : .deliver(entry.job.id))
        }
    }

    /// A target with a fault gets one transfer at a time, and not before its pause is over.
    private func hasRoom(_ now: Moment) -> Bool {
        guard let fault else { return running < parallel }
        return running == 0 && fault.until <= now.steady
    }

    /// Returns the next picture: each lane in turn, and in a lane the one that was tried least, then by its order.
    private mutating func next(_ now: Moment, _ effects: inout [Effect]) -> Entry? {
        skipOld(now, &effects)
        let due = entries.values.lazy.filter { $0.phase == .waiting && $0.due <= now.steady }
        return due.min { first, second in rank(first) < rank(second) }
    }

    private func rank(_ entry: Entry) -> (Int, Int, Int64, Int64) {
        let turn = (entry.job.lane - lastLane - 1 + lanes.count) % lanes.count
        let sign: Int64 = lanes[entry.job.lane].lane.order == .newest ? -1 : 1
        return (entry.tries, turn, sign * entry.job.captured, sign * entry.job.id)
    }

    private mutating func skipOld(_ now: Moment, _ effects: inout [Effect]) {
        guard let wall = now.wall, lanes.contains(where: { $0.lane.skipOlder != nil }) else { return }
        for entry in entries.values where entry.phase == .waiting && !entry.job.isStored {
            guard let span = lanes[entry.job.lane].lane.skipOlder else { continue }
            guard entry.job.captured < wall - span.nanoseconds / 1_000_000 else { continue }
            remove(entry)
            effects.append(.skip(entry.job.id))
        }
    }

    /// Asks for pictures before a lane runs empty. While the target fails, one picture is enough.
    private mutating func refill(_ effects: inout [Effect]) {
        guard canStart, fault == nil || entries.isEmpty else { return }
        for index in lanes.indices {
            let state = lanes[index]
            let (least, most) = state.lane.order == .newest ? (16, 8) : (64, Self.mostWaiting - 64)
            guard !state.isDrained, !state.isRefilling, state.waiting < least else { continue }
            lanes[index].isRefilling = true
            effects.append(.refill(lane: index, most: most))
        }
    }

    /// Takes a picture out of a phase; `nil` if it is not in it.
    private mutating func end(_ id: Int64, _ phase: Phase) -> Entry? {
        guard let entry = entries[id], entry.phase == phase else { return nil }
        running -= 1
        return entry
    }

    private mutating func wait(_ entry: Entry) {
        var entry = entry
        entry.phase = .waiting
        entries[entry.job.id] = entry
        lanes[entry.job.lane].waiting += 1
    }

    private mutating func remove(_ entry: Entry) {
        entries[entry.job.id] = nil
        lanes[entry.job.lane].waiting -= 1
    }
}
