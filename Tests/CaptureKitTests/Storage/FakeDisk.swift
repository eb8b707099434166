// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc
import PipelineKit
import Synchronization

@testable import CaptureKit

/// A disk that fails as a test says, and otherwise writes.
final class FakeDisk: StillStoring {
    private let failures = Mutex<[String: Int32]>([:])
    private let everything = Mutex<Int32>(0)
    private let names = Mutex<[String]>([])
    private let writer: StillStore

    init(latest: String? = nil) { writer = StillStore(overwrites: false, latest: latest) }

    /// What was written, in order, by the last parts of the paths.
    var written: [String] { names.withLock { $0 } }

    /// Lets everything fail with an error number, or nothing with 0.
    func fail(_ number: Int32) { everything.withLock { $0 = number } }

    /// Lets one file fail.
    func fail(_ name: String, _ number: Int32) { failures.withLock { $0[name] = number } }

    func write(_ bytes: [UInt8], to path: String) throws(CaptureError) {
        let name = DeviceFiles.name(of: path)
        let number = failures.withLock { $0[name] } ?? everything.withLock { $0 }
        guard number == 0 else { throw .file(number, path, "cannot be written") }
        try writer.write(bytes, to: path)
        names.withLock { $0.append(name) }
    }

    func pointLatest(at path: String) throws(CaptureError) { try writer.pointLatest(at: path) }
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
        _ = storage.takeEvents()
        return storage
    }
}

extension EncodedStill {
    /// A picture of a hundred bytes.
    static func number(_ number: Int, in folder: TemporaryFolder, description: [UInt8]? = nil) -> EncodedStill {
        let path = "\(folder.path)/\(number).jpg"
        let bytes = [UInt8](repeating: UInt8(number % 256), count: 100)
        let still = Still(
            slot: Slot(index: number, due: ClockTime(nanoseconds: UInt64(number) * 1_000_000_000)), burstIndex: 0,
            path: path, sequence: number, byteCount: bytes.count, width: 1, height: 1, captured: .now(), offset: .zero,
            isLate: false, encodingTime: .zero, storingTime: .zero, bytes: nil)
        return EncodedStill(
            still: still, bytes: bytes, description: description, path: path, encoded: PipelineClock.system.now)
    }
}

extension CaptureEvent {
    /// What an event says of storage, in a word; `nil` for all that is not about it.
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
