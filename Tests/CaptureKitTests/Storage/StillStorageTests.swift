// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureTestSupport
import Foundation
import LedgerKit
import PipelineKit
import ScheduleKit
import Synchronization
import Testing

@testable import CaptureBase
@testable import CaptureKit
@testable import StillKit

@Suite("Storage failures and limits")
struct StillStorageTests {
    private let folder: TemporaryFolder
    private let disk: FakeDisk

    init() throws {
        folder = try TemporaryFolder()
        disk = FakeDisk(latest: folder.path + "/latest")
    }

    private var files: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() }
    }

    private func drained(_ storage: inout StillStorage) -> [String] { storage.drainEvents().compactMap(\.ofStorage) }

    private func store(_ numbers: ClosedRange<Int>, _ storage: inout StillStorage) throws {
        for number in numbers {
            if try storage.store(.number(number, in: folder)) != nil {
                storage.emit(.notice(Notice(.information, "\(number)")))
            }
            #expect(storage.tidy() == nil)
        }
    }

    @Test(
        "Pictures wait in memory, and are stored in order when the disk is back",
        arguments: [ENOSPC, EDQUOT, EROFS, EIO, ENODEV, ESTALE, EMFILE])
    func pause(number: Int32) throws {
        var storage = try StillStorage.of(folder, disk)
        try store(1...2, &storage)
        disk.fail(number)
        #expect(drained(&storage) == ["notice", "notice"])
        #expect(storage.retryDelay == nil)
        try store(3...5, &storage)
        #expect(drained(&storage) == ["paused 1"])
        #expect(storage.retryDelay != nil)
        #expect(try files == ["1.jpg", "2.jpg", "latest"])
        disk.fail(0)
        storage.storeHeld()
        #expect(drained(&storage) == ["captured 3", "captured 4", "captured 5", "resumed 3"])
        #expect(storage.retryDelay == nil)
        #expect(disk.written == ["1.jpg", "2.jpg", "3.jpg", "4.jpg", "5.jpg"])
    }

    @Test("The line of each picture is planned before its file has a name, under the name that it gets")
    func planned() throws {
        var storage = try StillStorage.of(folder, disk)
        let plans = Mutex<[String]>([])
        storage.plan = { [disk] still in
            let name = DeviceFiles.name(of: still.path ?? "")
            #expect(!disk.written.contains(name))
            plans.withLock { $0.append(name) }
        }
        try Data().write(to: URL(filePath: folder.path + "/2.jpg"))
        try store(1...2, &storage)
        #expect(plans.withLock { $0 } == ["1.jpg", "3.jpg"])
        #expect(disk.written == ["1.jpg", "3.jpg"])
    }

    @Test("The next picture triggers a retry, too, and is stored after the pictures that waited")
    func nextPicture() throws {
        var storage = try StillStorage.of(folder, disk)
        disk.fail(ENOSPC)
        try store(1...3, &storage)
        disk.fail(0)
        try store(4...4, &storage)
        #expect(drained(&storage) == ["paused 1", "captured 1", "captured 2", "captured 3", "resumed 3", "notice"])
        #expect(disk.written == ["1.jpg", "2.jpg", "3.jpg", "4.jpg"])
    }

    @Test(
        "A name by time that repeats gets a number, and no picture is lost or replaced", arguments: [true, false])
    func repeatedName(hasSideFile: Bool) throws {
        var storage = try StillStorage.of(folder, disk, name: "%S.jpg")
        let picture = EncodedStill.number(7, in: folder, name: "7", description: hasSideFile ? [1] : nil)
        let paths = try (1...3).map { _ in try storage.store(picture)?.path }
        #expect(paths == ["7.jpg", "7-2.jpg", "7-3.jpg"].map { "\(folder.path)/\($0)" })
        // A picture that waited finds its name taken, too.
        disk.fail(ENOSPC)
        #expect(try storage.store(picture) == nil)
        disk.fail(0)
        storage.storeHeld()
        #expect(disk.written.filter { $0.hasSuffix(".jpg") } == ["7.jpg", "7-2.jpg", "7-3.jpg", "7-4.jpg"])
    }

    @Test("A name that may be overwritten stays as it is")
    func ownName() throws {
        var storage = try StillStorage.of(folder, disk, name: "%S.jpg") { $0.overwrites = true }
        #expect(try storage.store(.number(7, in: folder, name: "7")) != nil)
        // The fake disk never overwrites.
        #expect(throws: CaptureError.self) { try storage.store(.number(7, in: folder, name: "7")) }
    }

    @Test(
        "A picture whose number another program has taken gets the next free one, and the series counts on from there")
    func takenNumber() throws {
        var storage = try StillStorage.of(folder, disk)
        for number in [7, 8, 9] { try folder.write("\(number).jpg", "another program's") }
        let still = try #require(try storage.store(.number(7, in: folder)))
        #expect(still.path == folder.path + "/10.jpg" && still.sequence == 10 && storage.nextSequence == 11)
        #expect(disk.written == ["10.jpg"])
    }

    @Test("A picture that does not fit in memory fails, and the waiting pictures keep their places")
    func bound() throws {
        var storage = try StillStorage.of(folder, disk) { $0.heldBytes = 250 }
        disk.fail(EDQUOT)
        try store(1...2, &storage)
        #expect(throws: CaptureError.self) { try storage.store(.number(3, in: folder)) }
        #expect(throws: CaptureError.self) { try storage.makeRoom() }
        disk.fail(0)
        try storage.makeRoom()
        #expect(drained(&storage) == ["paused 1", "captured 1", "captured 2", "resumed 2"])
    }

    @Test("The delay between retries grows to half a minute, and starts over after a success")
    func backoff() throws {
        var storage = try StillStorage.of(folder, disk)
        disk.fail(ENOSPC)
        try store(1...1, &storage)
        var delays: [Duration] = []
        for _ in 0..<8 {
            delays.append(try #require(storage.retryDelay))
            storage.storeHeld()
        }
        #expect(delays == [0.5, 1, 2, 4, 8, 16, 30, 30].map { .seconds($0) })
        disk.fail(0)
        storage.storeHeld()
        disk.fail(ENOSPC)
        try store(2...2, &storage)
        #expect(storage.retryDelay == .milliseconds(500))
    }

    @Test("Many pending pictures are stored in batches of 16, so that they block nothing else for long")
    func bites() throws {
        var storage = try StillStorage.of(folder, disk)
        disk.fail(ENOSPC)
        try store(1...40, &storage)
        disk.fail(0)
        storage.storeHeld()
        #expect(storage.retryDelay == .zero)
        #expect(disk.written.count == 16)
        try store(41...41, &storage)
        storage.storeHeld()
        #expect(disk.written == (1...41).map { "\($0).jpg" })
        #expect(drained(&storage).last == "resumed 41")
    }

    @Test("Pictures that waited pass a number that another program has taken, in their order")
    func taken() throws {
        var storage = try StillStorage.of(folder, disk)
        disk.fail(ENOSPC)
        try store(1...3, &storage)
        try folder.write("2.jpg", "a user's")
        disk.fail(0)
        storage.storeHeld()
        #expect(drained(&storage) == ["paused 1", "captured 1", "captured 3", "captured 4", "resumed 3"])
        #expect(disk.written == ["1.jpg", "3.jpg", "4.jpg"])
        #expect(FileManager.default.contents(atPath: folder.path + "/2.jpg") == Data("a user's".utf8))
    }

    @Test("An error that a retry cannot fix fails the picture at once")
    func permanent() throws {
        var storage = try StillStorage.of(folder, disk)
        disk.fail(EEXIST)
        #expect(throws: CaptureError.self) { try storage.store(.number(1, in: folder)) }
        #expect(drained(&storage) == [] && storage.retryDelay == nil)
    }

    @Test("The end of a series retries once, and then each pending picture fails", arguments: [true, false])
    func end(isBack: Bool) throws {
        var storage = try StillStorage.of(folder, disk)
        disk.fail(ENOSPC)
        try store(1...20, &storage)
        if isBack { disk.fail(0) }
        storage.end()
        let names = (1...20).map { isBack ? "captured \($0)" : "failed \($0) \($0).jpg" }
        #expect(drained(&storage) == ["paused 1"] + names + (isBack ? ["resumed 20"] : []))
        storage.end()
        #expect(drained(&storage) == [])
    }

    @Test(
        "A single picture does not wait for the disk, nor does any without memory to hold it", arguments: [true, false])
    func nothingHeld(isSingle: Bool) throws {
        var storage = try StillStorage.of(folder, disk) {
            if isSingle { $0.schedule = .single } else { $0.heldBytes = 0 }
        }
        disk.fail(ENOSPC)
        #expect(throws: CaptureError.self) { try storage.store(.number(1, in: folder)) }
        #expect(drained(&storage) == [])
    }

    @Test("A side file waits, is stored and is removed together with its picture")
    func descriptions() throws {
        var storage = try StillStorage.of(folder, disk) {
            ($0.limits.maxCount, $0.limits.policy) = (1, .prune)
        }
        disk.fail("1.jpg", ENOSPC)
        #expect(try storage.store(.number(1, in: folder, description: [7])) == nil)
        #expect(try files == [])
        disk.fail("1.jpg", 0)
        _ = try storage.store(.number(2, in: folder, description: [7]))
        #expect(storage.tidy() == nil)
        #expect(try files == ["2.jpg", "2.jpg.json", "latest"])
    }

    @Test("The tags beside a picture are removed with it: they would be those of the next picture with its name")
    func sidecars() throws {
        var storage = try StillStorage.of(folder, disk) {
            ($0.limits.maxCount, $0.limits.policy) = (1, .prune)
        }
        _ = try storage.store(.number(1, in: folder))
        try folder.write("1.jpg.xmp", "tags")
        try folder.write("3.jpg.xmp", "tags")
        _ = try storage.store(.number(2, in: folder))
        #expect(storage.tidy() == nil)
        #expect(try files == ["2.jpg", "3.jpg.xmp", "latest"])
    }

    @Test("Pruning removes only pictures of the series, and the link stays on the newest")
    func pruning() throws {
        try folder.write("0.jpg", "a user's")
        try folder.write("99.jpg", "a user's")
        var storage = try StillStorage.of(folder, disk) {
            ($0.limits.maxCount, $0.limits.policy) = (2, .prune)
        }
        try store(1...5, &storage)
        #expect(try files == ["0.jpg", "4.jpg", "5.jpg", "99.jpg", "latest"])
        #expect(drained(&storage).filter { $0 != "notice" } == ["removed 1.jpg", "removed 2.jpg", "removed 3.jpg"])
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder.path + "/latest") == "5.jpg")
    }

    @Test("A picture that another program changed, replaced or removed is not touched, and no longer counts")
    func foreign() throws {
        var storage = try StillStorage.of(folder, disk) {
            ($0.limits.maxCount, $0.limits.policy) = (4, .prune)
        }
        try store(1...4, &storage)
        try folder.write("1.jpg", String(repeating: "u", count: 100))
        try folder.remove("2.jpg")
        try folder.write("2.jpg", String(repeating: "u", count: 100))
        try folder.remove("3.jpg")
        try folder.link("3.jpg", to: "1.jpg")
        try store(5...8, &storage)
        #expect(try files == ["1.jpg", "2.jpg", "3.jpg", "5.jpg", "6.jpg", "7.jpg", "8.jpg", "latest"])
        #expect(drained(&storage).filter { $0 != "notice" } == ["removed 4.jpg"])
    }

    @Test("Pictures of earlier runs count and are removed if they are listed and unchanged")
    func earlier() throws {
        try folder.write("a.jpg", "abc")
        try folder.write("b.jpg", "longer than it was")
        try folder.write("c.jpg", "not named")
        var storage = try StillStorage.of(folder, disk) {
            ($0.limits.maxCount, $0.limits.policy) = (1, .prune)
            $0.earlierStills = [(3, "a.jpg"), (4, "b.jpg")].map {
                StoredStill(ordinal: $0.0, path: folder.path + "/" + $0.1, byteCount: 3, captured: .now())
            }
        }
        try store(1...1, &storage)
        #expect(try files == ["1.jpg", "b.jpg", "c.jpg", "latest"])
        #expect(storage.inventory.nextOrdinal == 6)
    }

    @Test(
        "After a restart a file that the ledger's hash does not prove to be a picture is not removed",
        arguments: [(SHA256.digits(of: Array(repeating: UInt8(ascii: "p"), count: 1000)), "u"), ("no hash", "p")])
    func unproven(hash: String, content: String) async throws {
        var configuration = CaptureConfiguration(
            source: .fragment("videotestsrc"), output: .files(try FileNameTemplate(parsing: folder.path + "/%n.raw")))
        configuration.schedule = .every(.seconds(10))
        configuration.ledger = folder.path + "/.gst-capture/a.ledger"
        (configuration.limits.maxCount, configuration.limits.policy) = (1, .prune)
        let pictures = ["1.raw", "2.raw"].map { folder.path + "/" + $0 }
        for path in pictures { try folder.write(DeviceFiles.name(of: path), String(repeating: "p", count: 1000)) }
        let ledger = try #require(Ledger(configuration, on: BlockingExecutor("a test")) { _ in })
        try await ledger.open()
        try await ledger.append(pictures.indices.map { .picture($0, pictures[$0], sha256: hash) })
        await ledger.close(.completed)
        try folder.write("1.raw", String(repeating: content, count: 1000))
        try await Ledger.resumeSeries(in: &configuration)
        guard case .files(let template) = configuration.output else { return }
        var storage = StillStorage(configuration, template, disk)
        try storage.begin()
        try store(3...3, &storage)
        #expect(try files.filter { $0 != "2.raw" } == [".gst-capture", "1.raw", "3.jpg", "latest"])
        #expect(try files.contains("2.raw") == (hash == "no hash"))
    }

    @Test("A name that is taken gets the next free number, however many are taken")
    func manyOfOneName() throws {
        let path = folder.path + "/7.jpg"
        var storage = try StillStorage.of(folder, disk, name: "%S.jpg")
        let picture = EncodedStill.number(7, in: folder, name: "7")
        _ = try storage.store(picture)
        for number in 2...20_000 { try #require(link(path, "\(folder.path)/7-\(number).jpg") == 0) }
        for number in 20_001...20_003 {
            #expect(try storage.store(picture)?.path == "\(folder.path)/7-\(number).jpg")
        }
    }

    @Test("A full disk removes the oldest picture if the policy allows it")
    func fullDisk() throws {
        var storage = try StillStorage.of(folder, disk) {
            ($0.limits.maxCount, $0.limits.policy) = (100, .prune)
        }
        try store(1...3, &storage)
        _ = storage.drainEvents()
        disk.fail("4.jpg", ENOSPC)
        #expect(try storage.store(.number(4, in: folder)) == nil)
        #expect(drained(&storage) == ["removed 1.jpg", "paused 1"])
    }

    @Test("Pictures wait if other files fill the disk, and the pictures of the series are not all removed")
    func floor() throws {
        var storage = try StillStorage.of(folder, disk)
        try store(1...2, &storage)
        (storage.folder.limits.keepFree, storage.folder.limits.policy) = (.share(1), .prune)
        #expect(try storage.store(.number(3, in: folder)) == nil)
        #expect(drained(&storage).last == "paused 1")
    }

    @Test("A stop limit is reported after the last picture that fits, and before a first one that does not")
    func stopping() throws {
        var storage = try StillStorage.of(folder, disk) { $0.limits.maxCount = 2 }
        try store(1...1, &storage)
        _ = try storage.store(.number(2, in: folder))
        #expect(storage.tidy()?.subject == "--max-count")
        #expect(throws: CaptureError.self) { _ = try StillStorage.of(folder, disk) { $0.limits.keepFree = .share(1) } }
    }

    @Test(
        "A picture whose name cannot be made durable is stored once, and reported when it is durable",
        arguments: [EIO, ESTALE, EROFS], ["%n.jpg", "%S.jpg"])
    func folderSync(number: Int32, name: String) throws {
        var storage = try StillStorage.of(folder, disk, name: name)
        disk.fail(.makeDurable, number)
        try store(1...1, &storage)
        #expect(drained(&storage) == ["paused 1"])
        #expect(storage.inventory.count == 0)
        storage.storeHeld()
        disk.fail(.makeDurable, 0)
        storage.storeHeld()
        #expect(drained(&storage) == ["captured 1", "resumed 1"])
        #expect(disk.written == ["1.jpg"])
        #expect(try files.filter { $0 != "latest" } == ["1.jpg"])
        #expect(storage.inventory.count == 1)
    }

    @Test("A picture that vanished before its name was durable is written again")
    func vanished() throws {
        var storage = try StillStorage.of(folder, disk)
        disk.fail(.makeDurable, EIO)
        try store(1...1, &storage)
        try folder.remove("1.jpg")
        disk.fail(.makeDurable, 0)
        storage.storeHeld()
        #expect(drained(&storage) == ["paused 1", "captured 1", "resumed 1"])
        #expect(disk.written == ["1.jpg", "1.jpg"])
        #expect(try files.contains("1.jpg"))
    }

    @Test(
        "A picture that is in place when attempts end counts as stored, with a notice that it may be lost",
        arguments: [EIO, EACCES])
    func inPlace(number: Int32) throws {
        var storage = try StillStorage.of(folder, disk) { $0.schedule = .single }
        disk.fail(.makeDurable, number)
        #expect(try storage.store(.number(1, in: folder)) != nil)
        let events = storage.drainEvents()
        #expect(events.compactMap(\.ofStorage) == ["notice"])
        let notice = try #require(events.compactMap(\.notice).first)
        let path = folder.path + "/1.jpg"
        #expect(notice.code == .pictureNotDurable && notice.subject == path)
        #expect(notice.description.hasPrefix("\(path) is in place, but may be lost if the power fails: "))
        #expect(storage.inventory.count == 1)
    }

    @Test(
        "A write that took effect although it failed is detected, and is not repeated",
        arguments: ["%n.jpg", "%S.jpg"])
    func lostAnswer(name: String) throws {
        var storage = try StillStorage.of(folder, disk, name: name)
        disk.fail(.place, ETIMEDOUT, late: true)
        #expect(try storage.store(.number(1, in: folder, description: nil)) == nil)
        disk.fail(.place, 0)
        storage.storeHeld()
        #expect(drained(&storage) == ["paused 1", "captured 1", "resumed 1"])
        #expect(try files == ["1.jpg"])
    }

    @Test(
        "Pictures that cannot be removed stay in the inventory until the disk allows their removal",
        arguments: [EROFS, EDQUOT, EACCES, EPERM])
    func removal(number: Int32) throws {
        var storage = try StillStorage.of(folder, disk) {
            ($0.limits.maxCount, $0.limits.policy) = (2, .prune)
        }
        try store(1...2, &storage)
        disk.fail(.remove, number)
        _ = storage.drainEvents()
        try store(3...3, &storage)
        let notices = storage.drainEvents().compactMap(\.notice).filter { $0.code != .information }
        let error = CaptureError.file(number, folder.path + "/1.jpg", "cannot be removed")
        #expect(notices.map(\.code) == [.pictureNotRemoved])
        #expect(notices.first?.description == "\(error.summary); it counts until it is removed")
        #expect(storage.inventory.count == 3)
        disk.fail(.remove, 0)
        try store(4...4, &storage)
        #expect(try files == ["3.jpg", "4.jpg", "latest"])
        #expect(storage.inventory.count == 2)
    }

    @Test("A picture that cannot be removed does not prevent the removal of others")
    func immutable() throws {
        var storage = try StillStorage.of(folder, disk) {
            ($0.limits.maxCount, $0.limits.policy) = (3, .prune)
        }
        disk.fail(removing: "1.jpg", EPERM)
        try store(1...6, &storage)
        #expect(try files == ["1.jpg", "5.jpg", "6.jpg", "latest"])
        #expect(storage.inventory.count == 3 && storage.inventory.byteCount == 300)
        // A series that continues with other settings keeps the picture in its inventory, too.
        let next = SeriesInventory(keepsStills: true, after: storage.inventory)
        #expect(next.oldest?.path.hasSuffix("/1.jpg") == true && next.count == 3)
    }

    @Test("One call tries to remove up to 64 pictures, also if all removals are refused")
    func refusals() throws {
        var storage = try StillStorage.of(folder, disk) {
            ($0.limits.maxCount, $0.limits.policy) = (200, .prune)
        }
        try store(1...200, &storage)
        storage.folder.limits.maxCount = 1
        disk.fail(.remove, EACCES)
        try store(201...201, &storage)
        #expect(disk.removalAttempts == 64)
        disk.fail(.remove, 0)
        try store(202...206, &storage)
        #expect(try files == ["206.jpg", "latest"])
    }

    @Test("A storage report is emitted at the start, with the first rate, and after notable changes")
    func reports() throws {
        let template = try FileNameTemplate(parsing: folder.path + "/%n.jpg")
        var configuration = CaptureConfiguration(source: .fragment("videotestsrc"), output: .files(template))
        configuration.schedule = .every(.seconds(1))
        configuration.limits.maxSize = 10_100
        var storage = StillStorage(configuration, template, disk)
        try storage.begin()
        try store(1...2, &storage)
        let reports = storage.drainEvents().compactMap { if case .storage(let report) = $0 { report } else { nil } }
        #expect(reports.map(\.timeLeft) == [nil, .seconds(100)])
        #expect(reports.map(\.usedBytes) == [0, 100])
    }
}
