// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import LibraryKit
import ServiceKit
import ServiceLifecycle
import SystemBase

/// Keeps a library up to date with the pictures and clips of a service: the pictures of its series, those that were captured
/// on request, those of its sessions, and the clips of its cameras.
///
/// An event only says which account has changed. The account itself is read from a cursor in the index, so that no picture
/// is lost if events are, or if the service was stopped. The folders of the pictures belong to the library; a new one is
/// scanned once beside the captures.
package actor LibraryFeed: Service {
    private let library: ServiceLibrary
    private var index: LibraryIndex { library.index }
    private let service: CaptureService
    private let report: @Sendable (CaptureError) -> Void
    private let scanner = FolderScanner()
    private let executor = BlockingExecutor("gst-capture.library")
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// The ledgers by the IDs of their series.
    private var ledgers: [String: LedgerSource] = [:]
    /// The sources of sessions by the folders of their runs, which several sessions can share.
    private var sessions: [String: SessionSource] = [:]
    /// The lists of the clips of cameras, and of the films of series.
    private var clips: [ClipOwner: ClipSource] = [:]
    /// The folders of the pictures that are not known to be in the library: some are created by the first picture.
    private var newFolders: Set<String> = []
    /// The folders that are new in the library, or were not complete at the start, and are not scanned yet.
    private var staleFolders: Set<String> = []
    /// The errors that were reported; each is once until its account can be read.
    private var faults: [String: CaptureError] = [:]
    private let changes = AsyncStream<LibraryChanges>.makeStream(bufferingPolicy: .bufferingNewest(1))

    /// Events that come while the feed reads an account. More of them only mean that it reads again.
    private static let mostEvents = 1000

    /// How often deleted pictures are looked at: one stays for 30 days, so an hour more is nothing.
    private static let trashPause = Duration.seconds(3600)

    /// - Parameter report: Receives the error of an account that cannot be read, once.
    package init(
        _ library: ServiceLibrary, _ service: CaptureService, report: @escaping @Sendable (CaptureError) -> Void
    ) {
        (self.library, self.service, self.report) = (library, service, report)
    }

    /// The changes of the index, for one listener. Only the newest is kept for one that is slow.
    package nonisolated var arrivals: AsyncStream<LibraryChanges> { changes.stream }

    /// Runs until the events of the service end. A shutdown ends scans and long accounts, which continue at the next start.
    package func run() async {
        await cancelWhenGracefulShutdown { await self.followAll() }
        // No request waits any longer.
        library.progress.reach(.max)
        changes.continuation.finish()
    }

    private func followAll() async {
        // First the events: a picture that comes while the accounts are read is read again.
        var last = service.lastEvent
        let (events, read) = (service.listen(buffering: Self.mostEvents), service.lastEvent)
        await withTaskGroup { group in
            await catchUp()
            library.progress.reach(read)
            findStale()
            group.addTask {
                await self.completeTrash()
                await self.emptyTrash()
            }
            for folder in takeStale() { group.addTask { await self.scan(folder) } }
            for await event in events {
                // Events are lost if too many come meanwhile: any account can have grown.
                if event.number > last + 1 { await catchUp() } else { await follow(event.event) }
                last = event.number
                library.progress.reach(last)
                for folder in takeStale() { group.addTask { await self.scan(folder) } }
            }
            group.cancelAll()
        }
    }

    private func follow(_ event: ServiceEvent) async {
        switch event.kind {
        case "reloaded": await catchUp()
        case "captured" where event.session == nil, "removed" where event.session == nil, "live-photo":
            guard let series = event.series ?? event.camera else { return }
            // Clients create series, too.
            if ledgers[series] == nil { await findSources() }
            if let source = ledgers[series] { read(source) }
        case "clip", "film":
            guard let (owner, clip) = event.changedClip else { return }
            if clips[owner] == nil { await findSources() }
            if let source = clips[owner] { read(source, clip: clip) }
        case let kind where Self.sessionKinds.contains(kind):
            if let run = event.runFolder { read(run: run) }
        default: break
        }
    }

    /// The events after which the record of a run has other pictures, or is gone.
    private static let sessionKinds: Set = [
        "captured", "removed", "set-aside", "stage-done", "finished", "expired", "discarded",
    ]

    /// Reads all accounts.
    private func catchUp() async {
        await findSources()
        for source in ledgers.values.sorted(by: { $0.series < $1.series }) { read(source) }
        for source in sessions.values.sorted(by: { $0.folder < $1.folder }) { read(source) }
        for source in clips.values.sorted(by: { $0.list < $1.list }) { read(source) }
    }

    private func findSources() async {
        ledgers = [:]
        for (camera, series) in await service.allPictures {
            guard let ledger = series.ledger else { continue }
            ledgers[series.id] = LedgerSource(
                ledger: ledger, series: series.id, camera: camera, folder: series.pictureFolder)
        }
        sessions = [:]
        for (folder, shared) in Dictionary(grouping: await service.allSessions, by: \.output) {
            let cameras = shared.map { ($0.file.session.name, $0.cameras) }
            sessions[folder] = SessionSource(folder: folder, cameras: Dictionary(cameras) { first, _ in first })
        }
        let lists = await service.clipLists
        clips = Dictionary(lists.map { ($0.owner, ClipSource(list: $0.path, camera: $0.camera)) }) { first, _ in first }
        newFolders.formUnion(lists.map(\.folder))
        newFolders.formUnion(await service.allPictures.compactMap(\.series.pictureFolder))
        newFolders.formUnion(sessions.keys)
    }

    /// Finds the folders of the whole library that a rebuild, or a new index, has left without their pictures.
    private func findStale() {
        attempt(index.path) { () throws(CaptureError) in
            staleFolders.formUnion(try index.roots().filter { $0.state == .stale }.map(\.path))
        }
    }

    /// Returns the folders that have to be scanned, once.
    private func takeStale() -> [String] {
        addFolders()
        defer { staleFolders = [] }
        return staleFolders.sorted()
    }

    /// Makes the folders that exist a part of the library, before their pictures are announced: a client may delete one at
    /// once, and the trash is in its folder.
    private func addFolders() {
        for folder in newFolders.sorted() where DeviceFiles.exists(folder) {
            let root = attempt(folder) { () throws(CaptureError) in try index.addFolder(folder) }
            newFolders.remove(folder)
            if root?.state == .stale { staleFolders.insert(folder) }
        }
    }

    private func read(_ source: LedgerSource) {
        addFolders()
        attempt(source.ledger) { () throws(CaptureError) in announce(try library.read(source)) }
    }

    /// Compares all clips of a list with the index, or reads one clip that has changed.
    private func read(_ source: ClipSource, clip: Int? = nil) {
        addFolders()
        attempt(source.list) { () throws(CaptureError) in
            if let clip {
                announce(try source.catchUp(clip: clip, index))
            } else {
                announce(try source.catchUp(index))
            }
        }
    }

    /// Reads the records of runs that are new or changed, and finds runs that were removed.
    private func read(_ source: SessionSource) {
        let isInIndex = read(source.folder) { report throws(CaptureError) in try source.catchUp(index, report: report) }
        library.progress.note(isInIndex ? nil : "its runs are not in the index", of: source.folder)
    }

    /// Reads the record of a run, or finds that it was removed.
    private func read(run: String) {
        guard let source = sessions[DeviceFiles.folder(of: run)] else { return }
        read(run) { report throws(CaptureError) in try source.catchUp(run: run, index, report: report) }
    }

    /// Reads accounts, announces their changes, and reports the last damaged record, or that the index cannot be changed.
    ///
    /// - Parameter body: Receives damaged records, and returns the changes of the index.
    /// - Returns: `true` if all sound records are in the index.
    @discardableResult
    private func read(
        _ account: String,
        _ body: (_ report: (CaptureError) -> Void) throws(CaptureError) -> LibraryChanges
    ) -> Bool {
        addFolders()
        var isInIndex = false
        attempt(account) { () throws(CaptureError) in
            var failure: CaptureError?
            announce(try body { failure = $0 })
            isInIndex = true
            if let failure { throw failure }
        }
        return isInIndex
    }

    /// Scans a folder. Events go on meanwhile.
    private nonisolated func scan(_ folder: String) async {
        // The scan can find a clip before its event comes.
        let lists = await Dictionary(clips.values.map { ($0.list, $0) }) { first, _ in first }
        await change { () async throws(CaptureError) in
            try await self.scanner.scan(folder, lists, self.index, self.report)
        }
    }

    /// Completes what the end of another process has interrupted.
    private nonisolated func completeTrash() async {
        await change { () async throws(CaptureError) in
            try await self.scanner.completeTrash(self.index, self.report)
        }
    }

    /// Changes the index beside the events, and announces or reports the result.
    private nonisolated func change(_ body: () async throws(CaptureError) -> LibraryChanges) async {
        do throws(CaptureError) {
            await announce(try await body())
        } catch {
            if !Task.isCancelled { report(error) }
        }
    }

    /// Erases deleted pictures at the end of their time, until the task is canceled. While the clock is in doubt, they stay.
    private nonisolated func emptyTrash() async {
        while !Task.isCancelled {
            let limit = WallTime.now().seconds - LibraryIndex.trashSeconds
            if AgeClock.current().isTrusted { await eraseDeleted(before: limit) }
            try? await Task.sleep(for: Self.trashPause, clock: .suspending)
        }
    }

    private func eraseDeleted(before second: Int64) {
        attempt("trash") { () throws(CaptureError) in
            guard let oldest = try index.oldestDeletion(), oldest < second else { return }
            var failure: CaptureError?
            _ = try index.emptyTrash(before: WallTime(seconds: second, nanoseconds: 0)) { failure = $0 }
            if let failure { throw failure }
        }
    }

    private func announce(_ found: LibraryChanges) {
        if !found.isEmpty { changes.continuation.yield(found) }
    }

    /// Reports an error about an account, unless it is the last one of this account.
    @discardableResult
    private func attempt<Result>(_ account: String, _ body: () throws(CaptureError) -> Result) -> Result? {
        do throws(CaptureError) {
            let result = try body()
            faults[account] = nil
            return result
        } catch {
            // A canceled account continues at the next start.
            if !Task.isCancelled, faults.updateValue(error, forKey: account) != error { report(error) }
            return nil
        }
    }
}

/// Scans one folder or trash at a time, on a thread that may block. A scan ends when its task is canceled.
private actor FolderScanner {
    private let executor = BlockingExecutor("gst-capture.scan")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    func scan(
        _ folder: String, _ clips: [String: ClipSource], _ index: LibraryIndex,
        _ report: @escaping @Sendable (CaptureError) -> Void
    ) throws(CaptureError) -> LibraryChanges {
        try LibraryScan(index, folder: folder, clips: clips, report: report).changes
    }

    func completeTrash(
        _ index: LibraryIndex, _ report: @escaping @Sendable (CaptureError) -> Void
    ) throws(CaptureError) -> LibraryChanges {
        try index.completeTrash(report: report)
    }
}
#endif
