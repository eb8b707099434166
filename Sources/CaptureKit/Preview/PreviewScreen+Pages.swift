// Part of gst-capture. Apache License 2.0, see LICENSE.

import OverlayCompositor
import PipelineKit

/// Pages, holds and the flash, which replace frames.
extension PreviewScreen {
    /// The background of a page.
    package enum Ground: Sendable, Hashable {
        /// The last frame, blurred; black before the first frame.
        case blurred
        case black
    }

    /// Shows a text on the last frame, blurred, until the next frame arrives. Before the first frame, the background is
    /// black. It returns at once.
    ///
    /// A frame that arrives later from any camera ends the hold: cut off a camera first if it must not be shown again.
    /// A page that is shown stays.
    package func hold(because text: String) {
        guard let stage else { return }
        paint(OverlayContents([.standIn(text)]), over: .blurred, for: stage.hold(at: PipelineClock.system.now)) {
            stage.show($0, for: $1)
        }
    }

    /// Shows layers as soon as they are painted, until ``resume()`` or another page. Frames and holds that arrive
    /// meanwhile are not shown. It returns at once.
    package func present(_ layers: [Layer], over ground: Ground, appearance: Style = Style()) {
        guard let stage else { return }
        paint(OverlayContents(layers, appearance: appearance), over: ground, for: stage.turn()) {
            stage.show($0, asPage: $1)
        }
    }

    /// Removes the page, and shows frames again, or the hold if there is one. Before the first frame, the page stays
    /// until it arrives.
    package func resume() { stage?.uncover() }

    /// How long the flash is shown.
    private static let flashLength = Duration.milliseconds(100)

    /// Shows a white frame for a moment, if frames of a camera are shown. It returns at once: the white frame was
    /// prepared with the first frame, and has the same format.
    package func flash() {
        guard let stage else { return }
        stage.flash(until: PipelineClock.system.now + Self.flashLength)
        tasks.add {
            try? await Task.sleep(for: Self.flashLength, tolerance: .milliseconds(5))
            stage.endFlash(at: PipelineClock.system.now)
        }
    }

    /// Paints the flash for frames of these caps in a task, not on the streaming thread.
    func prepareFlash(on stage: PreviewStage, of caps: Caps) {
        guard stage.setCaps(caps) else { return }
        tasks.add { [painter] in
            // If it cannot be painted, there is no flash.
            if let frame = try? await painter.flash(caps) { stage.keep(flash: frame) }
        }
    }

    private func paint(
        _ contents: OverlayContents, over ground: Ground, for stand: PreviewStage.Stand,
        _ show: @escaping @Sendable (Sample, PreviewStage.Stand) -> Void
    ) {
        let size = sizeOfPages
        if stand.last == nil { emitSize(size) }
        tasks.add { [painter] in
            // If there is no memory for the page, the screen does not change.
            guard let frame = try? await painter.paint(contents, over: ground, stand.last, size) else { return }
            show(frame, stand)
        }
    }
}
