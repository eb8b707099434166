// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Glibc
import Synchronization
import UploadKit

/// A target in a folder, whose faults a test can choose.
final class FolderTransport: Transport {
    private let folder: String
    private let fault = Mutex<TransferFault?>(nil)
    private let deliveries = AsyncStream<String>.makeStream()
    private let losesAnswer = Mutex(false)
    private let gate = Mutex<AsyncStream<Void>?>(nil)
    private let begun = AsyncStream<String>.makeStream()
    let confirmation: Confirmation

    init(_ folder: String, confirmation: Confirmation = .hash) {
        (self.folder, self.confirmation) = (folder, confirmation)
    }

    var canErase: Bool { true }

    /// The names of the pictures that were stored, or whose delivery failed, in their order.
    var attempts: AsyncStream<String> { deliveries.stream }

    func set(_ fault: TransferFault?) { self.fault.withLock { $0 = fault } }

    /// The names of the pictures whose delivery has begun.
    var beginnings: AsyncStream<String> { begun.stream }

    /// Stores pictures from now on, and fails as if the answer was lost.
    func loseAnswers() { losesAnswer.withLock { $0 = true } }

    /// Makes deliveries wait until the returned continuation is finished.
    func hold() -> AsyncStream<Void>.Continuation {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        gate.withLock { $0 = stream }
        return continuation
    }

    func deliver(
        _ upload: Upload, token: String?, keep: @escaping @Sendable (String) -> Void
    ) async throws(TransferFault) -> Delivery {
        defer { deliveries.continuation.yield(upload.name) }
        begun.continuation.yield(upload.name)
        if let gate = gate.withLock({ $0 }) { for await _ in gate {} }
        if let fault = fault.withLock({ $0 }) { throw fault }
        try store(upload)
        if losesAnswer.withLock({ $0 }) { throw .access("the answer is lost") }
        return confirmation == .readBack ? .stored : .confirmed(confirmation)
    }

    private func store(_ upload: Upload) throws(TransferFault) {
        let path = folder + "/" + upload.name
        do throws(CaptureError) {
            if DeviceFiles.exists(path) {
                guard try FileDigest(path, most: upload.byteCount).sha256 == upload.sha256 else {
                    throw CaptureError(.usage, "taken")
                }
                return
            }
            try StillFolder.make(DeviceFiles.folder(of: path))
        } catch {
            throw .nameTaken(error.message)
        }
        guard link(upload.path, path) == 0 else { throw .unreachable("errno \(errno)", pause: nil) }
    }

    func confirm(_ upload: Upload) async throws(TransferFault) -> Confirmation {
        if let fault = fault.withLock({ $0 }) { throw fault }
        let path = folder + "/" + upload.name
        guard DeviceFiles.exists(path) else { throw .damaged("gone") }
        guard (try? FileDigest(path, most: upload.byteCount))?.sha256 == upload.sha256 else {
            throw .nameTaken("other")
        }
        return .readBack
    }

    func erase(_ name: String) async throws(TransferFault) {
        if let fault = fault.withLock({ $0 }) { throw fault }
        unlink(folder + "/" + name)
    }
}
