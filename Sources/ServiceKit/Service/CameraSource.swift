// Part of gst-capture. Apache License 2.0, see LICENSE.

import CameraKit
import CaptureBase
import CaptureKit
import PresetKit

/// Finds the camera of several jobs: once, and again after an error.
actor CameraSource {
    private let settings: CaptureSettings
    private var search: Task<Result<Camera?, CaptureError>, Never>?

    init(_ settings: CaptureSettings) { self.settings = settings }

    /// Returns the camera that the settings name; `nil` if they name elements or the scene.
    ///
    /// - Throws: `CaptureError` `.noCamera` if it is not connected; the next call searches again.
    func camera() async throws(CaptureError) -> Camera? {
        guard let name = settings.cameraToFind else { return nil }
        let search = search ?? Task { await Self.find(name) }
        self.search = search
        let result = await search.value
        if case .failure = result { forget() }
        return try result.get()
    }

    /// Searches again at the next call.
    func forget() { search = nil }

    private static func find(_ name: String) async -> Result<Camera?, CaptureError> {
        do throws(CaptureError) { return .success(try await CameraCatalog.find(name)) } catch { return .failure(error) }
    }
}

extension ServiceConfiguration {
    /// The first camera of this machine, or the built-in scene if there is none.
    public static func firstCamera() async -> Camera {
        do throws(CaptureError) { return try await CameraCatalog.find(CameraCatalog.automatic) } catch {
            return .scene
        }
    }
}
