// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Glibc
import PipelineKit
import ScheduleKit
import StillKit
import Synchronization

@testable import CaptureKit

/// A disk on which each call fails if a test says so, and otherwise works.
final class FakeDisk: StillStoring {
    enum Call: CaseIterable { case place, makeDurable, holds, remove, pointLatest }

    /// When and how a call fails.
    struct Failure {
        var number: Int32
        /// `true` if the call takes effect although it fails, as if a server's answer is lost.
        var isLate = false
    }

    private struct Script {
        var failures: [Call: Failure] = [:]
        var names: [String: Failure] = [:]
        var removals: [String: Failure] = [:]
        var dice: Dice?
        var written: [String] = []
        var removalAttempts = 0
        var lostAnswers: Set<String> = []
    }

    private let script = Mutex(Script())
    private let writer: StillStore

    init(latest: String? = nil) { writer = StillStore(overwrites: false, latest: latest) }

    /// The files that were written, in order, by the last parts of their paths.
    var written: [String] { script.withLock { $0.written } }

    /// How many removals were tried.
    var removalAttempts: Int { script.withLock { $0.removalAttempts } }

    /// Paths that were written by failed calls.
    var lostAnswers: Set<String> { script.withLock { $0.lostAnswers } }

    /// Makes each write fail with an error number; 0 ends that.
    func fail(_ number: Int32) { fail(.place, number) }

    /// Makes each call of a kind fail with an error number; 0 ends that.
    func fail(_ call: Call, _ number: Int32, late isLate: Bool = false) {
        script.withLock { $0.failures[call] = number == 0 ? nil : Failure(number: number, isLate: isLate) }
    }

    /// Makes the writes of one file fail.
    func fail(_ name: String, _ number: Int32) {
        script.withLock { $0.names[name] = number == 0 ? nil : Failure(number: number) }
    }

    /// Makes the removal of one file fail.
    func fail(removing name: String, _ number: Int32) {
        script.withLock { $0.removals[name] = number == 0 ? nil : Failure(number: number) }
    }

    /// Makes calls of all kinds fail at random; `nil` ends that.
    func fail(by dice: Dice?) { script.withLock { $0.dice = dice } }

    private func failure(_ call: Call, _ path: String) -> Failure? {
        script.withLock { script in
            if let failure = script.failures[call] { return failure }
            if call == .place, let failure = script.names[DeviceFiles.name(of: path)] { return failure }
            if call == .remove, let failure = script.removals[DeviceFiles.name(of: path)] { return failure }
            return script.dice?.roll(call)
        }
    }

    func place(_ bytes: [UInt8], at path: String) throws(CaptureError) {
        let failure = failure(.place, path)
        if let failure, !failure.isLate { throw .file(failure.number, path, "cannot be written") }
        try writer.place(bytes, at: path)
        script.withLock { script in
            script.written.append(DeviceFiles.name(of: path))
            if failure != nil { script.lostAnswers.insert(path) }
        }
        if let failure { throw .file(failure.number, path, "cannot be written") }
    }

    func replace(_ path: String, with bytes: [UInt8]) throws(CaptureError) {
        if let failure = failure(.place, path) { throw .file(failure.number, path, "cannot be written") }
        try writer.replace(path, with: bytes)
    }

    func makeDurable(_ path: String) throws(CaptureError) {
        if let failure = failure(.makeDurable, path) {
            throw .file(failure.number, StillFolder.path(of: path), "cannot be made durable")
        }
        try writer.makeDurable(path)
    }

    func holds(_ bytes: [UInt8], at path: String) throws(CaptureError) -> Bool {
        if let failure = failure(.holds, path) { throw .file(failure.number, path, "cannot be read") }
        return try writer.holds(bytes, at: path)
    }

    func remove(_ path: String) throws(CaptureError) {
        script.withLock { $0.removalAttempts += 1 }
        if let failure = failure(.remove, path) { throw .file(failure.number, path, "cannot be removed") }
        try writer.remove(path)
    }

    func pointLatest(at path: String) throws(CaptureError) {
        if let failure = failure(.pointLatest, path) { throw .file(failure.number, path, "cannot be linked") }
        try writer.pointLatest(at: path)
    }
}

/// Random failures, the same for the same seed.
struct Dice {
    private var generator: SplitMix
    /// The percentage of calls that fail.
    private let share: Int
    private static let ofPlaces = [EIO, ENOSPC, EDQUOT, EROFS, ESTALE, ETIMEDOUT, ENOMEM]
    private static let ofRemovals = [EACCES, EPERM, EROFS, EDQUOT, EBUSY, EIO]

    init(seed: UInt64, share: Int) { (generator, self.share) = (SplitMix(seed), share) }

    mutating func roll(_ call: FakeDisk.Call) -> FakeDisk.Failure? {
        guard Int.random(in: 0..<100, using: &generator) < share else { return nil }
        let numbers = call == .remove ? Self.ofRemovals : Self.ofPlaces
        let number = numbers[Int.random(in: 0..<numbers.count, using: &generator)]
        return FakeDisk.Failure(number: number, isLate: Bool.random(using: &generator))
    }
}

extension StillStorage {
    /// The storage of a series in a folder.
    static func of(
        _ folder: TemporaryFolder, _ disk: FakeDisk, name: String = "%n.jpg",
        _ change: (inout CaptureConfiguration) -> Void = { _ in }
    ) throws -> StillStorage {
        let template = try FileNameTemplate(parsing: folder.path + "/" + name)
        var configuration = CaptureConfiguration(source: .fragment("videotestsrc"), output: .files(template))
        configuration.schedule = .every(.seconds(1))
        change(&configuration)
        var storage = StillStorage(configuration, template, disk)
        try storage.begin()
        _ = storage.drainEvents()
        return storage
    }
}

extension EncodedStill {
    /// A picture of a hundred bytes, whose name has its number unless `name` is given.
    static func number(
        _ number: Int, in folder: TemporaryFolder, name: String? = nil, description: [UInt8]? = nil
    ) -> EncodedStill {
        let time = WallTime(seconds: 0, nanoseconds: 0, utcOffset: 0)
        let names =
            if let name {
                StillName("\(folder.path)/\(name).jpg")
            } else {
                // swift-format-ignore: NeverUseForceTry
                StillName(try! FileNameTemplate(parsing: folder.path + "/%n.jpg"), time, sequence: number)
            }
        let bytes = [UInt8(number / 256)] + [UInt8](repeating: UInt8(number % 256), count: 99)
        let still = Still(
            slot: Slot(index: number, due: ClockTime(nanoseconds: UInt64(number) * 1_000_000_000)), burstIndex: 0,
            path: nil, sequence: number, byteCount: bytes.count, width: 1, height: 1, captured: .now(), offset: .zero,
            isLate: false, encodingTime: .zero, storingTime: .zero, bytes: nil)
        return EncodedStill(
            still: still, bytes: bytes, description: description, name: names, encoded: PipelineClock.system.now)
    }
}

extension CaptureEvent {
    /// The notice of an event `notice`; `nil` for all other events.
    var notice: Notice? { if case .notice(let notice) = self { notice } else { nil } }

    /// A short text for an event about storage; `nil` for all other events.
    var ofStorage: String? {
        switch self {
        case .captured(let still): "captured \(still.sequence)"
        case .failed(let slot, let error): "failed \(slot.index) \(DeviceFiles.name(of: error.subject ?? ""))"
        case .storagePaused(_, let held): "paused \(held)"
        case .storageResumed(let stored): "resumed \(stored)"
        case .removed(let stills): "removed " + stills.map { DeviceFiles.name(of: $0.path) }.joined(separator: " ")
        case .notice: "notice"
        default: nil
        }
    }
}
