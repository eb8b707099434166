// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Dispatch
import LedgerKit
import ScheduleKit
import SystemBase

/// Sends the pictures of ledgers to targets, until its task is canceled.
///
/// It only reads pictures and ledgers, and follows the ledgers: a capture does not know of it. A change of a ledger, of
/// the clock, of a key file or of a person's request wakes it; it never polls. An actor with its own thread, since
/// files block.
package actor OutboxSender {
    private let executor = BlockingExecutor("gst-capture.send")
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let store: OutboxStore
    private let configuration: OutboxConfiguration
    private let report: @Sendable (OutboxEvent) -> Void
    private let scope = TaskScope()
    private let watchQueue = DispatchQueue(label: "gst-capture.send.watch")
    private var desks: [TargetDesk]
    private var watches: [FileWatch] = []
    private var endsWhenIdle = false
    /// The errors that were reported; each is once until its account can be read.
    private var troubles: [String: CaptureError] = [:]

    /// - Parameters:
    ///   - store: The store, which belongs to the sender from now on.
    ///   - transports: A transport for each target, by its ID.
    ///   - report: Receives events, on any thread.
    package init(
        _ configuration: OutboxConfiguration, _ store: sending OutboxStore, _ transports: [String: any Transport],
        report: @escaping @Sendable (OutboxEvent) -> Void
    ) {
        (self.configuration, self.store, self.report) = (configuration, store, report)
        desks = configuration.targets.compactMap { target in
            transports[target.id].map { TargetDesk(target, $0) }
        }
    }

    /// Runs until the task is canceled. Transfers that run then are interrupted, and resumed at the next start.
    ///
    /// - Parameter endsWhenIdle: `true` to end as soon as each target has all pictures, or fails.
    package func run(endsWhenIdle: Bool = false) async {
        begin()
        let follower = LedgerFollower(configuration.routes.map(\.folder)) { [self] in await read($0, in: $1) }
        scope.add { [self] in await follower.run { if endsWhenIdle { await self.endWhenIdle() } } }
        scope.add { [self] in await followClock() }
        scope.add { [self] in await followNetwork() }
        await scope.run()
    }

    private func endWhenIdle() {
        endsWhenIdle = true
        endIfIdle()
    }

    private func endIfIdle() {
        if endsWhenIdle, desks.allSatisfy(\.machine.isIdle) { scope.end() }
    }

    private func begin() {
        for index in desks.indices {
            let known = attempt(desks[index].id) { () throws(CaptureError) in
                try store.targets()[desks[index].id] ?? TargetState(id: desks[index].id)
            }
            desks[index].state = known ?? TargetState(id: desks[index].id)
            handle(.pause(desks[index].state.isPaused), index)
            openHours(index)
            watchSecrets(index)
        }
        watch(OutboxStore.wakePath(folder: DeviceFiles.folder(of: store.path))) { $0.takeRequests() }
        // First the requests: a person may have paused a target meanwhile.
        takeRequests()
    }

    // MARK: Machines

    private static var now: OutboxMachine.Moment {
        let wall = AgeClock.current().isTrusted ? WallTime.now().millisecondsSince1970 : nil
        return OutboxMachine.Moment(steady: Int64(clamping: ClockTime.now.nanoseconds), wall: wall)
    }

    /// Gives an input to the machine of a target, and performs what it wants, until it wants nothing any more.
    private func handle(_ input: OutboxMachine.Input, _ index: Int) {
        var inputs = [input]
        while !inputs.isEmpty {
            for effect in desks[index].machine.handle(inputs.removeFirst(), at: Self.now) {
                let answer = attempt(desks[index].id) { () throws(CaptureError) in try perform(effect, index) }
                if let answer = answer ?? nil { inputs.append(answer) }
            }
        }
        show(index)
        setAlarm(index)
        endIfIdle()
    }

    /// - Returns: The input that answers the effect.
    private func perform(_ effect: OutboxMachine.Effect, _ index: Int) throws(CaptureError) -> OutboxMachine.Input? {
        switch effect {
        case .refill(let lane, let most): return try refill(lane, most, index)
        case .deliver(let id): deliver(id, index)
        case .confirm(let id): confirm(id, index)
        case .markStored(let id): try update(id, index) { $0.state = .stored }
        case .note(let id, let failures, let reason):
            try update(id, index) { ($0.failures, $0.reason, $0.state) = (failures, reason, .waiting) }
        case .rename(let id):
            try update(id, index) { $0.name = UploadName.alternative(to: $0.name, $0.failures + 1) }
        case .finish(let id, let confirmation):
            guard let job = desks[index].jobs.removeValue(forKey: id) else { return nil }
            try store.finish(job, at: .now())
            report(.sent(job, confirmation))
        case .bury(let id, let reason):
            try update(id, index) { ($0.state, $0.reason) = (.dead, reason) }
            if let job = desks[index].jobs.removeValue(forKey: id) { report(.dead(job)) }
        case .skip(let id):
            if let job = desks[index].jobs.removeValue(forKey: id) { try store.skip(job) }
        }
        return nil
    }

    private func update(_ id: Int64, _ index: Int, _ change: (inout UploadJob) -> Void) throws(CaptureError) {
        guard var job = desks[index].jobs[id] else { return }
        change(&job)
        desks[index].jobs[id] = job
        try store.update(job)
    }

    /// Stores the condition of a target when it changes.
    private func show(_ index: Int) {
        let condition = desks[index].machine.condition
        guard condition != desks[index].shown else { return }
        desks[index].shown = condition
        let now = WallTime.now().millisecondsSince1970
        let wake = desks[index].machine.wake.map { ($0 - Self.now.steady) / 1_000_000 + now }
        desks[index].state.take(condition, wake: wake.map { Int($0) }, at: Int(now))
        let state = desks[index].state
        attempt(state.id) { () throws(CaptureError) in try store.put(state) }
        report(.target(state))
    }

    private func setAlarm(_ index: Int) {
        guard let wake = desks[index].machine.wake else { return desks[index].alarm.cancel() }
        desks[index].alarm.set(ClockTime(nanoseconds: UInt64(max(0, wake)))) { [self] in
            if !Task.isCancelled { await handle(.time, index) }
        }
    }

    // MARK: Transfers

    private func deliver(_ id: Int64, _ index: Int) {
        guard let job = desks[index].jobs[id] else { return }
        let (transport, token) = (desks[index].transport, job.token)
        scope.add { [self] in
            let input: OutboxMachine.Input
            do throws(TransferFault) {
                guard DeviceFiles.exists(job.picture.path) else { throw .gone("the file is gone") }
                let delivery = try await transport.deliver(job.upload, token: token) { token in
                    self.scope.add { await self.keep(token, of: id, index) }
                }
                input = .delivered(id, delivery)
            } catch {
                input = .failed(id, error)
            }
            await handle(input, index)
        }
    }

    private func confirm(_ id: Int64, _ index: Int) {
        guard let job = desks[index].jobs[id] else { return }
        let transport = desks[index].transport
        scope.add { [self] in
            let input: OutboxMachine.Input
            do throws(TransferFault) {
                input = .confirmed(id, try await transport.confirm(job.upload))
            } catch {
                input = .failed(id, error)
            }
            await handle(input, index)
        }
    }

    private func keep(_ token: String, of id: Int64, _ index: Int) {
        attempt(desks[index].id) { () throws(CaptureError) in try update(id, index) { $0.token = token } }
    }

    // MARK: Sources

    /// Takes pictures from the source of a lane.
    private func refill(_ lane: Int, _ most: Int, _ index: Int) throws(CaptureError) -> OutboxMachine.Input {
        let source = desks[index].lanes[lane]
        do throws(CaptureError) {
            let jobs = try take(source, most, index)
            troubles[source.ledger] = nil
            return keep(jobs.list, lane, isDrained: jobs.isDrained, index)
        } catch {
            complain(source.ledger, error)
            // The next change of the ledger tries again.
            return .jobs([], lane: lane, isDrained: true)
        }
    }

    private func take(
        _ source: LaneDesk, _ most: Int, _ index: Int
    ) throws(CaptureError) -> (list: [UploadJob], isDrained: Bool) {
        guard let ledger = try LedgerUploads(source.ledger), ledger.identity == source.identity else {
            return ([], true)
        }
        let taken = try store.taken(source.lane)
        let newest = try ledger.newestLine()
        let order = source.route.options.order
        guard let gap = order == .oldest ? taken.lowestGap(upTo: newest) : taken.highestGap(upTo: newest) else {
            return ([], true)
        }
        let (found, lines) = try ledger.pictures(in: gap, order, most: most)
        let names = desks[index].target.name
        let pictures = found.map { picture in
            var picture = picture
            (picture.board, picture.series) = (configuration.board.description, source.route.series)
            picture.camera = source.route.camera
            return (picture, names.name(of: picture))
        }
        var after = taken
        after.insert(lines)
        return (try store.take(lines, pictures, source.lane), after.lowestGap(upTo: newest) == nil)
    }

    /// Keeps the jobs of a lane, and returns the input that gives them to the machine.
    private func keep(_ jobs: [UploadJob], _ lane: Int, isDrained: Bool, _ index: Int) -> OutboxMachine.Input {
        for job in jobs { desks[index].jobs[job.id] = job }
        let machineJobs = jobs.map { job in
            OutboxMachine.Job(
                id: job.id, lane: lane, captured: job.picture.taken.millisecondsSince1970, failures: job.failures,
                isStored: job.state == .stored)
        }
        return .jobs(machineJobs, lane: lane, isDrained: isDrained)
    }

    /// Reads a ledger that may have more pictures.
    ///
    /// - Returns: `false` if that failed.
    private func read(_ ledger: String, in folder: String) -> Bool {
        attempt(ledger) { () throws(CaptureError) in try grow(ledger, in: folder) } != nil
    }

    private func grow(_ ledger: String, in folder: String) throws(CaptureError) {
        guard let identity = try LedgerUploads(ledger)?.identity else { return }
        for route in configuration.routes where route.folder == folder {
            for index in desks.indices where route.targets.contains(desks[index].id) {
                handle(.grew(lane: try lane(ledger, identity, route, index)), index)
            }
        }
    }

    /// Returns the lane of a ledger at a target. A new one gets its open jobs.
    private func lane(
        _ ledger: String, _ identity: String, _ route: OutboxConfiguration.Route, _ index: Int
    ) throws(CaptureError) -> Int {
        let known = desks[index].lanes.firstIndex { $0.ledger == ledger && $0.identity == identity }
        if let known { return known }
        let source = try store.source(ledger, identity: identity)
        let lane = LaneDesk(
            route: route, ledger: ledger, identity: identity,
            lane: OutboxStore.Lane(target: desks[index].id, source: source))
        let number = desks[index].machine.add(route.options)
        desks[index].lanes.append(lane)
        handle(keep(try store.openJobs(of: lane.lane), number, isDrained: false, index), index)
        return number
    }

    // MARK: Changes outside

    private func watch(_ path: String, _ body: @escaping @Sendable (isolated OutboxSender) -> Void) {
        let watch = FileWatch(path, on: watchQueue) { [scope] in scope.add { await body(self) } }
        if let watch { watches.append(watch) }
    }

    private func watchSecrets(_ index: Int) {
        for path in desks[index].target.place.secretFiles {
            watch(path) { $0.handle(.credentialsChanged, index) }
        }
    }

    private func followClock() async {
        for await change in ClockWatch.changes(since: .now()) {
            guard !Task.isCancelled else { return }
            for index in desks.indices {
                if case .set = change { handle(.clockStepped, index) } else { handle(.networkChanged, index) }
                openHours(index)
            }
        }
    }

    private func followNetwork() async {
        for await _ in NetworkWatch.changes() { for index in desks.indices { handle(.networkChanged, index) } }
    }

    /// Opens or closes a target by its hours, and sets the alarm for the next change.
    private func openHours(_ index: Int) {
        guard let hours = desks[index].target.hours else { return }
        let now = WallMoment(.now())
        let range = OpenHours([hours]).range(atOrAfter: now, .machine)
        handle(.open(range.map { $0.contains(now) } ?? false), index)
        guard let range else { return }
        let next = range.contains(now) ? range.upperBound : range.lowerBound
        desks[index].hoursAlarm.set(ClockTime.now + (next - now)) { [self] in
            if !Task.isCancelled { await openHours(index) }
        }
    }

    private func takeRequests() {
        let requests = attempt(store.path) { () throws(CaptureError) in try store.takeRequests() } ?? []
        for request in requests {
            guard let index = desks.firstIndex(where: { $0.id == request.target }) else { continue }
            attempt(store.path) { () throws(CaptureError) in try follow(request, index) }
        }
    }

    private func follow(_ request: OutboxRequest, _ index: Int) throws(CaptureError) {
        switch (request.verb, request.job) {
        case (.pause, _): handle(.pause(true), index)
        case (.resume, _): handle(.pause(false), index)
        case (.retry, nil): handle(.retry, index)
        case (.retry, let id?): try revive(id, index)
        case (.drop, let id?): try drop(id, index)
        case (.drop, nil): break
        }
    }

    /// Sends a dead picture again.
    private func revive(_ id: Int64, _ index: Int) throws(CaptureError) {
        guard var job = try store.job(id), job.lane.target == desks[index].id, job.state == .dead,
            let lane = desks[index].lanes.firstIndex(where: { $0.lane == job.lane })
        else { return }
        (job.state, job.failures, job.token) = (.waiting, 0, nil)
        try store.update(job)
        handle(keep([job], lane, isDrained: false, index), index)
    }

    private func drop(_ id: Int64, _ index: Int) throws(CaptureError) {
        guard desks[index].jobs[id] == nil else { return handle(.drop(id), index) }
        guard let job = try store.job(id), job.lane.target == desks[index].id else { return }
        try store.skip(job)
    }

    // MARK: Errors

    /// Performs something, and reports its error once until it succeeds.
    @discardableResult
    private func attempt<Result>(_ subject: String, _ body: () throws(CaptureError) -> Result) -> Result? {
        do throws(CaptureError) {
            let result = try body()
            troubles[subject] = nil
            return result
        } catch {
            complain(subject, error)
            return nil
        }
    }

    private func complain(_ subject: String, _ error: CaptureError) {
        if troubles.updateValue(error, forKey: subject) != error { report(.trouble(error)) }
    }
}

/// A target with its machine and its jobs.
private struct TargetDesk {
    let target: OutboxConfiguration.Target
    let transport: any Transport
    var machine: OutboxMachine
    var lanes: [LaneDesk] = []
    /// The jobs that the machine has.
    var jobs: [Int64: UploadJob] = [:]
    var state: TargetState
    /// The condition in the store.
    var shown: TargetCondition?
    var alarm = Alarm()
    var hoursAlarm = Alarm()

    init(_ target: OutboxConfiguration.Target, _ transport: any Transport) {
        (self.target, self.transport, state) = (target, transport, TargetState(id: target.id))
        machine = OutboxMachine(parallel: target.parallel, seed: .random(in: .min ... .max))
    }

    var id: String { target.id }
}

/// A ledger at a target.
private struct LaneDesk {
    let route: OutboxConfiguration.Route
    let ledger: String
    let identity: String
    let lane: OutboxStore.Lane
}
