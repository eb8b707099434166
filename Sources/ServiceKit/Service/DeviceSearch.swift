// Part of gst-capture. Apache License 2.0, see LICENSE.

import CameraKit
import CaptureBase

/// Searches for the cameras that are connected to this machine. Requests at the same time share one search, so that a
/// driver that hangs costs one thread, however many requests there are.
public actor DeviceSearch {
    private let search: @Sendable () async -> [Camera]
    private let deadline: Deadline
    private var running: Task<[Camera], Never>?

    /// Creates a search of this machine.
    public init() {
        self.init(Deadline(subject: "cameras")) {
            let catalog = await CameraCatalog.discovering()
            return await BlockingWork.run { catalog.cameras() }
        }
    }

    /// - Parameters:
    ///   - deadline: Limits how long a request waits.
    ///   - search: Returns the cameras; it may hang.
    init(_ deadline: Deadline, search: @escaping @Sendable () async -> [Camera]) {
        (self.deadline, self.search) = (deadline, search)
    }

    /// Returns the cameras.
    ///
    /// - Throws: `CaptureError` `.wedged` if a driver hangs. Later requests wait for the same search until it ends.
    public func cameras() async throws(CaptureError) -> [Camera] {
        let task = running ?? Task { await self.run() }
        running = task
        return try await deadline.bound("listing the cameras") { await task.value }
    }

    /// Waits for the end of a search that runs.
    func settle() async { _ = await running?.value }

    private func run() async -> [Camera] {
        let cameras = await search()
        running = nil
        return cameras
    }
}
