// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// The pictures that a target does not have yet.
package struct OutboxBacklog: Sendable, Hashable {
    /// The number of pictures that wait: those with jobs, and those of ledgers, lists and sessions that were not taken yet.
    package private(set) var count = 0
    /// The moment of the oldest of them.
    package private(set) var oldest: WallTime?
    /// The ledgers that could not be read.
    package private(set) var errors: [CaptureError] = []

    /// Of more lines than this, those without a picture count, too: counting the others would read all of them.
    private static let mostCounted = 20_000

    /// Counts the pictures of a target. Blocks.
    ///
    /// - Throws: `CaptureError` if the store cannot be read.
    package init(
        of target: String, _ configuration: OutboxConfiguration, _ store: OutboxStore
    ) throws(CaptureError) {
        for job in try store.jobs(of: target, isDead: false) where job.kind == .send { add(1, job.picture.taken) }
        for route in configuration.routes where route.targets.contains(target) {
            do throws(CaptureError) {
                switch route.kind {
                case .series, .clips:
                    for path in route.kind.accounts(at: route.folder) { try add(path, route.kind, target, store) }
                case .sessions: try add(sessions: route.folder, target, store)
                }
            } catch {
                errors.append(error)
            }
        }
    }

    private mutating func add(sessions folder: String, _ target: String, _ store: OutboxStore) throws(CaptureError) {
        let sessions = try SessionUploads(folder, store)
        errors += try sessions.register().errors
        var taken = try store.taken(OutboxStore.Lane(target: target, source: sessions.source))
        let newest = try sessions.newestLine()
        while let gap = taken.lowestGap(upTo: newest) {
            if let ended = try sessions.ended(line: gap.lowerBound) { add(gap.count, ended) }
            taken.insert(gap)
        }
    }

    private mutating func add(
        _ path: String, _ kind: OutboxConfiguration.Route.Kind, _ target: String, _ store: OutboxStore
    ) throws(CaptureError) {
        guard let account = try kind.account(path) else { return }
        let source = try store.knownSource(path, identity: account.identity)
        var taken = LineRanges()
        if let source { taken = try store.taken(OutboxStore.Lane(target: target, source: source)) }
        let newest = try account.newestLine(passing: &taken)
        while let gap = taken.lowestGap(upTo: newest) {
            let first = try account.pictures(in: gap, .oldest, most: 1).pictures.first
            if let first {
                add(gap.count > Self.mostCounted ? gap.count : try account.pictureCount(in: gap), first.taken)
            }
            taken.insert(gap)
        }
    }

    private mutating func add(_ count: Int, _ time: WallTime) {
        self.count += count
        if oldest.map({ time.millisecondsSince1970 < $0.millisecondsSince1970 }) ?? true { oldest = time }
    }
}
