// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureTestSupport
import CropKit
import Foundation
import Testing

@testable import RecordKit

@Suite("Random walks of two devices")
struct SyncWalkTests {
    /// The number of steps of a walk; `make soak` sets a larger one.
    private static let steps = ProcessInfo.processInfo.environment["SYNC_STEPS"].flatMap { Int($0) } ?? 1500

    @Test("No acknowledged change is lost, and all converge", arguments: 0..<6 as Range<UInt64>)
    func faults(seed: UInt64) async throws {
        try await walk(seed: seed, .faults)
    }

    @Test("Also if the backend loses records, and people push theirs", arguments: 10..<14 as Range<UInt64>)
    func losses(seed: UInt64) async throws {
        try await walk(seed: seed, .losses)
    }

    @Test(
        "Devices converge after any answer, and any moment at which they see a loss",
        arguments: 20..<24 as Range<UInt64>)
    func unseenLosses(seed: UInt64) async throws {
        try await walk(seed: seed, .unseenLosses)
    }

    private func walk(seed: UInt64, _ mode: SyncWalk.Mode) async throws {
        let walk = try await SyncWalk(seed: seed, mode)
        for _ in 0..<Self.steps { try await walk.step() }
        try await walk.settle()
        #expect(walk.problems.prefix(5).isEmpty, "\(walk.problems.prefix(5))")
        #expect(walk.changeCount > 50)
    }
}

/// Two devices with random people, and a backend with faults.
private final class SyncWalk {
    enum Mode {
        /// Requests fail, answers are lost, records are refused, devices crash.
        case faults
        /// The backend also loses records, and each device sees it before another one pushes: a push can hide the loss
        /// from the others. People push theirs.
        case losses
        /// The devices see a loss at any time, and people give any answer.
        case unseenLosses
    }

    private let mode: Mode
    private var generator: SplitMix
    private let backend: ModelBackend
    private let devices: [SyncDevice]
    private let blobs: [RecordBlob]
    private var ids: [RecordID] = []
    private var copies: [ModelBackend.Content] = []
    private(set) var changeCount = 0
    private(set) var problems: [String] = []
    /// The values that each value has replaced knowingly, by their parts: a person saw them.
    private var replaced: [Place: [String: Set<String>]] = [:]
    /// The values that people have given.
    private var given: [Place: Set<String>] = [:]

    private struct Place: Hashable {
        let id: RecordID
        let part: RecordPart
    }

    /// The value of a part of a record in the trash, and of an empty part.
    private static let trash = "trash", empty = "empty"
    private static let parts: [RecordPart] = [.field("a"), .field("b"), .side("front")]

    init(seed: UInt64, _ mode: Mode) async throws {
        self.mode = mode
        generator = SplitMix(seed)
        let backend = ModelBackend(seed: seed)
        // The clocks of the devices are a day apart.
        let devices = try [-43_200_000, 43_200_000].map { try SyncDevice(backend, SyncTime(offset: $0)) }
        var blobs: [RecordBlob] = []
        for _ in 0..<2 {
            let bytes = try await JPEGFile.made().bytes
            blobs.append(try devices[0].store.addBlob(bytes))
            #expect(try devices[1].store.addBlob(bytes) == blobs.last)
        }
        (self.backend, self.devices, self.blobs) = (backend, devices, blobs)
    }

    private func random(_ count: Int) -> Int { Int.random(in: 0..<count, using: &generator) }

    // MARK: Steps

    func step() async throws {
        let device = devices[random(2)]
        switch random(100) {
        case 0..<62: try await work(device)
        case 62..<66: try create(device)
        case 66..<78: try change(device)
        case 78..<80: try trash(device)
        case 80..<82: try restore(device)
        case 82..<87: try resolve(device)
        case 87..<90: try device.crash()
        case 90: backend.faults.before = [0, 10, 50][random(3)]
        case 91: backend.faults.after = [0, 10, 50][random(3)]
        case 92: backend.faults.isDown = random(3) == 0
        case 93: backend.faults.isUnauthorized = random(3) == 0
        case 94: backend.faults.refused = random(2) == 0 ? [] : Set(ids.prefix(random(3)))
        case 95: backend.faults.broken = random(2) == 0 ? [] : Set(ids.suffix(random(3)))
        case 96: device.time.pass(.seconds(86_400 * random(3)))
        case 97: copies.append(backend.content)
        case 98: if mode != .faults, random(3) == 0 { try await lose() }
        default: try device.desk.look(isChanged: true)
        }
    }

    /// Performs an effect of a device.
    private func work(_ device: SyncDevice) async throws {
        guard await !device.step(), device.question != nil else { return }
        if mode == .faults {
            problems.append("a backend that has lost nothing is asked about: \(device.question?.text ?? "")")
        }
        try device.store.answer(mode == .unseenLosses && random(2) == 0 ? .accept : .push, "card")
        try device.desk.look(isChanged: true)
    }

    private func lose() async throws {
        switch random(3) {
        case 0: backend.empty(hasOldETag: random(2) == 0)
        default:
            guard let copy = copies.randomElement(using: &generator) else { return }
            // Pictures are not lost.
            let blobs = backend.content.blobs
            backend.content = copy
            backend.content.blobs.formUnion(blobs)
        }
        copies = []
        guard mode == .losses else { return }
        let faults = backend.faults
        backend.faults = ModelBackend.Faults()
        backend.faults.isReadOnly = true
        for device in devices {
            try device.crash()
            while device.desk.hasEffects { await device.step() }
        }
        backend.faults = faults
    }

    /// Lets both devices and their people work until nothing is left.
    func settle() async throws {
        backend.faults = ModelBackend.Faults()
        for device in devices {
            device.time.pass(.seconds(40 * 86_400))
            for id in ids where try device.sync(id) == .refused {
                try restore(device, id)
                try change(device, id, .field("a"))
            }
        }
        for _ in 0..<12 {
            for device in devices {
                try device.crash()
                await device.round()
                if device.question != nil { try await device.answer(.push) }
                while let id = try device.store.conflicted("card", most: 1).first {
                    if let conflict = try device.store.conflicts(of: id).first { try resolve(device, id, conflict) }
                }
                await device.round()
            }
        }
        try check()
    }

    // MARK: People

    private func create(_ device: SyncDevice) throws {
        guard ids.count < 30 else { return }
        guard let id = RecordID("\(10_000_000 + ids.count)-0000-4000-8000-000000000000") else { return }
        ids.append(id)
        changeCount += 1
        try device.create(["a": "\(changeCount)"], id: id)
        give("\(changeCount)", Place(id: id, part: .field("a")), over: Self.empty)
    }

    private func change(_ device: SyncDevice) throws {
        guard let id = ids.randomElement(using: &generator) else { return }
        try change(device, id, Self.parts[random(Self.parts.count)])
    }

    private func change(_ device: SyncDevice, _ id: RecordID, _ part: RecordPart) throws {
        guard let record = try device.record(id), !record.isTrashed else { return }
        changeCount += 1
        var content = record.content
        if random(8) == 0, part != .field("a") {
            content[part] = nil
        } else if case .field = part {
            content[part] = .text("\(changeCount)")
        } else {
            let origin = RecordPicture.Origin(
                blobs[0], outline: "card", adjustment: CropAdjustment(moveX: Double(changeCount)))
            content[part] = .picture(RecordPicture(blobs[1], origin: origin))
        }
        let before = Self.name(record.content[part])
        _ = try device.store.change(id, from: record.revision, to: content)
        give(Self.name(content[part]), Place(id: id, part: part), over: before)
    }

    private func trash(_ device: SyncDevice) throws {
        guard let id = ids.randomElement(using: &generator), let record = try device.record(id), !record.isTrashed
        else { return }
        try device.trash(id)
        for part in Self.parts { replace(Self.name(record.content[part]), Place(id: id, part: part), by: Self.trash) }
    }

    private func restore(_ device: SyncDevice) throws {
        if let id = ids.randomElement(using: &generator) { try restore(device, id) }
    }

    private func restore(_ device: SyncDevice, _ id: RecordID) throws {
        guard let record = try device.record(id), record.isTrashed else { return }
        try device.restore(id)
        for part in Self.parts { replace(Self.trash, Place(id: id, part: part), by: Self.name(record.content[part])) }
    }

    private func resolve(_ device: SyncDevice) throws {
        guard let id = try device.store.conflicted("card", most: 30).randomElement(using: &generator),
            let conflict = try device.store.conflicts(of: id).randomElement(using: &generator)
        else { return }
        try resolve(device, id, conflict)
    }

    private func resolve(_ device: SyncDevice, _ id: RecordID, _ conflict: RecordConflict) throws {
        let choice: RecordChoice = random(2) == 0 ? .mine : .theirs
        guard let record = try device.record(id) else { return }
        for part in conflict.part.map({ [$0] }) ?? Self.parts {
            let mine = record.isTrashed ? Self.trash : Self.name(record.content[part])
            let theirs = conflict.theirs == .deleted ? Self.trash : Self.name(conflict.theirs.content?[part])
            let place = Place(id: id, part: part)
            // A part of a record in the trash stays there with either value.
            let keepsMine = choice == .mine || conflict.part != nil && record.isTrashed
            replace(keepsMine ? theirs : mine, place, by: keepsMine ? mine : theirs)
        }
        try device.resolve(id, conflict.part, choice)
    }

    // MARK: Values

    private static func name(_ value: RecordValue?) -> String {
        switch value {
        case .text(let text): text
        case .picture(let picture): "\(Int(picture.origin?.adjustment.moveX ?? 0))"
        case nil: empty
        }
    }

    private func give(_ value: String, _ place: Place, over before: String) {
        given[place, default: []].insert(value)
        replace(before, place, by: value)
    }

    private func replace(_ before: String, _ place: Place, by value: String) {
        if before != value { replaced[place, default: [:]][value, default: []].insert(before) }
    }

    /// The values that a value has replaced, and those that these have replaced.
    private func ancestors(of value: String, _ place: Place) -> Set<String> {
        var (found, open): (Set<String>, [String]) = ([value], [value])
        while let next = open.popLast() {
            for before in replaced[place]?[next] ?? [] where found.insert(before).inserted { open.append(before) }
        }
        return found
    }

    private func check() throws {
        problems += backend.problems
        for id in ids { try check(id) }
    }

    private func check(_ id: RecordID) throws {
        let records = try devices.map { try $0.record(id) }
        for (device, record) in zip(devices, records) {
            let sync = try device.sync(id)
            if record != nil, sync != .clean { problems.append("\(id) is \(sync?.rawValue ?? "missing") at the end") }
        }
        let copies = records.map { $0?.copy ?? .deleted }
        let theirs = backend.content(of: id).map(RecordCopy.present) ?? .deleted
        guard copies[0] == copies[1], copies[0] == theirs else {
            problems.append("\(id) differs: \(copies[0]), \(copies[1]), \(theirs)")
            return
        }
        guard mode != .unseenLosses else { return }
        for part in Self.parts {
            let place = Place(id: id, part: part)
            let last = copies[0].content.map { Self.name($0[part]) } ?? Self.trash
            let lost = (given[place] ?? []).subtracting(ancestors(of: last, place))
            if !lost.isEmpty { problems.append("\(id) \(part) is \(last), and lost \(lost.sorted())") }
        }
    }
}
