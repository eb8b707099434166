// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import SystemBase

/// Something that people should know of a synchronization.
package enum RecordSyncEvent: Sendable, Hashable {
    /// The state of a collection, by the ID of its kind.
    case condition(String, SyncCondition)
    /// A record changed here, because the backend has another version.
    case changed(String, SyncChange)
    /// The backend has changes of this machine, up to this ETag.
    case pushed(String, Int)
    /// The backend refuses a record, with the reason. It has personal values only if the backend quotes them.
    case refused(String, RecordID, String)
    /// A record of the backend cannot be read.
    case damaged(String, RecordChanges.Damaged)
    /// The broker that reports changes is connected; or not, for a reason.
    case broker(String, fault: String?)
    /// Requested pictures cannot be fetched, or unused ones not erased, for this reason; `nil` after the next success.
    case pictures(String?)
    /// The store cannot be used. Each error is reported once.
    case trouble(CaptureError)
}

/// Keeps the records of a store and of a backend the same, until its task is canceled.
///
/// Each collection has its own ``SyncMachine``. A change of the store by any process, and a poll interval, begin a
/// round. An actor with its own thread, since files block.
package actor RecordSync {
    private let executor = BlockingExecutor("gst-capture.records.sync")
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let store: RecordStore
    private let report: @Sendable (RecordSyncEvent) -> Void
    private let scope = TaskScope()
    private let blobs: BlobDesk
    private var desks: [SyncDesk] = []
    /// The desks that rest after a round that succeeded: their records here are those of the backend.
    private var current: Set<Int> = []
    private var alarms: [Alarm]
    private var shown: [SyncCondition?]
    private var watch: RecordStoreWatch?
    private var blobAlarm = Alarm()
    /// The tasks that work on pictures.
    private var pictureTasks = 0
    /// The changes of other connections that were looked at.
    private var otherChanges: Int64?
    private var troubles: Set<String> = []
    /// `true` to end when the machines wait for a time.
    private var endsWhenIdle = false
    /// `true` after ``run(endsWhenIdle:)``: alarms may still ring.
    private var hasEnded = false

    /// - Parameters:
    ///   - store: The store, which belongs to the synchronization from now on.
    ///   - kinds: The IDs of the kinds that are synchronized; each is a collection.
    ///   - poll: The pause between two rounds.
    ///   - report: Receives events, on any thread.
    /// - Throws: `CaptureError` if the store cannot be read.
    package init(
        _ store: sending RecordStore, _ kinds: [String], _ remote: any RecordRemote, poll: Duration = .seconds(60),
        report: @escaping @Sendable (RecordSyncEvent) -> Void
    ) throws(CaptureError) {
        self.report = report
        var desks: [SyncDesk] = []
        for kind in kinds {
            desks.append(
                try SyncDesk(kind, store, remote, .system, poll: poll, seed: .random(in: .min ... .max)))
        }
        (alarms, shown) = (kinds.map { _ in Alarm() }, kinds.map { _ in nil })
        blobs = BlobDesk(store, remote, .system)
        self.store = store
        self.desks = desks
    }

    /// Runs until the task is canceled. Requests that run then are interrupted; what they have changed is found again.
    ///
    /// - Parameter endsWhenIdle: `true` to return when nothing more can be done now, also because of a fault.
    package func run(endsWhenIdle: Bool = false) async {
        self.endsWhenIdle = endsWhenIdle
        watch = RecordStoreWatch(store) { [weak self] in await self?.look() }
        otherChanges = try? store.otherChanges()
        for index in desks.indices { handle(.time, index) }
        workOnPictures()
        endIfIdle()
        await scope.run()
        hasEnded = true
        watch = nil
        blobAlarm.cancel()
        for index in alarms.indices { alarms[index].cancel() }
    }

    // MARK: Inputs

    /// Begins a round, as a broker says that the backend has a change.
    ///
    /// - Parameter kind: The ID of the kind; `nil` for all.
    package func wake(_ kind: String? = nil) { handle(.changed, kind) }

    /// Begins a round, also after a fault.
    ///
    /// - Parameter kind: The ID of the kind; `nil` for all.
    package func retry(_ kind: String? = nil) { handle(.retry, kind) }

    /// Changes the pause between two rounds, as a broker reports changes, or no longer does.
    package func poll(each span: Duration) { handle(.poll(span.nanoseconds), nil) }

    private func handle(_ input: SyncMachine.Input, _ kind: String?) {
        for index in desks.indices where kind == nil || desks[index].kind == kind { handle(input, index) }
    }

    private func handle(_ input: SyncMachine.Input, _ index: Int) {
        guard !hasEnded else { return }
        desks[index].handle(input)
        work(index)
    }

    /// Performs the effects of a desk in a task, if none does.
    private func work(_ index: Int) {
        guard desks[index].hasEffects, !desks[index].isBusy else { return show(index) }
        desks[index].isBusy = true
        current.remove(index)
        scope.add { [self] in await performAll(index) }
    }

    private func performAll(_ index: Int) async {
        let desk = desks[index]
        while desk.hasEffects, !Task.isCancelled {
            for event in await desk.perform() { emit(event) }
            // A question is reported when the store has it, and can be answered.
            if !desk.isAsking { show(index) }
        }
        desk.isBusy = false
        defer { endIfIdle() }
        if let etag = desk.takePushed() { report(.pushed(desk.kind, etag)) }
        show(index)
        if desk.machine.condition == .ready { current.insert(index) }
        workOnPictures()
    }

    private func endIfIdle() {
        guard endsWhenIdle, pictureTasks == 0,
            desks.allSatisfy({ !$0.isBusy && !$0.hasEffects && $0.machine.isIdle })
        else { return }
        scope.end()
    }

    /// `true` if the backend had all changes of this machine when it was last asked, and no question waits.
    package var isUpToDate: Bool {
        desks.allSatisfy { desk in
            desk.machine.condition == .ready
                && reading { () throws(CaptureError) in try store.syncState(of: desk.kind).waiting } == 0
        }
    }

    private func emit(_ event: RecordSyncEvent) {
        if case .trouble(let error) = event, !troubles.insert(error.description).inserted { return }
        report(event)
    }

    /// Reports the condition of a desk when it changes, and sets the alarm of the next round.
    private func show(_ index: Int) {
        let machine = desks[index].machine
        if machine.condition != shown[index] {
            shown[index] = machine.condition
            report(.condition(desks[index].kind, machine.condition))
        }
        guard let wake = machine.wake else { return alarms[index].cancel() }
        alarms[index].set(ClockTime(nanoseconds: UInt64(max(0, wake)))) { [self] in
            if !Task.isCancelled { await handle(.time, index) }
        }
    }

    // MARK: Changes of the store

    private func look() {
        guard !hasEnded else { return }
        do throws(CaptureError) {
            let changes = try store.otherChanges()
            let isChanged = changes != otherChanges
            otherChanges = changes
            for index in desks.indices {
                try desks[index].look(isChanged: isChanged)
                work(index)
            }
            if isChanged { workOnPictures() }
        } catch {
            emit(.trouble(error))
        }
    }

    // MARK: Pictures

    /// Returns the IDs of the records that changed last; none if the store cannot be read, which is reported.
    package func newestRecords(most: Int) -> [RecordID] {
        var query = RecordQuery()
        query.limit = most
        return reading { () throws(CaptureError) in try store.page(query).records.map(\.id) } ?? []
    }

    /// Fetches the pictures of a record that are not here, for use without the network. One that cannot be fetched is left
    /// out.
    ///
    /// - Parameter most: Leaves out all but this number of records that changed last.
    package func fetchBlobs(of id: RecordID, ifAmong most: Int) async {
        let found = reading { () throws(CaptureError) in
            try store.isRecent(id, most: most) ? store.record(id)?.content.blobs : nil
        }
        for blob in (found ?? nil) ?? [] where store.blobPath(blob.sha256) == nil && !Task.isCancelled {
            _ = try? await fetchBlob(blob)
        }
    }

    /// Fetches the pictures that viewers request, and erases unused ones if the records here are those of the backend.
    private func workOnPictures() {
        guard !hasEnded else { return }
        pictureTasks += 1
        scope.add { [self] in await performPictures() }
    }

    private func performPictures() async {
        defer {
            pictureTasks -= 1
            endIfIdle()
        }
        do throws(CaptureError) {
            if let event = try await blobs.work(erases: current.count == desks.count) { report(event) }
        } catch {
            emit(.trouble(error))
        }
        guard let wake = blobs.wake, !hasEnded else { return }
        blobAlarm.set(ClockTime(nanoseconds: UInt64(max(0, wake)))) { [self] in
            if !Task.isCancelled { await workOnPictures() }
        }
    }

    private func reading<Result>(_ body: () throws(CaptureError) -> Result) -> Result? {
        do throws(CaptureError) {
            return try body()
        } catch {
            emit(.trouble(error))
            return nil
        }
    }

    /// Fetches a picture that another device has added, if it is not here.
    ///
    /// - Returns: The path of the file.
    /// - Throws: ``RecordRemoteFault``, such as ``RecordRemoteFault/missing(_:)`` if the backend does not have it.
    package func fetchBlob(_ blob: RecordBlob) async throws(RecordRemoteFault) -> String {
        try await blobs.fetch(blob)
    }
}

extension SyncDesk.Clock {
    /// The clocks of this machine.
    fileprivate static let system = SyncDesk.Clock(
        steady: { Int64(clamping: ClockTime.now.nanoseconds) }, wall: { WallTime.now().millisecondsSince1970 })
}
