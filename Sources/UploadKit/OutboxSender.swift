// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Dispatch
import LedgerKit
import ScheduleKit
import StillKit
import SystemBase

/// Sends the pictures of ledgers and of accepted sessions, and the clips of cameras, to targets, until its task is
/// canceled.
///
/// It only reads pictures and their accounts, and follows the accounts: a capture does not know of it. A change of a
/// ledger, of a list of clips, of a session, of the clock, of a key file or of a person's request wakes it; it never
/// polls. An actor with its own thread, since files block.
package actor OutboxSender {
    private let executor = BlockingExecutor("gst-capture.send")
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let store: OutboxStore
    private let configuration: OutboxConfiguration
    private let report: @Sendable (OutboxEvent) -> Void
    private let scope = TaskScope()
    private let watchQueue = DispatchQueue(label: "gst-capture.send.watch")
    private let copies: SmallCopies
    private let deletions: DeletionReader
    private let clock: @Sendable () -> AgeClock
    private var desks: [TargetDesk]
    /// Rings at the next end of a consent.
    private var expiryAlarm = Alarm()
    private var watches: [FileWatch] = []
    private var endsWhenIdle = false
    /// `true` after ``run(endsWhenIdle:)``: the alarms of sources may still ring.
    private var hasEnded = false
    /// The errors that were reported; each is once until its account can be read.
    private var troubles: [String: CaptureError] = [:]
    /// The folders whose trashes are watched.
    private var trashes: Set<String> = []

    /// - Parameters:
    ///   - store: The store, which belongs to the sender from now on.
    ///   - transports: A transport for each target, by its ID.
    ///   - clock: Judges whether consents have ended; tests replace it.
    ///   - report: Receives events, on any thread.
    package init(
        _ configuration: OutboxConfiguration, _ store: sending OutboxStore, _ transports: [String: any Transport],
        clock: @escaping @Sendable () -> AgeClock = { .current() },
        report: @escaping @Sendable (OutboxEvent) -> Void
    ) {
        (self.configuration, self.clock, self.report) = (configuration, clock, report)
        copies = SmallCopies(folder: DeviceFiles.folder(of: store.path) + "/copies")
        self.store = store
        deletions = DeletionReader(store)
        desks = configuration.targets.compactMap { target in
            transports[target.id].map { TargetDesk(target, $0) }
        }
    }

    /// Runs until the task is canceled. Transfers that run then are interrupted, and resumed at the next start.
    ///
    /// - Parameter endsWhenIdle: `true` to end as soon as each target has all pictures, or fails.
    package func run(endsWhenIdle: Bool = false) async {
        begin()
        let followers = [follower(of: .series), follower(of: .clips)]
        let accepted = SessionFollower(folders(of: .sessions)) { [self] in await readSessions($0, run: $1) }
        let (reports, inlet) = AsyncStream.makeStream(of: Void.self)
        for follower in followers { scope.add { await follower.run { inlet.yield() } } }
        scope.add { await accepted.run { inlet.yield() } }
        if endsWhenIdle {
            scope.add { [self] in
                var count = 0
                for await _ in reports {
                    count += 1
                    if count == followers.count + 1 { return await endWhenIdle() }
                }
            }
        }
        scope.add { [self] in await followClock() }
        scope.add { [self] in await followNetwork() }
        await scope.run()
        hasEnded = true
    }

    private func follower(of kind: OutboxConfiguration.Route.Kind) -> AccountFollower {
        AccountFollower(folders(of: kind)) {
            kind.accounts(at: $0)
        } read: { [self] in
            await read($0, kind, in: $1)
        }
    }

    private func folders(of kind: OutboxConfiguration.Route.Kind) -> [String] {
        configuration.routes.filter { $0.kind == kind }.map(\.folder)
    }

    private func endWhenIdle() {
        endsWhenIdle = true
        endIfIdle()
    }

    private func endIfIdle() {
        if endsWhenIdle, desks.allSatisfy(\.machine.isIdle) { scope.end() }
    }

    private func begin() {
        copies.clear()
        for index in desks.indices {
            let known = attempt(desks[index].id) { () throws(CaptureError) in
                try store.targets()[desks[index].id] ?? TargetState(id: desks[index].id)
            }
            desks[index].state = known ?? TargetState(id: desks[index].id)
            handle(.pause(desks[index].state.isPaused), index)
            openHours(index)
            watchSecrets(index)
            let jobs = attempt(desks[index].id) { () throws(CaptureError) in try store.erasures(of: desks[index].id) }
            handle(keep(jobs ?? [], desks[index].erasing, isDrained: true, index), index)
            endDeletedJobs(index)
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
            try update(id, index) {
                ($0.name, $0.hasOwnName) = (UploadName.alternative(to: $0.name, $0.failures + 1), true)
            }
        case .finish(let id, let confirmation):
            if let job = remove(id, index) { return try finish(job, confirmation, index) }
        case .bury(let id, let reason):
            try update(id, index) { ($0.state, $0.reason) = (.dead, reason) }
            if let job = remove(id, index) { report(.dead(job)) }
        case .skip(let id): if let job = remove(id, index) { return try giveUp(job, index) }
        }
        return nil
    }

    /// - Returns: The job that erases a picture which was deleted meanwhile, for the machine.
    private func finish(
        _ job: UploadJob, _ confirmation: Confirmation, _ index: Int
    ) throws(CaptureError) -> OutboxMachine.Input? {
        switch job.kind {
        case .send where job.isDeleted:
            let canErase = desks[index].target.place.canErase
            return erasing(try store.finishDeleted(job, at: .now(), canErase: canErase), index)
        case .send:
            try store.finish(job, at: .now())
            report(.sent(job, confirmation))
            if job.picture.isLent { try eraseIfExpired(job) }
        case .erase: try endErasure(job, index)
        }
        return nil
    }

    /// - Returns: The job that erases a picture if it is at the target after all, for the machine.
    private func giveUp(_ job: UploadJob, _ index: Int) throws(CaptureError) -> OutboxMachine.Input? {
        switch job.kind {
        case .send where job.isDeleted:
            return erasing(try store.skipDeleted(job, canErase: desks[index].target.place.canErase), index)
        case .send: try store.skip(job)
        case .erase: try store.forget(job)
        }
        return nil
    }

    private func erasing(_ job: UploadJob?, _ index: Int) -> OutboxMachine.Input? {
        job.map { keep([$0], desks[index].erasing, isDrained: true, index) }
    }

    /// Takes a job from the machine's jobs, and removes its small copy.
    private func remove(_ id: Int64, _ index: Int) -> UploadJob? {
        guard let job = desks[index].jobs.removeValue(forKey: id) else { return nil }
        if desks[index].copies.removeValue(forKey: id) != nil { copies.remove(job) }
        return job
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
        let due = condition.until ?? desks[index].machine.wake
        let wake = due.map { ($0 - Self.now.steady) / 1_000_000 + now }
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
        let transport = desks[index].transport
        scope.add { [self] in
            let input: OutboxMachine.Input
            do throws(TransferFault) {
                switch job.kind {
                case .send: input = .delivered(id, try await send(job, transport, index))
                case .erase:
                    let result = try await Erasure.run(job, transport)
                    await self.note(result, of: id, index)
                    input = .delivered(id, .confirmed(.answer))
                }
            } catch {
                input = .failed(id, error)
            }
            await handle(input, index)
        }
    }

    private func send(
        _ job: UploadJob, _ transport: any Transport, _ index: Int
    ) async throws(TransferFault) -> Delivery {
        guard DeviceFiles.exists(job.picture.path) else { throw .gone("the file is gone") }
        let upload = try await upload(of: try await identified(job, index), index)
        return try await transport.deliver(upload, token: job.token) { token in
            self.scope.add { await self.keep(token, of: job.id, index) }
        }
    }

    /// Computes the hash of a clip, and gives it its name at the target. Other jobs go on meanwhile.
    private func identified(_ job: UploadJob, _ index: Int) async throws(TransferFault) -> UploadJob {
        guard !job.picture.isHashed, let lane = desks[index].lane(job.lane), let source = desks[index].lanes[lane]
        else { return job }
        var picture = job.picture
        picture.sha256 = try await picture.digest(below: LedgerPlace(source.path).baseFolder)
        var job = job
        job.identify(picture.sha256, name: naming(source.route, index).name(of: picture))
        attempt(desks[index].id) { () throws(CaptureError) in
            try update(job.id, index) { $0.identify(job.picture.sha256, name: job.name) }
        }
        return job
    }

    /// Returns the file that a job sends: the picture, or its small copy.
    private func upload(of job: UploadJob, _ index: Int) async throws(TransferFault) -> Upload {
        guard desks[index].isSmall(job) else { return job.upload }
        if var made = desks[index].copies[job.id] {
            made.name = job.name
            return made
        }
        let made = try await copies.make(of: job)
        desks[index].copies[job.id] = made
        return made
    }

    private func confirm(_ id: Int64, _ index: Int) {
        guard let job = desks[index].jobs[id] else { return }
        let transport = desks[index].transport
        scope.add { [self] in
            let input: OutboxMachine.Input
            do throws(TransferFault) {
                let upload = try await upload(of: job, index)
                input = .confirmed(id, try await transport.confirm(upload))
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
        guard let source = desks[index].lanes[lane] else { return .jobs([], lane: lane, isDrained: true) }
        do throws(CaptureError) {
            let jobs = try take(source, most, index)
            troubles[source.path] = nil
            return keep(jobs.list, lane, isDrained: jobs.isDrained, index)
        } catch {
            complain(source.path, error)
            // The next change of the source tries again.
            return .jobs([], lane: lane, isDrained: true)
        }
    }

    private func take(
        _ desk: SourceDesk, _ most: Int, _ index: Int
    ) throws(CaptureError) -> (list: [UploadJob], isDrained: Bool) {
        guard let source = try desk.route.source(desk.path, store, clock()), source.identity == desk.identity else {
            return ([], true)
        }
        let taken = try store.taken(desk.lane)
        guard let next = try source.next(after: taken, desk.route.options.order, most: most) else { return ([], true) }
        let page = allowed(next, index)
        let naming = naming(desk.route, index)
        let pictures = page.pictures.map { picture in
            let picture = naming.completed(picture)
            return (picture, picture.isHashed ? naming.name(of: picture) : "")
        }
        let jobs = try store.take(
            page.lines, pictures, desk.lane, unsent: page.unsent, naming: desk.route.kind == .sessions ? nil : naming)
        return (jobs, page.isLast)
    }

    /// Leaves out pictures that the target could not erase at the end of their consent.
    private func allowed(_ page: UploadPage, _ index: Int) -> UploadPage {
        let target = desks[index].target.place
        guard !target.canErase, let lent = page.pictures.first(where: \.isLent) else { return page }
        complain(
            lent.path,
            CaptureError(
                .configuration,
                "its session and others are not sent to \(target.id), which cannot erase them after "
                    + "the retention of their consent", subject: lent.path,
                advice: "give erase: yes if the server accepts DELETE, or choose another target"))
        var page = page
        page.unsent += page.pictures.filter(\.isLent).map(\.line)
        page.pictures.removeAll(where: \.isLent)
        return page
    }

    /// Returns what the names of a route's pictures at a target follow from.
    private func naming(_ route: OutboxConfiguration.Route, _ index: Int) -> UploadNaming {
        let target = desks[index].target
        return UploadNaming(
            target.name, address: target.place.address, board: configuration.board.description, series: route.series,
            camera: route.camera, isSmall: route.isSmall)
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

    /// Reads a ledger, or a list of clips, that may have more pictures.
    ///
    /// - Returns: `false` if that failed.
    private func read(_ path: String, _ kind: OutboxConfiguration.Route.Kind, in folder: String) -> Bool {
        if hasEnded { return true }
        return attempt(path) { () throws(CaptureError) in try grow(path, kind, in: folder) } != nil
    }

    private func grow(
        _ path: String, _ kind: OutboxConfiguration.Route.Kind, in folder: String
    ) throws(CaptureError) {
        guard let account = try kind.account(path) else { return }
        for route in configuration.routes where route.kind == kind && route.folder == folder {
            try grow(path, account.identity, route)
        }
        try deletions.take(from: account, path, at: deletionTargets, end: endDeleted)
        watchTrashes(around: path)
    }

    private func grow(
        _ path: String, _ identity: String, _ route: OutboxConfiguration.Route
    ) throws(CaptureError) {
        for index in desks.indices where route.targets.contains(desks[index].id) {
            handle(.grew(lane: try lane(path, identity, route, index)), index)
        }
    }

    /// Reads the sessions of a folder, or one of them, and returns those that may be accepted later.
    private func readSessions(_ folder: String, run: String?) -> Set<String> {
        if hasEnded { return [] }
        let search = attempt(folder) { () throws(CaptureError) in
            let sessions = try SessionUploads(folder, store, clock: clock())
            let search = if let run { try sessions.register(run: run) } else { try sessions.register() }
            for route in configuration.routes where route.kind == .sessions && route.folder == folder {
                try grow(folder, SessionUploads.identity, route)
            }
            return search
        }
        for error in search?.errors ?? [] { complain(error.subject ?? folder, error) }
        eraseExpired()
        return search?.pending ?? []
    }

    /// Returns the lane of a source at a target. A new one gets its open jobs.
    private func lane(
        _ path: String, _ identity: String, _ route: OutboxConfiguration.Route, _ index: Int
    ) throws(CaptureError) -> Int {
        let known = desks[index].lanes.first { $0.value.path == path && $0.value.identity == identity }
        if let known { return known.key }
        let lane = OutboxStore.Lane(target: desks[index].id, source: try store.source(path, identity: identity))
        let number = desks[index].machine.add(route.options)
        desks[index].lanes[number] = SourceDesk(route: route, path: path, identity: identity, lane: lane)
        handle(keep(try store.openJobs(of: lane), number, isDrained: false, index), index)
        return number
    }

    // MARK: Erasing

    /// Erases the pictures of sessions whose consent has ended, and sets the alarm for the next ones.
    private func eraseExpired() {
        let clock = clock()
        let now = clock.time
        var next: WallTime?
        for source in sessionSources {
            attempt(store.path) { () throws(CaptureError) in
                for run in try store.dueRuns(of: source, at: now) where run.isOver(by: clock) {
                    try erase(run, of: source)
                }
                let end = try store.nextExpiry(of: source, after: now)
                next = [next, end].compactMap { $0 }.min { $0.seconds < $1.seconds }
            }
        }
        guard let next else { return expiryAlarm.cancel() }
        let pause = Duration.seconds(min(next.seconds - now.seconds, Self.longestPause) + 1)
        expiryAlarm.set(.now + pause) { [self] in if !Task.isCancelled { await eraseExpired() } }
    }

    /// The sources of sessions that targets have.
    private var sessionSources: Set<Int64> {
        Set(desks.flatMap { $0.lanes.values.filter { $0.route.kind == .sessions }.map(\.lane.source) })
    }

    /// Erases the pictures of a session at all targets.
    private func erase(_ run: SessionRun, of source: Int64) throws(CaptureError) {
        for index in desks.indices {
            for desk in desks[index].lanes.values where desk.lane.source == source {
                try erase(run.lines, desk.lane, index)
            }
        }
        try store.settle(run, of: source)
    }

    /// The consent may have ended while a picture was sent.
    private func eraseIfExpired(_ job: UploadJob) throws(CaptureError) {
        let line = job.picture.line
        let run = try store.runs(of: job.lane.source, in: line...line, .oldest, most: 1).first
        if run?.isOver(by: clock()) ?? false { scope.add { [self] in await eraseExpired() } }
    }

    /// A clock that was set meanwhile changes the next end of a consent.
    private static let longestPause: Int64 = 86_400

    private func erase(_ lines: ClosedRange<Int>, _ lane: OutboxStore.Lane, _ index: Int) throws(CaptureError) {
        // A transfer ends first: eraseExpired is called again if it has succeeded.
        for job in try store.jobs(.send, of: lines, lane) { try drop(job, index) }
        let jobs = try store.takeErasures(of: lines, lane).filter { $0.state != .dead }
        handle(keep(jobs, desks[index].erasing, isDrained: true, index), index)
    }

    /// Reports an erasure that has changed nothing at the target.
    private func note(_ result: Erasure, of id: Int64, _ index: Int) { desks[index].erasures[id] = result }

    private func endErasure(_ job: UploadJob, _ index: Int) throws(CaptureError) {
        switch desks[index].erasures.removeValue(forKey: job.id) ?? .erased {
        case .erased:
            try store.forget(job)
            report(.erased(job))
        case .missing: try store.forgetMissing(job)
        case .unreadable(let reason): try store.keep(job, reason)
        }
    }

    // MARK: Deletions

    /// The targets that erase pictures of a ledger, or of a list of clips, which a person deletes.
    private func deletionTargets(of path: String) -> [DeletionTarget] {
        let routes = configuration.routes.filter { $0.kind.accounts(at: $0.folder).contains(path) }
        return desks.indices.filter { desks[$0].target.erasesDeleted }.map { index in
            let place = desks[index].target.place
            let route = routes.first { $0.targets.contains(place.id) }
            return DeletionTarget(
                id: place.id, address: place.address, canErase: place.canErase,
                naming: route.map { naming($0, index) })
        }
    }

    /// Erases a deleted picture. A transfer ends first.
    private func endDeleted(_ job: UploadJob) throws(CaptureError) {
        guard let index = desks.firstIndex(where: { $0.id == job.lane.target }) else { return }
        switch job.kind {
        case .erase: handle(keep([job], desks[index].erasing, isDrained: true, index), index)
        case .send:
            desks[index].jobs[job.id]?.isDeleted = true
            try drop(job, index)
        }
    }

    /// Ends the jobs whose pictures were deleted when the sender ran last.
    private func endDeletedJobs(_ index: Int) {
        attempt(desks[index].id) { () throws(CaptureError) in
            for job in try store.deletedJobs(of: desks[index].id) { try endDeleted(job) }
        }
    }

    /// Reads the trashes that can have pictures of a ledger, or clips of a list, and follows them.
    private func watchTrashes(around account: String) {
        let base = LedgerPlace(account).baseFolder
        for folder in ErasedPictures.folders(around: DeviceFiles.canonical(base) ?? base) {
            if trashes.insert(folder).inserted {
                watch(ErasedPictures(folder).path) { $0.readTrash(folder) }
            }
            readTrash(folder)
        }
    }

    private func readTrash(_ folder: String) {
        attempt(ErasedPictures(folder).path) { () throws(CaptureError) in
            try deletions.takeErased(in: folder, of: openAccounts, at: deletionTargets, end: endDeleted)
        }
    }

    /// Opens the ledgers and the lists of clips. One that is missing is on a disk that is away, as its pictures and their
    /// trash are.
    private func openAccounts() throws(CaptureError) -> [String: any UploadAccount] {
        var accounts: [String: any UploadAccount] = [:]
        for kind in [OutboxConfiguration.Route.Kind.series, .clips] {
            for path in folders(of: kind).flatMap(kind.accounts) { accounts[path] = try kind.account(path) }
        }
        return accounts
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
            eraseExpired()
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
            let lane = job.kind == .erase ? desks[index].erasing : desks[index].lane(job.lane)
        else { return }
        (job.state, job.failures, job.token) = (.waiting, 0, nil)
        try store.update(job)
        handle(keep([job], lane, isDrained: false, index), index)
    }

    private func drop(_ id: Int64, _ index: Int) throws(CaptureError) {
        if let job = try store.job(id), job.lane.target == desks[index].id { try drop(job, index) }
    }

    private func drop(_ job: UploadJob, _ index: Int) throws(CaptureError) {
        if desks[index].jobs[job.id] != nil { return handle(.drop(job.id), index) }
        if let input = try giveUp(job, index) { handle(input, index) }
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
