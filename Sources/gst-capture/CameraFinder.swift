// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import Dispatch
import PipelineKit

/// Asks for cameras on a thread where drivers may take their time.
enum CameraFinder {
    /// All cameras, the scene last.
    static func all() async -> [Camera] {
        let catalog = await CameraCatalog.discovering()
        return await blocking { catalog.cameras() }
    }

    /// The camera that a text means.
    static func resolve(_ text: String) async throws(CaptureError) -> Camera {
        let catalog = await CameraCatalog.finding(text)
        return try await trying { () throws(CaptureError) in try catalog.resolve(text) }
    }

    /// Runs what can block in a driver, or fail, away from Swift's cooperative pool.
    static func trying<Value: Sendable>(
        _ body: @escaping @Sendable () throws(CaptureError) -> Value
    ) async throws(CaptureError) -> Value {
        let result: Result<Value, CaptureError> = await blocking { Result(catching: body) }
        return try result.get()
    }

    /// Runs what can block in a driver away from Swift's cooperative pool.
    static func blocking<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            DispatchQueue.global(qos: .userInitiated).async { continuation.resume(returning: body()) }
        }
    }
}
