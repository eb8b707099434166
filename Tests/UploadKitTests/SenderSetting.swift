// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport

@testable import UploadKit

/// A folder with pictures or clips, a target, and the store of an outbox.
protocol SenderSetting: AnyObject {
    var folder: TemporaryFolder { get }
    var transport: FolderTransport { get }
    var configuration: OutboxConfiguration { get }
}

extension SenderSetting {
    func store() throws(CaptureError) -> OutboxStore { try OutboxStore(folder: folder.path + "/outbox") }

    /// Runs a sender during a body.
    func run(_ body: (SenderEvents) async throws -> Void) async throws {
        let events = SenderEvents()
        let inlet = events.inlet
        let store = try OutboxStore(folder: folder.path + "/outbox")
        let sender = OutboxSender(configuration, store, ["nas": transport]) { inlet.yield($0) }
        let task = Task { await sender.run() }
        try await body(events)
        task.cancel()
        await task.value
    }

    /// Runs a sender until all is done, or the target fails.
    func runOnce() async throws {
        let store = try OutboxStore(folder: folder.path + "/outbox")
        let sender = OutboxSender(configuration, store, ["nas": transport]) { _ in }
        await sender.run(endsWhenIdle: true)
    }
}
