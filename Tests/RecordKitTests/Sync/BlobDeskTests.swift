// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import DatabaseKit
import Foundation
import Testing

@testable import RecordKit

@Suite("The pictures of a synchronization") struct BlobDeskTests {
    private let backend = ModelBackend()
    private let one: SyncDevice
    private let two: SyncDevice

    init() throws { (one, two) = (try SyncDevice(backend), try SyncDevice(backend)) }

    private func desk(_ device: SyncDevice) -> BlobDesk { BlobDesk(device.store, backend, device.time.clock) }

    /// Creates a record with a picture.
    private func create(_ picture: Int, on device: SyncDevice) throws -> (id: RecordID, sha256: String) {
        let blob = try device.store.addBlob(SmallJPEG.bytes(picture))
        let content = RecordContent(sides: ["front": RecordPicture(blob)])
        return (try device.store.create("card", content).id, blob.sha256)
    }

    /// Deletes a record, sends that, and erases the record here.
    private func erase(_ id: RecordID, on device: SyncDevice) async throws {
        try device.trash(id)
        await device.round()
        #expect(try device.store.emptyTrash { _ in .max } == 1)
    }

    private func unused(_ device: SyncDevice) throws -> [String] {
        var (found, last) = ([String](), "")
        while let sha256 = try device.store.unusedBlob(after: last) {
            found.append(sha256)
            last = sha256
        }
        return found
    }

    // MARK: Requested pictures

    @Test func `A picture of another device is fetched when a viewer requests it`() async throws {
        let (_, sha256) = try create(1, on: one)
        await one.round()
        #expect(try two.store.request(sha256, at: 0) == .unknown)
        await two.round()
        #expect(try two.store.pictureState(sha256) == .unknown)
        #expect(try two.store.request(sha256, at: 0) == .requested)
        #expect(try two.store.pictureState(sha256) == .requested)
        #expect(try two.store.request(sha256, at: 1) == .requested)
        let desk = desk(two)
        #expect(try await desk.work(erases: true) == nil && desk.wake == nil)
        let path = try #require(two.store.blobPath(sha256))
        #expect(try two.store.request(sha256, at: 2) == .here(path) && two.store.pictureState(sha256) == .here(path))
        // It was fetched once.
        #expect(backend.takeRequests().filter { $0 == "get \(sha256)" }.count == 1)
        #expect(try two.store.requestedBlob() == nil)
    }

    @Test func `Only pictures of records that a backend has are requested`() async throws {
        let (_, sha256) = try create(1, on: one)
        try FileManager.default.removeItem(atPath: try #require(one.store.blobPath(sha256)))
        #expect(try one.store.request(sha256, at: 0) == .unknown)
        await two.round()
        for text in [String(repeating: "0", count: 64), "", "../../etc/passwd", "'; DROP TABLE record"] {
            #expect(try two.store.request(text, at: 0) == .unknown)
        }
        #expect(try two.store.requestedBlob() == nil)
    }

    @Test func `A picture that the backend does not have is not requested again for ten minutes`() async throws {
        let (_, sha256) = try create(1, on: one)
        await one.round()
        await two.round()
        backend.content.blobs = []
        let now = two.time.clock.wall()
        #expect(try two.store.request(sha256, at: now) == .requested)
        let desk = desk(two)
        #expect(try await desk.work(erases: false) == nil)
        #expect(try two.store.request(sha256, at: now + 1) == .missing && two.store.pictureState(sha256) == .missing)
        #expect(try two.store.request(sha256, at: now + 600_000) == .requested)
        // A clock that was set back does not make it wait for years.
        _ = try await desk.work(erases: false)
        #expect(try two.store.request(sha256, at: now - 1) == .requested)
        _ = try await desk.work(erases: false)
        #expect(try two.store.request(sha256, at: .min) == .requested)
    }

    @Test func `A fault keeps the request, is reported once, and ends by itself`() async throws {
        let (_, sha256) = try create(1, on: one)
        await one.round()
        await two.round()
        _ = try two.store.request(sha256, at: 0)
        let desk = desk(two)
        backend.faults.isDown = true
        #expect(try await desk.work(erases: true) == .pictures("the server does not answer"))
        let wake = try #require(desk.wake)
        // Not before its pause is over.
        _ = backend.takeRequests()
        #expect(try await desk.work(erases: true) == nil)
        #expect(backend.takeRequests().isEmpty)
        two.time.pass(until: wake)
        #expect(try await desk.work(erases: true) == nil)
        let later = try #require(desk.wake)
        #expect(later - two.time.steady > wake - 1_000_000_000)
        backend.faults.isDown = false
        two.time.pass(until: later)
        #expect(try await desk.work(erases: true) == .pictures(nil))
        #expect(desk.wake == nil && two.store.blobPath(sha256) != nil)
    }

    @Test func `The picture of a conflict is fetched, too`() async throws {
        let (id, _) = try create(1, on: one)
        await one.round()
        await two.round()
        var pictures: [String] = []
        for (number, device) in [one, two].enumerated() {
            let record = try #require(try device.record(id))
            let blob = try device.store.addBlob(SmallJPEG.bytes(10 + number))
            pictures.append(blob.sha256)
            let content = RecordContent(sides: ["front": RecordPicture(blob)])
            _ = try device.store.change(id, from: record.revision, to: content)
            await device.round()
        }
        #expect(try two.store.conflicts(of: id).count == 1)
        #expect(try two.store.request(pictures[0], at: 0) == .requested)
        _ = try await desk(two).work(erases: false)
        #expect(two.store.blobPath(pictures[0]) != nil)
    }

    @Test func `Only the records that changed last are recent`() throws {
        let ids = try (0..<4).map { try one.create(["a": "\($0)"]) }
        #expect(try ids.map { try one.store.isRecent($0, most: 2) } == [false, false, true, true])
        #expect(try !one.store.isRecent(ids[3], most: 0))
    }

    // MARK: Unused pictures

    @Test func `A picture is erased at the backend after the last record that has it`() async throws {
        let (first, sha256) = try create(1, on: one)
        let (second, _) = try create(1, on: one)
        await one.round()
        #expect(backend.content.blobs == [sha256])
        let desk = desk(one)
        for (id, left) in [(first, [sha256]), (second, [])] {
            try await erase(id, on: one)
            #expect(try unused(one).isEmpty == !left.isEmpty)
            #expect(try await desk.work(erases: false) == nil)
            #expect(backend.content.blobs == [sha256])
            #expect(try await desk.work(erases: true) == nil)
            #expect(backend.content.blobs == Set(left))
        }
        #expect(try unused(one).isEmpty && one.store.blobPath(sha256) == nil)
        // Nothing arrived before its picture.
        #expect(backend.problems.isEmpty)
    }

    @Test func `A picture is erased when the last version that has it is no longer kept`() async throws {
        let (id, sha256) = try create(1, on: one)
        await one.round()
        try one.store.perform { database throws(DatabaseError) in
            try database.run("UPDATE version SET changed_ns = 0")
        }
        let record = try #require(try one.record(id))
        _ = try one.store.change(id, from: record.revision, to: RecordContent(values: ["a": "0"]))
        for number in 1..<19 {
            try one.set(id, "a", "\(number)")
            #expect(try unused(one).isEmpty)
        }
        try one.set(id, "a", "last")
        #expect(try unused(one) == [sha256])
        await one.round()
        _ = try await desk(one).work(erases: true)
        #expect(backend.content.blobs.isEmpty)
    }

    @Test func `Without a backend, or with one that removes files itself, nothing is kept to be erased`() async throws {
        let (id, _) = try create(1, on: one)
        try one.trash(id)
        #expect(try one.store.emptyTrash { _ in .max } == 1)
        #expect(try unused(one).isEmpty)
        let (other, sha256) = try create(2, on: one)
        await one.round()
        try await erase(other, on: one)
        #expect(try unused(one) == [sha256])
        backend.needsErasure = false
        #expect(try await desk(one).work(erases: true) == nil)
        #expect(try unused(one).isEmpty && backend.content.blobs == [sha256])
    }

    @Test func `A record that gets the picture again keeps it, before and during the erasure`() async throws {
        let (first, sha256) = try create(1, on: one)
        await one.round()
        try await erase(first, on: one)
        let (second, _) = try create(1, on: one)
        #expect(try await desk(one).work(erases: true) == nil)
        #expect(try unused(one).isEmpty && backend.content.blobs == [sha256])
        await one.round()
        try await erase(second, on: one)
        let folder = one.store.folder
        backend.beforeNextErasure {
            let store = try? RecordStore(folder: folder, kinds: [SyncDevice.kind], .create)
            guard let blob = try? store?.addBlob(SmallJPEG.bytes(1)) else { return }
            _ = try? store?.create("card", RecordContent(sides: ["front": RecordPicture(blob)]))
        }
        #expect(try await desk(one).work(erases: true) == nil)
        #expect(try unused(one).isEmpty && backend.content.blobs == [sha256])
        await one.round()
        #expect(backend.content.records["card"]?.values.filter { $0.content != nil }.count == 1)
        #expect(backend.problems.isEmpty)
    }

    @Test func `A picture that the target keeps does not hold up others, and a crash loses none`() async throws {
        var hashes: [String] = []
        for number in 0..<3 {
            let (id, sha256) = try create(number, on: one)
            await one.round()
            try await erase(id, on: one)
            hashes.append(sha256)
        }
        hashes.sort()
        backend.faults.kept = [hashes[0]]
        #expect(try await desk(one).work(erases: true) == .pictures("the server keeps the file"))
        #expect(try unused(one) == [hashes[0]] && backend.content.blobs == [hashes[0]])
        backend.faults.kept = []
        backend.faults.isDown = true
        // Another process continues.
        #expect(try await desk(one).work(erases: true) == .pictures("the server does not answer"))
        backend.faults.isDown = false
        #expect(try await desk(one).work(erases: true) == nil)
        #expect(try unused(one).isEmpty && backend.content.blobs.isEmpty)
    }

    @Test func `A store of an earlier version is read, and gets the new tables`() async throws {
        let (_, sha256) = try create(1, on: one)
        await one.round()
        try one.store.perform { database throws(DatabaseError) in
            try database.run("DROP TABLE requested_blob; DROP TABLE unused_blob; PRAGMA user_version = 1")
        }
        let folder = one.store.folder
        #expect(try RecordStore(folder: folder, kinds: [], .read).page(RecordQuery()).total == 1)
        let store = try RecordStore(folder: folder, kinds: [SyncDevice.kind], .create)
        #expect(try store.unusedBlob(after: "") == nil)
        try FileManager.default.removeItem(atPath: try #require(store.blobPath(sha256)))
        #expect(try store.request(sha256, at: 0) == .requested)
    }
}
