// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureTestSupport
import Testing

@testable import CaptureBase
@testable import StillKit

@Suite("Removal of pictures at a limit")
struct RetentionTests {
    /// A series on a simulated disk: one picture a second, of a given size.
    private struct Series {
        var inventory = SeriesInventory(keepsStills: true)
        var retention: Retention
        var free = 1_000_000
        var removed: [Retention.Removal] = []
        var now: Int64 = 0

        init(_ policy: LimitPolicy, _ change: (inout StorageLimits) -> Void) {
            var limits = StorageLimits()
            limits.policy = policy
            change(&limits)
            retention = Retention(limits)
        }

        var clock: AgeClock { AgeClock(.init(wall: now, steady: now, isSynchronized: nil), firstTime: 0) }

        var space: DiskSpace { DiskSpace(free: free, total: 1_000_000) }

        var there: [Int] {
            var (ordinals, last) = ([Int](), -1)
            while let still = inventory.next(after: last) {
                last = still.ordinal
                ordinals.append(last)
            }
            return ordinals
        }

        mutating func take(_ bytes: Int = 100) {
            let ordinal = inventory.nextOrdinal
            inventory.append(
                StoredStill(
                    ordinal: ordinal, path: "\(ordinal).jpg", byteCount: bytes,
                    captured: WallTime(seconds: now, nanoseconds: 0, utcOffset: 0)))
            free -= bytes
            now += 1
        }

        mutating func tidy() {
            while let removal = retention.next(in: inventory, space, by: clock) {
                inventory.remove(removal.still.ordinal)
                free += removal.still.byteCount
                removed.append(removal)
            }
        }

        mutating func run(_ count: Int) {
            for _ in 0..<count {
                take()
                tidy()
            }
        }
    }

    @Test("Pruning removes the oldest pictures, by count, size, space or age, and states which limit")
    func pruning() {
        let limits: [(RemovedStill.Reason, (inout StorageLimits) -> Void)] = [
            (.count, { $0.maxCount = 5 }), (.size, { $0.maxSize = 599 }), (.space, { $0.keepFree = .bytes(999_500) }),
            (.space, { $0.keepFree = .share(0.9995) }), (.age, { $0.maxAge = .seconds(5) }),
        ]
        for (reason, change) in limits {
            var series = Series(.prune, change)
            series.run(20)
            #expect(series.there == [15, 16, 17, 18, 19], "\(reason)")
            #expect(series.removed.map(\.still.ordinal) == Array(0..<15))
            #expect(series.removed.allSatisfy { $0.reason == reason })
        }
    }

    @Test(
        "A clock that jumps ahead ends no series by its age, and removes no picture of it",
        arguments: [LimitPolicy.stop, .prune, .thin(every: 2)], [true, false])
    func jump(policy: LimitPolicy, isSynchronized: Bool) {
        var series = Series(policy) { $0.maxAge = .seconds(3600) }
        var reading = AgeClock.Reading(wall: 5, steady: 5, isSynchronized: false)
        var clock = AgeClock(reading)
        series.now = reading.wall
        for _ in 0..<3 { series.take() }
        reading = AgeClock.Reading(wall: 2_000_000_000, steady: 65, isSynchronized: isSynchronized)
        clock.update(reading)
        series.now = reading.wall
        series.take()
        #expect(series.retention.next(in: series.inventory, series.space, by: clock) == nil)
        #expect(series.retention.reached(by: series.inventory, series.space, next: 100, by: clock) == nil)
        // An hour of the steady clock ages them all the same.
        reading = AgeClock.Reading(wall: 2_000_003_601, steady: 3666, isSynchronized: isSynchronized)
        clock.update(reading)
        if policy.removes {
            #expect(series.retention.next(in: series.inventory, series.space, by: clock)?.reason == .age)
        } else {
            #expect(series.retention.reached(by: series.inventory, series.space, next: 100, by: clock) != nil)
        }
    }

    @Test("A picture of a clock that was not set stays, and pictures after it are removed by their age")
    func unknownAge() {
        var series = Series(.prune) { $0.maxAge = .seconds(60) }
        series.take()
        series.now = AgeClock.firstTime
        for _ in 0..<3 { series.take() }
        let clock = AgeClock(.init(wall: AgeClock.firstTime + 1000, steady: 9, isSynchronized: true))
        let removal = series.retention.next(in: series.inventory, series.space, by: clock)
        #expect(removal?.still.ordinal == 1)
    }

    @Test("Each pass of thinning with factor 2 removes every second picture, from the oldest on")
    func thinning() {
        var series = Series(.thin(every: 2)) { $0.maxCount = 8 }
        series.run(12)
        #expect(series.there == [0, 2, 4, 6, 8, 9, 10, 11])
        series.run(3)
        #expect(series.there == [0, 2, 4, 6, 8, 10, 12, 14])
        series.run(4)
        #expect(series.there == [0, 4, 8, 12, 15, 16, 17, 18])
        series.run(1000)
        #expect(series.there.count == 8 && series.there.first == 0 && series.there.last == 1018)
    }

    @Test("Thinning with factor 4 keeps every 4th picture")
    func thinningByFour() {
        var series = Series(.thin(every: 4)) { $0.maxCount = 10 }
        series.run(10 + 15)
        #expect(series.there == [0, 4, 8, 12, 16, 20, 21, 22, 23, 24])
    }

    @Test(
        "A factor beyond the length of any series keeps the oldest and the newest pictures",
        arguments: [1 << 40, Int.max])
    func thinningByHugeFactor(every: Int) {
        var series = Series(.thin(every: every)) { $0.maxCount = 5 }
        series.run(20)
        #expect(series.there == [0, 16, 17, 18, 19])
    }

    @Test("Every n-th picture beyond the maximum age stays, and the others are removed once")
    func thinningAge() {
        var series = Series(.thin(every: 3)) { $0.maxAge = .seconds(5) }
        series.run(20)
        #expect(series.there == [0, 3, 6, 9, 12, 15, 16, 17, 18, 19])
        #expect(series.removed.allSatisfy { $0.reason == .age })
    }

    @Test("A later run continues the thinning pass that the remaining pictures show")
    func resumed() {
        var series = Series(.thin(every: 2)) { $0.maxCount = 8 }
        series.run(19)
        #expect(series.there == [0, 4, 8, 12, 15, 16, 17, 18])
        series.retention = Retention(series.retention.limits)
        series.run(1)
        #expect(series.there == [0, 4, 8, 12, 16, 17, 18, 19])
    }

    @Test("The only picture stays under all limits", arguments: [LimitPolicy.prune, .thin(every: 2)])
    func newest(policy: LimitPolicy) {
        var series = Series(policy) {
            ($0.maxCount, $0.maxSize, $0.maxAge, $0.keepFree) = (0, 1, .seconds(1), .share(1))
        }
        series.run(1)
        #expect(series.there == [0])
        series.run(50)
        #expect(series.there.last == 50)
    }

    @Test("Sizes of a damaged ledger whose sum exceeds an Int are added and removed", arguments: [true, false])
    func hugeSum(keepsStills: Bool) {
        var inventory = SeriesInventory(keepsStills: keepsStills)
        for ordinal in 0..<20 {
            inventory.append(StoredStill(ordinal: ordinal, path: "\(ordinal).jpg", byteCount: 1 << 60, captured: 0))
        }
        #expect(inventory.byteCount == 1 << 62)
        guard keepsStills else { return }
        inventory.setAside(3)
        for ordinal in 0..<17 { inventory.remove(ordinal) }
        #expect(inventory.byteCount == 3 << 60 && inventory.count == 3)
    }

    @Test("A full disk causes the removal of the next picture, even within the limits")
    func fullDisk() {
        var series = Series(.prune) { $0.maxCount = 100 }
        series.run(3)
        #expect(series.retention.next(in: series.inventory, because: .space)?.still.ordinal == 0)
        var stopping = Series(.stop) { $0.maxCount = 100 }
        stopping.run(3)
        #expect(stopping.retention.next(in: stopping.inventory, because: .space) == nil)
    }

    @Test("A stop policy reports the limit before the picture that would exceed it, and removes nothing")
    func stopping() {
        let limits: [(String, (inout StorageLimits) -> Void)] = [
            ("--max-count", { $0.maxCount = 5 }), ("--max-size", { $0.maxSize = 599 }),
            ("--keep-free", { $0.keepFree = .bytes(999_450) }), ("--max-age", { $0.maxAge = .seconds(5) }),
        ]
        for (option, change) in limits {
            var series = Series(.stop, change)
            var error: CaptureError?
            for _ in 0..<20 where error == nil {
                series.take()
                series.tidy()
                error = series.retention.reached(by: series.inventory, series.space, next: 100, by: series.clock)
            }
            #expect(series.there == [0, 1, 2, 3, 4], "\(option)")
            #expect(error?.subject == option && error?.code.exitStatus == 74)
        }
    }

    @Test("In random series only limits that are exceeded remove pictures, and never the newest one", arguments: 0..<40)
    func wandering(seed: Int) {
        var random = SplitMix(UInt64(seed))
        let policies = [LimitPolicy.prune, .thin(every: 2), .thin(every: 3), .thin(every: 10)]
        var series = Series(policies.randomElement(using: &random) ?? .prune) {
            if Bool.random(using: &random) { $0.maxCount = .random(in: 0...40, using: &random) }
            if Bool.random(using: &random) { $0.maxSize = .random(in: 1...4000, using: &random) }
            if Bool.random(using: &random) { $0.keepFree = .bytes(.random(in: 0...1_000_000, using: &random)) }
            if Bool.random(using: &random) { $0.maxAge = .seconds(.random(in: 1...100, using: &random)) }
        }
        let limits = series.retention.limits
        for _ in 0..<500 {
            switch Int.random(in: 0...9, using: &random) {
            case 0: series.free = .random(in: 0...1_000_000, using: &random)
            case 1: series.now += .random(in: 0...50, using: &random)
            case 2: series.inventory.remove(.random(in: 0...500, using: &random))
            default: series.take(.random(in: 1...300, using: &random))
            }
            while let removal = series.retention.next(in: series.inventory, series.space, by: series.clock) {
                let (inventory, still) = (series.inventory, removal.still)
                #expect(inventory.next(after: still.ordinal - 1) == still && still != inventory.newest)
                switch removal.reason {
                case .count: #expect(inventory.count > limits.maxCount ?? .max)
                case .size: #expect(inventory.byteCount > limits.maxSize ?? .max)
                case .space: #expect(series.free < limits.floor(series.space))
                case .age: #expect(series.now - still.captured > limits.maxAge?.components.seconds ?? .max)
                case .sent: Issue.record("there is no outbox")
                }
                series.inventory.remove(still.ordinal)
                series.free += still.byteCount
            }
            let isOver =
                series.inventory.count > limits.maxCount ?? .max
                || series.inventory.byteCount > limits.maxSize ?? .max
            #expect(!isOver || series.inventory.count <= 2)
        }
    }

    @Test("The inventory equals a plain list after random changes", arguments: 0..<20)
    func inventory(seed: Int) {
        var random = SplitMix(UInt64(seed))
        var (inventory, list) = (SeriesInventory(keepsStills: true, namesRepeat: true), [StoredStill]())
        for ordinal in 0..<400 {
            let still = StoredStill(
                ordinal: ordinal, path: "\(Int.random(in: 0...300, using: &random))",
                byteCount: .random(in: 0...99, using: &random), captured: .now())
            inventory.append(still)
            list.removeAll { $0.path == still.path }
            list.append(still)
            for _ in 0..<Int.random(in: 0...2, using: &random) {
                guard let gone = list.randomElement(using: &random) else { break }
                inventory.remove(gone.ordinal)
                list.removeAll { $0 == gone }
            }
            let place = Int.random(in: -1...400, using: &random)
            #expect(inventory.count == list.count && inventory.byteCount == list.reduce(0) { $0 + $1.byteCount })
            #expect(inventory.oldest == list.first && inventory.newest == list.last)
            #expect(inventory.next(after: place) == list.first { $0.ordinal > place })
        }
    }
}
