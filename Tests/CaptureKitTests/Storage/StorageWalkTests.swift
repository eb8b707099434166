// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Foundation
import ScheduleKit
import StillKit
import Testing

@testable import CaptureKit

/// Random series on a disk of which any call may fail at any time.
@Suite("Random failures of the disk", .timeLimit(.minutes(5)))
struct StorageWalkTests {
    /// The seed reproduces a failure.
    @Test("Each picture is stored once or fails, and the inventory equals the folder", arguments: 0..<60)
    func walk(seed: Int) throws {
        let folder = try TemporaryFolder()
        var walk = try StorageWalk(UInt64(seed), folder)
        for _ in 0..<120 { try walk.step() }
        walk.finish()
        walk.expectAccounted()
    }
}

/// A series, and the events that it reported.
private struct StorageWalk {
    private let folder: TemporaryFolder
    private let disk: FakeDisk
    private var generator: SplitMix
    private var storage: StillStorage
    private var count = 0
    /// Paths of the pictures that were reported as stored, by their numbers.
    private var captured: [Int: String] = [:]
    private var failed: Set<Int> = []
    private var removed: Set<Int> = []
    /// The numbers of the pictures by their present paths.
    private var holders: [String: Int] = [:]
    private let namesRepeat: Bool
    private let hasSideFiles: Bool
    private let change: (inout CaptureConfiguration) -> Void

    init(_ seed: UInt64, _ folder: TemporaryFolder) throws {
        self.folder = folder
        disk = FakeDisk(latest: folder.path + "/latest")
        generator = SplitMix(seed)
        (namesRepeat, hasSideFiles) = (seed % 2 == 0, seed % 3 == 0)
        let policy: LimitPolicy? = [nil, .prune, .thin(every: 2)][Int(seed / 2 % 3)]
        change = { configuration in
            configuration.heldBytes = 600
            guard let policy else { return }
            (configuration.limits.maxCount, configuration.limits.policy) = (8, policy)
        }
        storage = try StillStorage.of(folder, disk, name: namesRepeat ? "%S.jpg" : "%n.jpg", change)
    }

    mutating func step() throws {
        switch Int.random(in: 0..<20, using: &generator) {
        case 0..<10: try store()
        case 10..<12: storage.storeHeld()
        case 12: disk.fail(by: Dice(seed: generator.next(), share: 100))
        case 13..<16: disk.fail(by: Dice(seed: generator.next(), share: 40))
        case 16..<19: disk.fail(by: nil)
        default: try resumeWithOtherSettings()
        }
        drainEvents()
        _ = storage.tidy()
        drainEvents()
    }

    /// Ends the series on a disk that works again.
    mutating func finish() {
        disk.fail(by: nil)
        storage.end()
        drainEvents()
        for _ in 0..<3 { storage.emit(.notice(Notice(.information, ""))) }
        _ = storage.tidy()
        drainEvents()
    }

    private mutating func store() throws {
        count += 1
        let name = namesRepeat ? "same-\(count / 4)" : nil
        let description = hasSideFiles ? [UInt8](repeating: UInt8(count % 256), count: 3) : nil
        let picture = EncodedStill.number(count, in: folder, name: name, description: description)
        do throws(CaptureError) {
            if let still = try storage.store(picture) { record(still) }
        } catch {
            record(failed: count)
        }
    }

    private mutating func resumeWithOtherSettings() throws {
        disk.fail(by: nil)
        storage.end()
        drainEvents()
        let inventory = storage.inventory
        storage = try StillStorage.of(folder, disk, name: namesRepeat ? "%S.jpg" : "%n.jpg") { configuration in
            change(&configuration)
            configuration.inventory = inventory
        }
    }

    private mutating func drainEvents() {
        for event in storage.drainEvents() {
            switch event {
            case .captured(let still): record(still)
            case .failed(let slot, _): record(failed: slot.index)
            case .removed(let stills):
                for still in stills { record(removed: still.path) }
            default: break
            }
        }
    }

    private mutating func record(_ still: Still) {
        #expect(captured[still.sequence] == nil && !failed.contains(still.sequence), "\(still.sequence)")
        captured[still.sequence] = still.path
        if let path = still.path { holders[path] = still.sequence }
    }

    /// Another picture may get the name of a removed one later.
    private mutating func record(removed path: String) {
        guard let number = holders.removeValue(forKey: path) else {
            Issue.record("\(path) is removed twice, or was never stored")
            return
        }
        removed.insert(number)
    }

    private mutating func record(failed number: Int) {
        #expect(captured[number] == nil && failed.insert(number).inserted, "\(number)")
    }

    func expectAccounted() {
        #expect(Set(captured.keys).union(failed) == Set(1...count))
        var places: [Int: String] = [:]
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        for name in names where name.hasSuffix(".jpg") {
            let path = folder.path + "/" + name
            guard let bytes = FileManager.default.contents(atPath: path), bytes.count == 100 else {
                Issue.record("\(name) is not whole")
                continue
            }
            let number = Int(bytes[0]) * 256 + Int(bytes[1])
            #expect(places.updateValue(path, forKey: number) == nil, "\(number) is stored twice")
        }
        let kept = captured.filter { !removed.contains($0.key) || places[$0.key] == $0.value }
        for (number, path) in kept { #expect(places[number] == path, "\(number) is lost") }
        for (number, path) in places where kept[number] == nil {
            // The disk failed both the write and the check whether it took effect.
            #expect(failed.contains(number) && disk.lostAnswers.contains(path), "\(number) is not accounted for")
        }
        #expect(storage.inventory.count == kept.count && storage.inventory.byteCount == kept.count * 100)
    }
}
