// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureTestSupport
import Synchronization
import Testing

@testable import CaptureBase
@testable import StillKit

@Suite("Removal of pictures that an outbox sends")
struct SentRetentionTests {
    /// Sent lines that a test sets, and the number of searches in them.
    private final class FakeOutbox: SentPictures {
        private struct State {
            var ranges: [ClosedRange<Int>] = []
            var version = 0
            var steps = 0
            var fault: CaptureError?
        }

        private let state = Mutex(State())

        var steps: Int { state.withLock { $0.steps } }

        var fault: CaptureError? { state.withLock { $0.fault } }

        func set(_ ranges: [ClosedRange<Int>], fault: CaptureError? = nil) {
            state.withLock { ($0.ranges, $0.version, $0.fault) = (ranges, $0.version + 1, fault) }
        }

        func refresh() -> Int { state.withLock { $0.version } }

        func lines(from line: Int) -> ClosedRange<Int>? {
            state.withLock { state in
                state.steps += 1
                let index = state.ranges.indices.partition { state.ranges[$0].upperBound >= line }
                return index < state.ranges.count ? state.ranges[index] : nil
            }
        }
    }

    /// A series on a simulated disk: one picture of 100 bytes a second. The line of a picture is its ordinal and 1.
    private struct Series {
        let outbox = FakeOutbox()
        var inventory = SeriesInventory(keepsStills: true)
        var retention: Retention
        var free = 1_000_000
        var now: Int64 = 0
        var removed: [(ordinal: Int, reason: RemovedStill.Reason, isUnsent: Bool)] = []

        init(_ change: (inout StorageLimits) -> Void) {
            var limits = StorageLimits()
            limits.policy = .prune
            change(&limits)
            retention = Retention(limits, sent: outbox)
        }

        var clock: AgeClock { AgeClock(.init(wall: now, steady: now, isSynchronized: nil), firstTime: 0) }
        var space: DiskSpace { DiskSpace(free: free, total: 1_000_000) }
        var ordinals: [Int] { removed.map(\.ordinal) }

        var error: CaptureError? { retention.reached(by: inventory, space, next: 100, by: clock) }

        mutating func run(_ count: Int, isTidy: Bool = true) {
            for _ in 0..<count {
                let ordinal = inventory.nextOrdinal
                var still = StoredStill(ordinal: ordinal, path: "\(ordinal).jpg", byteCount: 100, captured: now)
                still.ledgerLine = ordinal + 1
                inventory.append(still)
                free -= 100
                now += 1
                if isTidy { tidy() }
            }
        }

        mutating func tidy() {
            while let removal = retention.next(in: inventory, space, by: clock) {
                let still = removal.still
                removed.append((still.ordinal, removal.reason, retention.isUnsent(still)))
                inventory.remove(still.ordinal)
                free += still.byteCount
            }
        }
    }

    private static let limits: [(RemovedStill.Reason, @Sendable (inout StorageLimits) -> Void)] = [
        (.count, { $0.maxCount = 5 }), (.size, { $0.maxSize = 599 }), (.space, { $0.keepFree = .bytes(999_500) }),
    ]

    @Test func `Pruning removes the oldest sent picture first, and an unsent one only if none is sent`() {
        for (reason, change) in Self.limits {
            var series = Series(change)
            series.outbox.set([3...4])
            series.run(5)
            #expect(series.ordinals.isEmpty)
            series.run(4)
            #expect(series.ordinals == [2, 3, 0, 1], "\(reason)")
            #expect(series.removed.map(\.isUnsent) == [false, false, true, true])
            #expect(series.removed.allSatisfy { $0.reason == reason })
            // A picture that is sent meanwhile comes before older ones.
            series.outbox.set([3...4, 7...7])
            series.run(1)
            #expect(series.ordinals.last == 6)
        }
    }

    @Test func `A full disk takes a sent picture first`() {
        var series = Series { $0.maxCount = 100 }
        series.run(5)
        series.outbox.set([4...5])
        #expect(series.retention.next(in: series.inventory, because: .space)?.still.ordinal == 3)
        series.inventory.remove(3)
        // The newest picture stays, also if it is sent.
        #expect(series.retention.next(in: series.inventory, because: .space)?.still.ordinal == 0)
    }

    @Test func `Unsent pictures stay, and the series ends at its limit`() {
        for (reason, change) in Self.limits {
            var series = Series {
                change(&$0)
                $0.keepsUnsent = true
            }
            series.outbox.set([1...1])
            series.run(5)
            // A picture that can be removed makes room.
            #expect(series.error == nil, "\(reason)")
            series.run(1)
            #expect(series.ordinals == [0])
            let option = ["count": "--max-count", "size": "--max-size", "space": "--keep-free"][reason.rawValue]
            #expect(series.error?.subject == option && series.error?.code.exitStatus == 74)
            #expect(series.error?.message.hasSuffix("with pictures that are not sent") == true)
            series.run(10)
            #expect(series.ordinals == [0])
            series.outbox.set([1...4])
            #expect(series.error == nil)
            series.tidy()
            #expect(series.ordinals == [0, 1, 2, 3])
            #expect(series.error != nil && series.retention.isBlocked(in: series.inventory))
        }
    }

    @Test func `An unsent picture beyond the maximum age is removed, or stays, and then the series continues`() {
        for keepsUnsent in [false, true] {
            var series = Series { ($0.maxAge, $0.keepsUnsent) = (.seconds(5), keepsUnsent) }
            series.outbox.set([2...3])
            series.run(10)
            #expect(series.ordinals == (keepsUnsent ? [1, 2] : [0, 1, 2, 3, 4]))
            #expect(series.removed.filter(\.isUnsent).map(\.ordinal) == (keepsUnsent ? [] : [0, 3, 4]))
            #expect(series.removed.allSatisfy { $0.reason == .age } && series.error == nil)
        }
    }

    @Test(arguments: [LimitPolicy.stop, .prune])
    func `Sent pictures beyond their maximum age are removed, and no others`(policy: LimitPolicy) {
        var series = Series { ($0.maxAgeSent, $0.policy) = (.seconds(5), policy) }
        series.run(20)
        #expect(series.ordinals.isEmpty)
        series.outbox.set([3...4, 10...20])
        series.tidy()
        #expect(series.ordinals == [2, 3] + Array(9...14))
        #expect(series.removed.allSatisfy { $0.reason == .sent && !$0.isUnsent })
        series.now += 1000
        series.tidy()
        // The newest picture stays.
        #expect(series.ordinals.count == 8 + 4 && series.inventory.newest?.ordinal == 19)
    }

    @Test func `While the clock is in doubt, no sent picture is removed because of its age`() {
        var series = Series { $0.maxAgeSent = .seconds(5) }
        series.run(3)
        series.outbox.set([1...3])
        var clock = AgeClock(.init(wall: 2_000_000_000, steady: 1, isSynchronized: false))
        clock.update(.init(wall: 2_100_000_000, steady: 2, isSynchronized: false))
        #expect(series.retention.next(in: series.inventory, series.space, by: clock) == nil)
    }

    @Test func `Without an outbox, no picture counts as sent`() {
        var limits = StorageLimits()
        (limits.policy, limits.keepsUnsent, limits.maxCount, limits.maxAgeSent) = (.prune, true, 1, .seconds(1))
        var inventory = SeriesInventory(keepsStills: true)
        for ordinal in 0..<5 {
            inventory.append(StoredStill(ordinal: ordinal, path: "\(ordinal)", byteCount: 1, captured: 0))
        }
        var retention = Retention(limits)
        let clock = AgeClock(.init(wall: 1000, steady: 1000, isSynchronized: nil), firstTime: 0)
        #expect(retention.next(in: inventory, nil, by: clock) == nil)
        #expect(retention.next(in: inventory, because: .space) == nil)
        #expect(retention.reached(by: inventory, nil, next: 1, by: clock)?.subject == "--max-count")
    }

    @Test func `The sent pictures behind 99,000 unsent ones are found in a few steps each`() {
        var series = Series { ($0.maxCount, $0.keepsUnsent) = (99_500, true) }
        series.outbox.set([99_001...100_000])
        series.run(100_000, isTidy: false)
        let steps = series.outbox.steps
        series.tidy()
        #expect(series.ordinals == Array(99_000..<99_500))
        #expect(series.outbox.steps - steps <= 500 * 4)
        // Nor do many ranges of removed pictures count for each removal.
        var holes = Series { $0.maxCount = 50_001 }
        holes.outbox.set((0..<50_000).map { $0 * 2 + 1...$0 * 2 + 1 })
        holes.run(100_000, isTidy: false)
        holes.tidy()
        #expect(holes.removed.allSatisfy { $0.ordinal % 2 == 0 } && holes.removed.count == 49_999)
        let before = holes.outbox.steps
        holes.run(1000)
        #expect(holes.outbox.steps - before <= 50_000 * 2 + 1000 * 6)
    }

    @Test(arguments: 0..<20) func `Random series remove what a search through all pictures finds`(seed: Int) {
        var random = SplitMix(UInt64(seed))
        var series = Series { $0.maxCount = .random(in: 1...30, using: &random) }
        var (sent, there) = (Set<Int>(), [Int]())
        for _ in 0..<400 {
            if Int.random(in: 0...3, using: &random) == 0, let line = there.randomElement(using: &random) {
                sent.insert(line + 1)
                series.outbox.set(sent.sorted().map { $0...$0 })
            }
            let count = series.removed.count
            there.append(series.inventory.nextOrdinal)
            series.run(1)
            for removal in series.removed.dropFirst(count) {
                let expected = there.dropLast().first { sent.contains($0 + 1) } ?? there.first
                #expect(removal.ordinal == expected && removal.isUnsent == !sent.contains(removal.ordinal + 1))
                there.removeAll { $0 == removal.ordinal }
            }
        }
    }

    @Test(arguments: 0..<20) func `The inventory finds pictures by their lines after random changes`(seed: Int) {
        var random = SplitMix(UInt64(seed))
        var (inventory, list, line) = (SeriesInventory(keepsStills: true), [StoredStill](), 0)
        var unlisted: [Int] = []
        for ordinal in 0..<700 {
            var still = StoredStill(ordinal: ordinal, path: "\(ordinal)", byteCount: 1, captured: 0)
            line += Int.random(in: 1...4, using: &random)
            if Int.random(in: 0...2, using: &random) > 0 { still.ledgerLine = line } else { unlisted.append(ordinal) }
            inventory.append(still)
            list.append(still)
            if Int.random(in: 0...3, using: &random) == 0, let ordinal = unlisted.last, ordinal == list.last?.ordinal {
                line += 1
                inventory.setLine(line, of: ordinal)
                list[list.count - 1].ledgerLine = line
            }
            for _ in 0..<Int.random(in: 0...1, using: &random) where list.count > 1 {
                let gone = list.remove(at: .random(in: 0..<list.count - 1, using: &random))
                inventory.remove(gone.ordinal)
            }
            let place = Int.random(in: 0...line + 1, using: &random)
            #expect(inventory.next(fromLine: place) == list.first { $0.ledgerLine.map { $0 >= place } ?? false })
        }
        let copy = SeriesInventory(keepsStills: true, after: inventory)
        #expect(copy.next(fromLine: 1) == inventory.next(fromLine: 1))
        #expect(copy.lacksLines == list.contains { $0.ledgerLine == nil })
    }

    @Test func `Lines that come later find their pictures, also behind others without a line`() {
        var inventory = SeriesInventory(keepsStills: true)
        for ordinal in 0..<600 {
            inventory.append(StoredStill(ordinal: ordinal, path: "\(ordinal)", byteCount: 1, captured: 0))
        }
        for ordinal in stride(from: 0, to: 600, by: 3) { inventory.setLine(ordinal + 10, of: ordinal) }
        #expect(inventory.next(fromLine: 11)?.ordinal == 3 && inventory.next(fromLine: 607)?.ordinal == 597)
        #expect(inventory.next(fromLine: 608) == nil && inventory.lacksLines)
        // A line that is not greater than all others is not believed.
        inventory.setLine(5, of: 599)
        #expect(inventory.next(fromLine: 1)?.ordinal == 0 && inventory.next(fromLine: 608) == nil)
    }

    @Test func `A folder names removed unsent pictures, and reports once that the outbox is unreadable`() throws {
        let folder = try TemporaryFolder()
        let outbox = FakeOutbox()
        var policy = StoragePolicy()
        (policy.limits.maxCount, policy.limits.policy) = (3, .prune)
        let store = StillStore(overwrites: false, latest: nil)
        var limited = LimitedFolder(
            folder.path, policy, store, inventory: SeriesInventory(keepsStills: true), sent: outbox)
        try limited.begin()
        for number in 1...8 {
            let path = "\(folder.path)/\(number).jpg"
            try limited.write([1, 2], describedBy: nil, at: path)
            limited.setLine(number, of: limited.record(path, 2, captured: 0).ordinal)
        }
        outbox.set([], fault: CaptureError(.noInput, "is missing", subject: "outbox.db"))
        for _ in 0..<2 { limited.keepLimits() }
        var notices: [Notice] = []
        for case .notice(let notice) in limited.drainReports() { notices.append(notice) }
        #expect(notices.map(\.code) == [.unsentRemoved, .outboxUnreadable])
        #expect(notices.first?.subject == folder.path + "/1.jpg")
        #expect(notices.first?.message == "was removed before it was sent, and 4 more")
        outbox.set([7...7])
        limited.limits.maxCount = 2
        limited.keepLimits()
        var removed: [RemovedStill] = []
        for case .removed(let stills) in limited.drainReports() { removed += stills }
        #expect(removed == [RemovedStill(path: folder.path + "/7.jpg", byteCount: 2, reason: .count)])
    }

    @Test func `A removal is planned while the file is still there`() throws {
        let folder = try TemporaryFolder()
        var policy = StoragePolicy()
        (policy.limits.maxCount, policy.limits.policy) = (1, .prune)
        let store = StillStore(overwrites: false, latest: nil)
        var limited = LimitedFolder(folder.path, policy, store, inventory: SeriesInventory(keepsStills: true))
        let planned = Mutex<[RemovedStill]>([])
        limited.plan = { still in
            #expect(DeviceFiles.exists(still.path))
            planned.withLock { $0.append(still) }
        }
        try limited.begin()
        for number in 1...3 {
            let path = "\(folder.path)/\(number).jpg"
            try limited.write([1, 2], describedBy: nil, at: path)
            limited.record(path, 2, captured: 0)
        }
        limited.keepLimits()
        #expect(planned.withLock { $0.map(\.path) } == (1...2).map { "\(folder.path)/\($0).jpg" })
        #expect(planned.withLock { $0.map(\.reason) } == [.count, .count])
    }
}
