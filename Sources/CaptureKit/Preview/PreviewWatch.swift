// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit
import Synchronization

/// Passes the frames of one lens to an observer while that lens is shown.
///
/// The lock is held while the observer examines a frame, so that it receives no frame after ``close()`` returns.
final class PreviewWatch: Sendable {
    private struct State {
        var camera: VideoInfo?
        var shown: VideoInfo?
        /// `true` if the observer does not know the current formats.
        var isChanged = true
        var isOpen = true
    }

    private let observer: any PreviewObserver
    private let state = Mutex(State())

    init(_ observer: any PreviewObserver) { self.observer = observer }

    /// Sets the format of the frames from the camera.
    func setFormat(camera: VideoInfo) { change { $0.camera = camera } }

    /// Sets the format of the frames on the screen.
    func setFormat(shown: VideoInfo) { change { $0.shown = shown } }

    /// Passes a frame to the observer. Runs on a streaming thread.
    func look(at buffer: Buffer, taken: ClockTime?) {
        state.withLock { state in
            guard state.isOpen, let camera = state.camera, let shown = state.shown else { return }
            if state.isChanged { observer.setFormats(camera, shown) }
            state.isChanged = false
            observer.look(at: buffer, shown, taken: taken)
        }
    }

    /// Stops passing frames.
    func close() { state.withLock { $0.isOpen = false } }

    private func change(_ body: (inout State) -> Void) {
        state.withLock { state in
            body(&state)
            state.isChanged = true
        }
    }
}
