// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit
import Synchronization

/// Shows the frames of one lens to an observer, for as long as the lens is the one that is shown.
///
/// Its lock is held while the observer looks, so that it sees nothing any more when ``close()`` returns.
final class PreviewWatch: Sendable {
    private struct State {
        var camera: VideoInfo?
        var shown: VideoInfo?
        /// True where the observer does not know the formats.
        var isChanged = true
        var isOpen = true
    }

    private let observer: any PreviewObserver
    private let state = Mutex(State())

    init(_ observer: any PreviewObserver) { self.observer = observer }

    /// Frames come from the camera in this format from now on.
    func meet(camera: VideoInfo) { change { $0.camera = camera } }

    /// Frames are shown in this format from now on.
    func meet(shown: VideoInfo) { change { $0.shown = shown } }

    /// Shows a frame. On a streaming thread.
    func look(at buffer: Buffer, taken: ClockTime?) {
        state.withLock { state in
            guard state.isOpen, let camera = state.camera, let shown = state.shown else { return }
            if state.isChanged { observer.meet(camera, shown) }
            state.isChanged = false
            observer.look(at: buffer, shown, taken: taken)
        }
    }

    /// Shows nothing any more.
    func close() { state.withLock { $0.isOpen = false } }

    private func change(_ body: (inout State) -> Void) {
        state.withLock { state in
            body(&state)
            state.isChanged = true
        }
    }
}
