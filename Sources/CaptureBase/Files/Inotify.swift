// Part of gst-capture. Apache License 2.0, see LICENSE.

import Dispatch
import Glibc
import Synchronization
import SystemBase

/// One instance of `inotify(7)` for all watches of files and folders of a process. Any thread may use it.
///
/// The kernel gives one watch to all readers of the same file; ``WatchTable`` keeps which reader waits for what. A file
/// system that hangs, such as NFS, delays only the queue of the reader that watches it: paths are resolved there,
/// without the lock.
final class Inotify: Sendable {
    static let shared = Inotify()

    /// Makes the instance; tests replace it by one that fails.
    typealias Open = @Sendable () -> Int32

    /// A folder or file that a reader watches.
    private struct Reader {
        let place: WatchedPlace
        let queue: DispatchQueue
        let report: @Sendable () -> Void
        var folderWatch: Int32?
        var fileWatch: Int32?
        /// `true` if a call of `report` waits in the queue.
        var isDue = false
    }

    private struct State {
        /// `nil` until the first watch, and while the kernel refuses an instance.
        var descriptor: Int32?
        var source: (any DispatchSourceRead)?
        var readers: [Int: Reader] = [:]
        var lastReader = 0
        var table = WatchTable()
        /// The readers whose watch the kernel refused.
        var refused: Set<Int> = []
        var refusal: Int32 = 0
        /// `true` if a retry is scheduled.
        var retries = false
        var report: (@Sendable (CaptureError) -> Void)?
        var isReported = false
    }

    private enum Attempt: Equatable {
        case accepted(Int32)
        case missing
        case refused(Int32)
    }

    private let open: Open
    private let retryInterval: DispatchTimeInterval
    private let queue = DispatchQueue(label: "gst-capture.inotify")
    private let state = Mutex(State())

    init(
        retryInterval: DispatchTimeInterval = .seconds(10),
        open: @escaping Open = { inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC)) }
    ) {
        (self.open, self.retryInterval) = (open, retryInterval)
    }

    deinit { state.withLock { $0.source?.cancel() } }

    /// Adds a reader, and returns its number; `nil` if its folder does not exist or cannot be read.
    func add(_ place: WatchedPlace, on queue: DispatchQueue, report: @escaping @Sendable () -> Void) -> Int? {
        let id = state.withLock { state in
            state.lastReader += 1
            state.readers[state.lastReader] = Reader(place: place, queue: queue, report: report)
            return state.lastReader
        }
        if watchFolder(place, id) == .missing {
            remove(id)
            return nil
        }
        watchFile(place, id)
        return id
    }

    /// Removes a reader. A call of its handler that has begun is not awaited.
    func remove(_ id: Int) {
        // The handler is released without the lock: it may own another watch.
        let reader = state.withLock { state -> Reader? in
            guard let reader = state.readers.removeValue(forKey: id) else { return nil }
            state.refused.remove(id)
            for watch in [reader.folderWatch, reader.fileWatch] { release(watch, id, &state) }
            return reader
        }
        _ = reader
    }

    func reportRefusals(to report: @escaping @Sendable (CaptureError) -> Void) {
        state.withLock { state in (state.report, state.isReported) = (report, false) }
        noteRefusals()
    }

    // MARK: Watches

    private func watchFolder(_ place: WatchedPlace, _ id: Int) -> Attempt {
        let attempt = watch(place.folder, place.folderMask | IN_ONLYDIR, id) { $0.folderWatch = $1 }
        if case .refused = attempt { noteRefusals() }
        return attempt
    }

    /// Watches the file, or the target of the link, that is at the path now.
    private func watchFile(_ place: WatchedPlace, _ id: Int) {
        guard let file = place.file else { return }
        if case .refused = watch(file, WatchedPlace.fileMask, id, { $0.fileWatch = $1 }) { noteRefusals() }
    }

    /// Watches a path for a reader in place of the path that `keep` replaces.
    private func watch(_ path: String, _ mask: Int32, _ id: Int, _ keep: (inout Reader, Int32?) -> Void) -> Attempt {
        // Resolving the path may take long; watching what it leads to does not.
        let target = Glibc.open(path, OpenFlag.path | O_CLOEXEC)
        defer { if target >= 0 { close(target) } }
        return state.withLock { state in
            guard var reader = state.readers[id] else { return .missing }
            let before = [reader.folderWatch, reader.fileWatch]
            let attempt = target < 0 ? .missing : accept(target, mask, &state)
            if case .accepted(let watch) = attempt {
                keep(&reader, watch)
                state.table.add(id, to: watch, mask)
            } else {
                keep(&reader, nil)
            }
            if case .refused(let error) = attempt { (state.refusal, _) = (error, state.refused.insert(id)) }
            state.readers[id] = reader
            for watch in before where watch != reader.folderWatch && watch != reader.fileWatch {
                release(watch, id, &state)
            }
            return attempt
        }
    }

    private func accept(_ target: Int32, _ mask: Int32, _ state: inout State) -> Attempt {
        guard let descriptor = instance(&state) else { return .refused(errno) }
        let watch = inotify_add_watch(
            descriptor, "/proc/self/fd/\(target)", UInt32(bitPattern: mask | IN_MASK_ADD))
        if watch >= 0 { return .accepted(watch) }
        return [ENOSPC, ENOMEM].contains(errno) ? .refused(errno) : .missing
    }

    private func release(_ watch: Int32?, _ id: Int, _ state: inout State) {
        guard let watch, state.table.remove(id, from: watch), let descriptor = state.descriptor else { return }
        inotify_rm_watch(descriptor, watch)
    }

    // MARK: Events

    private func instance(_ state: inout State) -> Int32? {
        if let descriptor = state.descriptor { return descriptor }
        let descriptor = open()
        guard descriptor >= 0 else { return nil }
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        source.setEventHandler { [weak self] in self?.handle(FolderEvent.read(from: descriptor)) }
        source.setCancelHandler { close(descriptor) }
        source.activate()
        (state.descriptor, state.source) = (descriptor, source)
        return descriptor
    }

    private func handle(_ events: [FolderEvent]) {
        let ids = state.withLock { state in
            // An overflow may have lost events of any reader.
            let isOverflow = events.contains { $0.has(IN_Q_OVERFLOW) }
            let readers = events.reduce(into: Set<Int>()) { $0.formUnion(state.table.handle($1)) }
            return isOverflow ? Set(state.readers.keys) : readers
        }
        call(ids)
    }

    private func call(_ ids: Set<Int>) {
        for id in ids {
            let queue = state.withLock { state -> DispatchQueue? in
                guard let reader = state.readers[id], !reader.isDue else { return nil }
                state.readers[id]?.isDue = true
                return reader.queue
            }
            queue?.async { [weak self] in self?.report(id) }
        }
    }

    private func report(_ id: Int) {
        let reader = state.withLock { state in
            state.readers[id]?.isDue = false
            return state.readers[id]
        }
        guard let reader else { return }
        // The path may lead to another file now.
        watchFile(reader.place, id)
        reader.report()
    }

    // MARK: Refusals

    private func noteRefusals() {
        let (error, report) = state.withLock { state -> (Int32, (@Sendable (CaptureError) -> Void)?) in
            guard !state.refused.isEmpty else { return (0, nil) }
            scheduleRetry(&state)
            guard !state.isReported, let report = state.report else { return (0, nil) }
            state.isReported = true
            return (state.refusal, report)
        }
        report?(.refusedWatches(error))
    }

    private func scheduleRetry(_ state: inout State) {
        guard !state.retries else { return }
        state.retries = true
        queue.asyncAfter(deadline: .now() + retryInterval) { [weak self] in self?.retry() }
    }

    /// Tries the refused watches again, each on the queue of its reader, and calls their handlers in any case.
    private func retry() {
        let readers = state.withLock { state in
            state.retries = false
            let readers = state.readers.filter { state.refused.contains($0.key) }
            if readers.isEmpty { state.isReported = false }
            state.refused = []
            return readers
        }
        for (id, reader) in readers {
            reader.queue.async { [weak self] in
                _ = self?.watchFolder(reader.place, id)
                self?.report(id)
            }
        }
        if !readers.isEmpty { state.withLock { scheduleRetry(&$0) } }
    }
}

/// The readers of each watch of the kernel, with the events for which each of them waits.
private struct WatchTable {
    private var masks: [Int32: [Int: Int32]] = [:]

    mutating func add(_ reader: Int, to watch: Int32, _ mask: Int32) {
        masks[watch, default: [:]][reader, default: 0] |= mask
    }

    /// - Returns: `true` if the watch has no reader any more.
    mutating func remove(_ reader: Int, from watch: Int32) -> Bool {
        guard masks[watch]?.removeValue(forKey: reader) != nil, masks[watch]?.isEmpty ?? false else { return false }
        masks[watch] = nil
        return true
    }

    /// Returns the readers of an event. The kernel removes the watch of a file that was deleted or unmounted.
    mutating func handle(_ event: FolderEvent) -> [Int] {
        if event.has(IN_IGNORED) { return masks.removeValue(forKey: event.watch).map { Array($0.keys) } ?? [] }
        return (masks[event.watch] ?? [:]).filter { event.has($0.value) }.map(\.key)
    }
}

extension CaptureError {
    fileprivate static func refusedWatches(_ error: Int32) -> CaptureError {
        let setting = error == ENOSPC ? "fs.inotify.max_user_watches" : "fs.inotify.max_user_instances"
        return CaptureError(
            .temporary,
            "the kernel refuses a watch (\(String(cString: strerror(error)))); changes are seen up to 10 s late",
            subject: "inotify", advice: "raise \(setting) with sysctl")
    }
}
